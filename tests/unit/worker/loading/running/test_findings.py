"""The report says what became of each target, in words that lead to the next step."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from grader.wire.load_plan import LoadPlan
from grader.worker.loading import definition_digest
from tests.unit.worker.loading.samples import FILE, STEM, Load, notes, problems, target

STUB = 'def f(x):\n    """Do it."""\n    raise NotImplementedError\n'
SOLVED = "def f(x):\n    return x\n"
STUBS = {STEM: {"f": definition_digest(ast.parse(STUB).body[0])}}


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        pytest.param(STUB, True, id="untouched"),
        pytest.param("# mine\n" + STUB.replace("Do it.", "Done."), True, id="comments-changed"),
        pytest.param(SOLVED, False, id="solved"),
        pytest.param("@print\n" + STUB, False, id="decorated"),
        pytest.param(STUB + SOLVED, False, id="solved-below"),
        pytest.param(SOLVED + STUB, True, id="solved-above"),
        pytest.param("if True:\n" + "".join(f"    {x}\n" for x in STUB.split("\n")), True, id="if"),
        pytest.param(STUB + "f = len\n", False, id="replaced"),
    ],
)
def test_an_untouched_stub_is_recognised(load: Load, source: str, stub: bool) -> None:
    entry = target(load(source, "f", stubs=STUBS), "f")

    assert entry["stub"] is (stub if entry["kind"] != "missing" else False)


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        pytest.param("\ndef f(): pass", "function", 2, id="function"),
        pytest.param("\nclass f: pass", "class", 2, id="class"),
        pytest.param("@staticmethod\ndef f(): pass", "function", 2, id="decorated"),
        pytest.param("f = 3", "value", 1, id="value"),
        pytest.param("\nf = lambda: 3", "function", 2, id="lambda"),
        pytest.param("from math import tau as f", "value", 1, id="imported-value"),
        pytest.param(
            "import math\nfrom os.path import *\njoin\nf = join", "function", 4, id="star"
        ),
        pytest.param("if True:\n    x = 1\n    def f(): pass", "function", 3, id="inside-if"),
        pytest.param("g = 1", "missing", None, id="missing"),
    ],
)
def test_kind_and_line_of_a_target(load: Load, source: str, kind: str, line: int | None) -> None:
    entry = target(load(source, "f"), "f")

    assert (entry["kind"], entry["line"]) == (kind, line)


@pytest.mark.parametrize(
    ("defined", "wanted", "close"),
    [
        ("def CausalMask(): pass", "causal_mask", ("CausalMask",)),
        (
            "def scaled_dot_attention(): pass",
            "scaled_dot_product_attention",
            ("scaled_dot_attention",),
        ),
        ("class MultiHeadAtention: pass", "MultiHeadAttention", ("MultiHeadAtention",)),
        ("def something_else(): pass", "causal_mask", ()),
    ],
)
def test_similar_names_are_offered(
    load: Load, defined: str, wanted: str, close: tuple[str, ...]
) -> None:
    loaded = load(defined, wanted)

    assert target(loaded, wanted)["close"] == close
    with pytest.raises(LookupError) as caught:
        loaded.lookup(STEM, wanted)
    hint = f" (did you mean `{close[0]}`?)" if close else ""
    assert str(caught.value) == f"{FILE} does not define `{wanted}`{hint}"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        pytest.param("def f(): pass\n\ndel f\n", f"`f` is deleted again in {FILE}:3", id="deleted"),
        pytest.param(
            "f = 1 / 0\n",
            f"`f` is missing from {FILE}: the statement in line 1 that sets it failed",
            id="failed",
        ),
        pytest.param(
            "# demo\nf = 1\n",
            f"`f` is missing from {FILE}: the statement in line 2 that sets it was not run",
            id="demonstration",
        ),
        pytest.param(
            "x = 1\nclass f(x\n    pass\n", f"`f` could not be read: see {FILE}:2", id="unreadable"
        ),
    ],
)
def test_a_missing_target_comes_with_its_reason(load: Load, source: str, why: str) -> None:
    loaded = load(source, "f")

    assert target(loaded, "f")["why"] == why
    with pytest.raises(LookupError) as caught:
        loaded.lookup(STEM, "f")
    assert str(caught.value) == why


def test_a_definition_after_a_failed_one_is_not_missing(load: Load) -> None:
    assert target(load("f = 1 / 0\ndef f(): pass\n", "f"), "f")["kind"] == "function"


def test_several_definitions_are_noted(load: Load) -> None:
    loaded = load("def f(): pass\n\ndef g(): pass\n\ndef f(): pass\n\ndef f(): return 1\n", "f")

    assert notes(loaded) == [(7, "`f` is defined in lines 1, 5 and 7: the last one counts")]


def test_a_stub_below_the_solution_is_a_problem(load: Load) -> None:
    loaded = load(SOLVED + STUB, "f", stubs=STUBS)

    assert problems(loaded) == [
        (
            FILE,
            3,
            (
                "`f` is defined in lines 1 and 3, and the last one, which counts, is the untouched "
                "hand-out: delete it"
            ),
        )
    ]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("if True:\n    def f(): pass\nelse:\n    def f(): pass\n", id="branches"),
        pytest.param(
            "from typing import overload\n@overload\ndef f(x: int): ...\n@overload\n"
            "def f(x: str): ...\ndef f(x): pass\n",
            id="overloads",
        ),
        pytest.param("def f(): pass\nf = (lambda g: g)(f)\n", id="wrapped"),
        pytest.param("def _(): pass\ndef _(): pass\ndef f(): pass\n", id="underscore"),
    ],
)
def test_what_only_looks_like_a_second_definition_is_not_noted(load: Load, source: str) -> None:
    assert load(source, "f").report.notes == ()


@pytest.mark.parametrize("replacement", ["f = 3", "from math import tau as f", "f += 1"])
def test_a_target_that_something_else_replaces_is_noted(load: Load, replacement: str) -> None:
    loaded = load(f"def f(): pass\n{replacement}\n", "f")

    expected = (2, "`f` from line 1 is replaced here, and this is what counts")
    assert (expected in notes(loaded)) is (replacement != "f += 1")


def test_the_report_is_json_and_the_same_every_time(load: Load) -> None:
    source = "import pandas, tqdm\nx = 1 / 0\ndef f(: pass\nprint(3)\nclass A: pass\n"
    first, second = (load(source, "f", "A").report.encoded() for _ in range(2))

    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def test_a_file_that_is_empty_or_absent_misses_its_targets(load: Load) -> None:
    for files in ({FILE: ""}, {}):
        assert target(load(files, "f"), "f")["why"] == f"{FILE} does not define `f`"


def test_a_plan_needs_no_skip() -> None:
    plan: Any = LoadPlan({}, {}, {}, {})

    assert plan.skip == frozenset()


def test_a_file_of_another_assignment_is_recognised(load: Load) -> None:
    targets = {STEM: ("f",), "a2_masking": ("CausalAttention",)}
    wrong = load("class CausalAttention:\n    pass\n", targets=targets)
    right = load("class CausalAttention:\n    pass\n\ndef f(x):\n    return x\n", targets=targets)

    text = "this looks like a2_masking: it defines CausalAttention and nothing of a1_attention"
    assert notes(wrong) == [(None, f"{text}. Was the wrong file handed in?")]
    assert notes(right) == []


FORGOTTEN = "`torch` is used here and never imported: add `import torch` at the top of the file"


def test_an_import_that_was_forgotten_is_told_once(load: Load) -> None:
    """Three definitions fail over it, and a fourth would when it is called."""
    loaded = load(
        """\
        def f(x: torch.Tensor): return x
        def g(x: torch.Tensor): return x
        h = torch.zeros(2)
        def k(x): return torch.exp(x)
        """,
        "f",
        "h",
        "k",
    )

    assert problems(loaded) == [(FILE, 1, FORGOTTEN)]
    assert notes(loaded) == []
    assert target(loaded, "k")["kind"] == "function"


def test_an_import_that_only_calls_will_miss_is_told_where_it_is_used(load: Load) -> None:
    source = "import torch\n\ndef f(x):\n    y = torch.exp(x)\n    return F.relu(y) + F.relu(x)\n"

    assert problems(load(source, "f")) == [
        (
            FILE,
            5,
            "`F` is used here and never imported: add `import torch.nn.functional as F` at the "
            "top of the file",
        )
    ]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("from torch import nn\ndef f(x): return nn.Module", id="imported"),
        pytest.param("def f(F): return F.relu", id="parameter"),
        pytest.param("def f(x):\n    import math\n    return math.pi", id="inside"),
        pytest.param("def f(x): return x.np", id="attribute"),
        pytest.param("def f(x): return nowhere", id="no usual name"),
    ],
)
def test_what_is_there_is_not_missed(load: Load, source: str) -> None:
    assert problems(load(source, "f")) == []


def test_a_name_that_is_only_bound_later_was_not_forgotten(load: Load) -> None:
    [(_, line, text)] = problems(load("def f(x: np.ndarray): return x\nimport numpy as np\n", "f"))

    assert (line, "NameError: name 'np' is not defined" in text) == (1, True)
