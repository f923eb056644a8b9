"""Maps, norms and tables of which the course lists nothing, stored in every way that people use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from grader.judge.bind import Group, Home, Layout, Roles
from grader.judge.bind.derived import derived
from grader.judge.bind.forms import _pieces, forms_of, is_exact, outlines
from grader.judge.bind.instances import ParameterVector, instances
from grader.judge.bind.patterns import parse
from grader.judge.bind.plan import Plan
from grader.judge.bind.roles import load_roles
from grader.judge.bind.shares import gathered, shared
from grader.judge.calls.faults import CheckFailed
from grader.judge.calls.module_description import ParameterSpec
from grader.judge.checks.expect import Expect
from grader.judge.checks.namespace import Student
from grader.judge.checks.probe import Probe
from grader.judge.reference.memo import Memo, Reference
from grader.judge.reference.references import References
from tests.support.clients import STEM, Definitions, local_client

ROOT = Path(__file__).resolve().parents[4]
HEAD = """
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.nn.utils import parametrizations, parametrize

    class Own(nn.Module):
        def __init__(self, size, width):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(size, width))
            self.bias = nn.Parameter(torch.zeros(width))

        def forward(self, x):
            return x @ self.weight + self.bias

    class Mill(nn.Module):
        def __init__(self, size, width):
            super().__init__()
"""
REFERENCE = (
    HEAD
    + """
            self.first = nn.LayerNorm(size)
            self.wide = nn.Linear(size, width)
            self.narrow = nn.Linear(width, size)
            self.last = nn.LayerNorm(size)

        def forward(self, x):
            return self.last(x + self.narrow(torch.tanh(self.wide(self.first(x)))))
"""
)
LINES = {
    "first": "self.first = nn.LayerNorm(size)",
    "wide": "self.wide = nn.Linear(size, width)",
    "narrow": "self.narrow = nn.Linear(width, size)",
    "last": "self.last = nn.LayerNorm(size)",
}
SUM = "return self.last(x + self.narrow(torch.tanh(self.wide(self.first(x)))))"


def mill(made: str, returned: str = SUM) -> str:
    """A Mill that makes its layers in another way."""
    lines = "\n".join(" " * 12 + line for line in made.split("; "))
    return f"{HEAD}{lines}\n\n        def forward(self, x):\n            {returned}\n"


NORMS = "self.first = nn.LayerNorm(size); self.last = nn.LayerNorm(size)"
MAPS = "self.wide = nn.Linear(size, width); self.narrow = nn.Linear(width, size)"
BARE = (
    "self.a = nn.Parameter(torch.zeros(size, width)); self.b = nn.Parameter(torch.zeros(width)); "
    "self.c = nn.Parameter(torch.zeros(width, size)); self.d = nn.Parameter(torch.zeros(size))"
)
STUDENTS = {
    "bare maps": mill(
        f"{NORMS}; {BARE}",
        "return self.last(x + torch.tanh(self.first(x) @ self.a + self.b) @ self.c + self.d)",
    ),
    "bare maps as (out, in)": mill(
        f"{NORMS}; {BARE}".replace("(size, width)", "(0)")
        .replace("(width, size)", "(size, width)")
        .replace("(0)", "(width, size)"),
        "return self.last(x + F.linear(torch.tanh(F.linear(self.first(x), self.a, self.b)), "
        "self.c, self.d))",
    ),
    "layers of one's own": mill(
        f"{NORMS}; self.up = Own(size, width); self.down = Own(width, size)",
        "return self.last(x + self.down(torch.tanh(self.up(self.first(x)))))",
    ),
    "norms as functions": mill(
        f"{MAPS}; "
        + "; ".join(f"self.{n} = nn.Parameter(torch.ones(size))" for n in ("p", "q", "r", "s")),
        "return F.layer_norm(x + self.narrow(torch.tanh(self.wide("
        "F.layer_norm(x, x.shape[-1:], self.s, self.p)))), x.shape[-1:], self.q, self.r)",
    ),
    "norms the other way round": mill(
        f"self.u = nn.LayerNorm(size); self.v = nn.LayerNorm(size); {MAPS}",
        SUM.replace("self.last", "self.u").replace("self.first", "self.v"),
    ),
    "one norm under the other's name": mill(
        f"self.u = nn.LayerNorm(size); self.first = nn.LayerNorm(size); {MAPS}",
        SUM.replace("self.first", "self.u").replace("self.last", "self.first"),
    ),
    "parametrized": mill(
        f"{NORMS}; {MAPS}; parametrizations.weight_norm(self.wide)",
    ),
}
SIZES = [(3, 5), (4, 4)]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads wait for each other longer than these few numbers take."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def compared(source: str, *sizes: int, reference: str = REFERENCE) -> list[str]:
    """The notes, if outputs and gradients agree."""
    client, module = local_client(source)
    _, truth = local_client(reference)
    memo = Memo()
    expect = Expect(client, memo, seed=1)
    student = Student(client, Definitions(module), STEM, is_module=lambda name: True)
    probe = Probe(2, student, Reference(truth, memo, Roles()), memo, client.known)
    pair = probe.pair("Mill", *sizes)
    x = probe.randn(6, sizes[0])
    expect.matches(pair.student, pair.reference, x)
    expect.gradients(pair.student, pair.reference, x)
    return probe.notes


@pytest.mark.parametrize("sizes", SIZES, ids=["two widths", "square"])
@pytest.mark.parametrize("name", STUDENTS)
def test_every_way_is_as_right(name: str, sizes: tuple[int, int]) -> None:
    compared(STUDENTS[name], *sizes)


@pytest.mark.parametrize("sizes", SIZES, ids=["two widths", "square"])
@pytest.mark.parametrize("name", STUDENTS)
def test_a_wrong_answer_stays_wrong_in_every_way(name: str, sizes: tuple[int, int]) -> None:
    wrong = STUDENTS[name].replace("torch.tanh", "torch.sigmoid")
    assert wrong != STUDENTS[name]
    with pytest.raises(CheckFailed):
        compared(wrong, *sizes)


def test_bare_maps_are_told() -> None:
    notes = compared(STUDENTS["bare maps"], 3, 5)
    assert "wide: bare parameters instead of a layer" in notes


def test_a_norm_with_one_number_for_all_features_is_told() -> None:
    one = "self.last = nn.LayerNorm(()); self.last.weight = nn.Parameter(torch.ones(1))"
    bias = "self.last.bias = nn.Parameter(torch.zeros(1))"
    with pytest.raises(CheckFailed) as caught:
        compared(mill(f"{LINES['first']}; {MAPS}; {one}; {bias}"), 3, 5)
    assert caught.value.shows is not None
    id, text = caught.value.shows
    assert id == "layers.norm_of_one_number"
    assert text.startswith("`last` is one number for all features")


def test_a_buffer_in_the_place_of_a_parameter_is_told() -> None:
    bare = REFERENCE.replace(LINES["last"], "self.last = nn.Parameter(torch.ones(size))").replace(
        "self.last(", "self.last * ("
    )
    fixed = bare.replace(
        "self.last = nn.Parameter(torch.ones(size))",
        'self.register_buffer("last", torch.ones(size))',
    )
    with pytest.raises(CheckFailed) as caught:
        compared(fixed, 3, 5, reference=bare)
    told = "`last` is a buffer and no parameter: nothing trains it"
    assert caught.value.shows == ("layers.buffer", told)


def test_a_linear_used_the_wrong_way_round_is_not_taken_for_another_layer() -> None:
    """Its weight is (out, in), which a square one does not show."""
    wrong = REFERENCE.replace(
        "self.wide(self.first(x))", "self.first(x) @ self.wide.weight + self.wide.bias"
    )
    assert wrong != REFERENCE
    with pytest.raises(CheckFailed):
        compared(wrong, 4, 4)
    compared(wrong.replace("self.wide = nn.Linear", "self.wide = Own"), 4, 4)


def test_a_square_matrix_is_stored_as_the_oblong_ones_beside_it() -> None:
    """So what a wrong module computes is its own mistake, and not that of another layout."""

    def first(*sizes: tuple[int, int]) -> list[torch.Tensor]:
        reference = nn.Sequential(*(nn.Linear(*size) for size in sizes))
        specs = [
            ParameterSpec(f"{number}.{name}", torch.float64, shape, True)
            for number, size in enumerate(sizes)
            for name, shape in (("weight", size), ("bias", size[1:]))
        ]
        plan = Plan(reference, specs, Roles(), ParameterVector(reference))
        choice = plan.first()
        assert choice is not None
        places = plan.places(choice)
        return [places[f"{number}.weight"].reshape(size) for number, size in enumerate(sizes)]

    upright = torch.arange(16).reshape(4, 4)
    assert first((4, 4))[0].equal(upright)
    assert first((4, 4), (4, 7))[0].equal(upright.T)


def test_names_of_the_contract_are_not_exchanged_among_themselves() -> None:
    wrong = REFERENCE.replace("return self.last(", "return self.first(").replace(
        "self.wide(self.first(x))", "self.wide(self.last(x))"
    )
    assert wrong.count("self.first(") == 1
    with pytest.raises(CheckFailed):
        compared(wrong, 3, 5)
    renamed = wrong.replace("self.wide", "self.w")
    with pytest.raises(CheckFailed):
        compared(renamed, 3, 5)


def test_a_mask_that_is_not_trained_keeps_its_numbers() -> None:
    masked = REFERENCE.replace(
        LINES["last"],
        LINES["last"]
        + "\n"
        + " " * 12
        + ("self.keep = nn.Parameter(torch.ones(size), requires_grad=False)"),
    ).replace("x + self.narrow", "x * self.keep + self.narrow")
    assert masked.count("keep") == 2
    compared(masked, 3, 5)


class Three(nn.Module):
    """Queries share fewer keys and values."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = nn.Linear(4, 12), nn.Linear(4, 4), nn.Linear(4, 4)


SHARES = (3, 1, 1)
GROUP = Group(
    name="three",
    axes="r h d i",
    bias_axes="r h d",
    roles=("q", "k", "v"),
    homes={
        "Three": Home("r | (h d) i", ("q", "k", "v"), lambda m: {"h": 2}, shares=lambda m: SHARES)
    },
    layouts=(),
)


def test_every_derived_way_holds_every_number_once_or_is_not_there() -> None:
    module = Three()
    vector = ParameterVector(module)
    (instance,) = instances(module, Roles((GROUP,)), vector)
    forms = list(forms_of(instance, lambda piece: True, lambda outline, raw: True))
    assert len(forms) > 100
    assert all(is_exact(form.pieces, vector.length) for form in forms)


@pytest.mark.parametrize(
    ("pattern", "heads"),
    [
        ("(r h d) i", [0, 1, 2, 3, 4, 5, 10, 11, 20, 21]),
        ("(h r d) i", [0, 1, 2, 10, 20, 3, 4, 5, 11, 21]),
    ],
)
def test_heads_keep_their_order_and_their_group(pattern: str, heads: list[int]) -> None:
    """Queries 0 to 2 belong to key 10 and value 20, queries 3 to 5 to 11 and 21."""
    parts = [torch.tensor([0, 1, 2, 3, 4, 5]), torch.tensor([10, 11]), torch.tensor([20, 21])]
    rows = [part[:, None].expand(-1, 2).reshape(-1, 1) for part in parts]
    whole = gathered(rows, list("rhdi"), parse("r | (h d) i"), {"h": 2, "d": 2}, SHARES)
    ((_at, stored),) = shared(whole, list("rhdi"), parse(pattern), SHARES)
    assert stored[::2, 0].tolist() == heads


def test_a_map_is_stored_in_four_ways_and_a_norm_in_two() -> None:
    def ways(axes: str, bias: str) -> list[Layout]:
        return list(derived(Group("x", axes, {}, (), bias_axes=bias)))

    assert len(ways("o i", "o")) == 4
    assert len(ways("d", "d")) == 2


def test_shapes_are_foretold_without_looking_up_places() -> None:
    """`outlines` is a shortcut: of whatever it tells, `_pieces` takes just those shapes."""
    references = References(ROOT, [path.stem for path in (ROOT / "reference").glob("a*_*.py")])
    heads = references.module("a3_multi_head").MultiHeadAttention(7, 12, 5, 0.0, 3)
    vit = references.module("a4_vit").ViT(3, 4, 24, 16, depth=1, num_heads=3)
    roles, told = load_roles(ROOT), 0
    for module in (heads, vit):
        for instance in instances(module, roles, ParameterVector(module)):
            plain = tuple(range(max(1, len(instance.group.roles))))
            for layout in (*instance.group.layouts, *derived(instance.group)):
                foretold = {*outlines(instance, layout)}
                pieces = [*_pieces(instance, layout, plain)]
                told += len(foretold)
                if foretold and pieces:
                    assert {(piece.shapes, piece.raw) for piece in pieces} == foretold, layout
    assert told > 500
