"""Modules of another subject, stored in many ways: which are taken for what, and which for none."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from grader.judge.bind import Group, Home, Layout, Roles, comparison, search
from grader.judge.bind.forms import Piece
from grader.judge.bind.instances import ParameterVector
from grader.judge.bind.layers import Layer
from grader.judge.bind.plan import MAX_TRIALS_KEPT, Plan
from grader.judge.bind.roles import Alternative
from grader.judge.bind.storages import StorageChoice, Trial
from grader.judge.calls.faults import CheckFailed, StudentFault, TimedOut
from grader.judge.calls.handles import RemoteModule
from grader.judge.calls.module_description import ParameterSpec
from grader.judge.checks.expect import Expect
from grader.judge.checks.probe import MatchedPair, Probe
from grader.judge.reference.memo import Memo, Reference
from tests.support.clients import Definitions, local_client, student_of

REFERENCE = """
    import torch
    from torch import nn

    class Fader(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.power = 2.0
            self.bright = nn.Linear(size, 2 * size)
            self.dark = nn.Linear(size, 2 * size)
            self.mix = nn.Linear(2 * size, 3)

        def forward(self, pixels):
            bright, dark = self.bright(pixels), self.dark(pixels)
            return self.mix(bright * torch.sigmoid(dark) ** self.power)
"""
MIX = """
            return self.mix(bright * torch.sigmoid(dark) ** 2)
"""
HEAD = """
    import torch
    from torch import nn

    class Fader(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.mix = nn.Linear(2 * size, 3)
"""
PACKED = """
            self.both = nn.Linear(size, 4 * size)

        def forward(self, pixels):
            {split}
            return self.mix(bright * torch.sigmoid(dark) ** 2)
"""
STUDENTS = {
    "packed": HEAD + PACKED.format(split="bright, dark = self.both(pixels).chunk(2, -1)"),
    "packed the other way round": HEAD
    + PACKED.format(split="dark, bright = self.both(pixels).chunk(2, -1)"),
    "interleaved": HEAD
    + PACKED.format(split="bright, dark = self.both(pixels).unflatten(-1, (-1, 2)).unbind(-1)"),
    "nameless": HEAD
    + """
            self.a = nn.Linear(size, 2 * size)
            self.b = nn.Linear(size, 2 * size)

        def forward(self, pixels):
            bright, dark = self.b(pixels), self.a(pixels)
"""
    + MIX,
    "aliases in another order": HEAD
    + """
            self.darkness = nn.Linear(size, 2 * size)
            self.brightness = nn.Linear(size, 2 * size)

        def forward(self, pixels):
            bright, dark = self.brightness(pixels), self.darkness(pixels)
"""
    + MIX,
    "bare parameters": HEAD
    + """
            self.bright = nn.Parameter(torch.zeros(size, 2 * size))
            self.dark = nn.Parameter(torch.zeros(size, 2 * size))
            self.bright_bias = nn.Parameter(torch.zeros(2 * size))
            self.dark_bias = nn.Parameter(torch.zeros(2 * size))

        def forward(self, pixels):
            bright = pixels @ self.bright + self.bright_bias
            dark = pixels @ self.dark + self.dark_bias
"""
    + MIX,
}
SAYS = {
    "packed": "bright and dark are packed as (r o)",
    "packed the other way round": "bright and dark are packed as (r o), in the order dark, bright",
    "interleaved": "bright and dark are packed as (o r)",
    "nameless": "Fader has names of its own; taken a as dark, b as bright",
    "aliases in another order": (
        "Fader has names of its own; taken brightness as bright, darkness as dark"
    ),
    "bare parameters": "bright and dark are bare",
}


def _cube(module: Any) -> None:
    module.power = 3.0


FADER = Group(
    name="bright and dark",
    axes="r o i",
    bias_axes="r o",
    roles=("bright", "dark"),
    exchangeable=True,
    aliases={"bright": ("bright(ness|_bias)?",), "dark": ("dark(ness|_bias)?",)},
    homes={"Fader": Home("r | o i", ("bright", "dark"))},
    layouts=(
        Layout("(r o) i", "bright and dark are packed as (r o)"),
        Layout("(o r) i", "bright and dark are packed as (o r)"),
        Layout("r | i o", "bright and dark are bare", raw=True),
    ),
)
ROLES = Roles((FADER,), alternatives=(Alternative("fades by cubes", lambda m: True, _cube),))


class CheckContext:
    """A student's file, the reference, and what a check has at hand."""

    def __init__(
        self, source: str, seed: int = 2, roles: Roles = ROLES, reference: str = REFERENCE
    ) -> None:
        client, module = local_client(source)
        _, truth = local_client(reference)
        memo = Memo()
        self.client = client
        self.expect = Expect(client, memo, seed=1)
        student = student_of(client, Definitions(module))
        self.reference = Reference(truth, memo, roles)
        self.probe = Probe(seed, student, self.reference, memo, client.known)
        self.pair = self.probe.pair("Fader", 5)
        self.pixels = self.probe.randn(4, 5)

    def compare(self) -> None:
        self.expect.matches(self.pair.student, self.pair.reference, self.pixels)


@pytest.mark.parametrize("name", STUDENTS)
def test_another_way_of_storing_is_as_right_and_is_told(name: str) -> None:
    context = CheckContext(STUDENTS[name])
    context.compare()
    assert SAYS[name] in context.probe.notes
    assert context.expect.record.precision == "float64"


@pytest.mark.parametrize("name", STUDENTS)
def test_gradients_are_compared_by_role(name: str) -> None:
    context = CheckContext(STUDENTS[name])
    context.expect.gradients(context.pair.student, context.pair.reference, context.pixels)


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [("** 2", "* 2"), ("sigmoid", "tanh"), ("bright * ", "dark * "), ("(dark)", "(-dark)")],
)
def test_no_way_of_storing_makes_a_wrong_answer_right(name: str, right: str, wrong: str) -> None:
    source = STUDENTS[name].replace(right, wrong)
    assert source != STUDENTS[name]
    with pytest.raises(CheckFailed):
        CheckContext(source).compare()


def test_names_of_the_contract_are_taken_at_their_word() -> None:
    exchanged = REFERENCE.replace("bright, dark = self", "dark, bright = self")
    assert exchanged != REFERENCE
    with pytest.raises(CheckFailed):
        CheckContext(exchanged).compare()
    CheckContext(REFERENCE).compare()


def test_names_of_the_contract_cost_no_search() -> None:
    context = CheckContext(REFERENCE)
    calls = context.client.calls
    context.compare()
    assert context.client.calls == calls + 1
    assert len(context.reference.plans) == 0 and context.client.known.choices == {}
    assert context.probe.notes == []


def test_another_right_reference_is_accepted_with_a_note() -> None:
    context = CheckContext(REFERENCE.replace("self.power = 2.0", "self.power = 3.0"))
    context.compare()
    assert context.probe.notes == ["fades by cubes"]
    with pytest.raises(CheckFailed):
        CheckContext(REFERENCE.replace("self.power = 2.0", "self.power = 4.0")).compare()


def test_what_was_found_out_does_not_hang_on_the_check_that_asked() -> None:
    choices = [CheckContext(STUDENTS["interleaved"], seed) for seed in (2, 3)]
    for context in choices:
        context.compare()
    first, second = (list(context.client.known.choices.values()) for context in choices)
    assert first == second != []


def test_a_search_is_made_once_for_a_submission() -> None:
    context = CheckContext(STUDENTS["interleaved"].replace("** 2", "* 2"))
    for _ in range(2):
        with pytest.raises(CheckFailed):
            context.compare()
    assert list(context.client.known.choices.values()) == [None]


def test_without_roles_only_the_names_are_free() -> None:
    CheckContext(STUDENTS["aliases in another order"].replace("darkness", "z_dark"), roles=Roles())
    with pytest.raises(CheckFailed) as caught:
        CheckContext(STUDENTS["packed"], roles=Roles())
    assert caught.value.observed == (
        "Fader has no parameters for bright.weight (10, 5), bright.bias (10,) and 2 more; "
        "it has mix.weight (3, 10), mix.bias (3,), both.weight (20, 5), both.bias (20,)"
    )


def test_a_group_is_looked_for_only_in_modules_that_keep_it() -> None:
    """A class may keep a group in some of its modules, such as those where two widths agree."""

    def roles(width: int) -> Roles:
        def is_wide(module: Any) -> bool:
            return bool(module.bright.in_features == width)

        home = replace(FADER.homes["Fader"], applies=is_wide)
        return Roles((replace(FADER, homes={"Fader": home}),))

    CheckContext(STUDENTS["packed"], roles=roles(5)).compare()
    with pytest.raises(CheckFailed):
        CheckContext(STUDENTS["packed"], roles=roles(6)).compare()


NO_BIAS = ("nn.Linear(size, 2 * size)", "nn.Linear(size, 2 * size, bias=False)")


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ([NO_BIAS], ("layers.no_bias", "`darkness` has no bias, and should have one")),
        (
            [("nn.Linear(2 * size, 3)", "nn.Linear(size, 3)")],
            ("layers.other_size", "`mix` has another size than what it has to hold"),
        ),
        (
            [("self.brightness = nn.Linear(size, 2 * size)", "self.brightness = self.darkness")],
            ("layers.shared", "one layer stands in several places"),
        ),
        (
            [("self.darkness = nn.Linear(size, 2 * size)", "self.all = [nn.Linear(size, size)]")],
            ("layers.not_registered", "layers in a plain list"),
        ),
    ],
)
def test_a_module_without_room_shows_how_a_layer_differs(
    changes: list[tuple[str, str]], shown: tuple[str, str]
) -> None:
    source = STUDENTS["aliases in another order"]
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    with pytest.raises(CheckFailed) as caught:
        CheckContext(source)
    assert caught.value.shows is not None
    id, text = caught.value.shows
    assert (id, text[: len(shown[1])]) == shown
    assert not any(map(str.isdigit, text))


@pytest.mark.parametrize("beside", [False, True])
def test_a_bias_is_missed_however_the_weights_are_stored(beside: bool) -> None:
    """Where another layer is left over as well, that one may be what should not be there."""
    source = STUDENTS["packed"].replace("4 * size)", "4 * size, bias=False)")
    if beside:
        source = source.replace(
            "self.both =", "self.other = nn.Linear(size, 7)\n            self.both ="
        )
    with pytest.raises(CheckFailed) as caught:
        CheckContext(source)
    told = ("layers.no_bias", "`both` has no bias, and should have one")
    assert caught.value.shows == (None if beside else told)


def test_one_of_several_layers_is_not_told_to_have_another_size() -> None:
    """One for each feature, or for each head, holds a share."""
    source = STUDENTS["aliases in another order"].replace(
        "nn.Linear(size, 2 * size)", "nn.ModuleList(nn.Linear(size, 1) for _ in range(size))", 1
    )
    with pytest.raises(CheckFailed) as caught:
        CheckContext(source)
    assert caught.value.shows is None


def test_a_bias_that_the_reference_does_not_have_is_told() -> None:
    without = REFERENCE.replace("nn.Linear(2 * size, 3)", "nn.Linear(2 * size, 3, bias=False)")
    with pytest.raises(CheckFailed) as caught:
        CheckContext(REFERENCE.replace("self.mix", "self.blend"), reference=without)
    assert caught.value.shows == ("layers.bias", "`blend` has a bias, and should have none")


@pytest.mark.parametrize("name", ["dark", "darkness"])
def test_the_layer_that_is_missing_is_the_one_whose_name_is(name: str) -> None:
    """The one that is left was taken for the first of its shape, and the other one missed."""
    source = STUDENTS["aliases in another order"].replace("self.brightness(", "self.darkness(")
    source = source.replace("self.brightness = nn.Linear(size, 2 * size)", "")
    with pytest.raises(CheckFailed) as caught:
        CheckContext(source.replace("darkness", name))
    assert caught.value.observed.startswith("Fader has no parameters for bright.weight (10, 5)")
    assert f"{name}.weight (10, 5)" in caught.value.observed
    assert caught.value.lacks == ("bright.weight (10, 5)", "bright.bias (10,)")


def test_a_second_name_for_a_layer_is_no_reason_why_it_has_no_bias() -> None:
    source = STUDENTS["aliases in another order"].replace(*NO_BIAS, 1)
    named = "self.dark_layer = self.darkness\n            self.brightness ="
    with pytest.raises(CheckFailed) as caught:
        CheckContext(source.replace("self.brightness =", named))
    assert caught.value.shows is not None
    assert caught.value.shows[0] == "layers.no_bias"


def test_a_layer_that_is_not_there_shows_nothing() -> None:
    with pytest.raises(CheckFailed) as caught:
        CheckContext(STUDENTS["packed"], roles=Roles())
    assert caught.value.shows is None


@pytest.mark.parametrize(
    ("forward", "shown"),
    [
        ("return self.more(self.mix(bright))", "more.weight, more.bias"),
        ("return self.mix(bright) * torch.sigmoid(dark)[..., :3]", None),
        ("return self.more(self.mix(bright)) + torch.rand(1)", None),
    ],
    ids=["used", "not used", "chance"],
)
def test_a_layer_too_many_is_the_reason_only_if_it_changes_what_comes_out(
    forward: str, shown: str | None
) -> None:
    more = REFERENCE.replace(
        "self.mix = nn.Linear(2 * size, 3)",
        "self.mix = nn.Linear(2 * size, 3)\n            self.more = nn.Linear(3, 3)",
    )
    start = more.index("return self.mix")
    context = CheckContext(more[:start] + forward + "\n")
    with pytest.raises(CheckFailed):
        context.compare()
    reason = context.expect.record.details.reason
    told = f"the output depends on parameters that nothing here asks for: {shown}"
    assert reason == (("layers.too_many", told) if shown else None)


def test_a_layer_by_the_name_of_a_role_is_of_another_size_and_not_too_many() -> None:
    """The layer of the bright is as large as both together, and was taken for both."""
    both = (
        "self.bright = nn.Linear(size, 4 * size)\n            self.dark = nn.Linear(size, 4 * size)"
    )
    split = "bright = self.bright(pixels)[..., : 2 * self.size]"
    forward = f"\n\n        def forward(self, pixels):\n            {split}"
    source = HEAD + f"            self.size = size\n            {both}" + forward
    source += "\n            dark = self.dark(pixels)[..., : 2 * self.size]" + MIX
    context = CheckContext(source)
    with pytest.raises(CheckFailed):
        context.compare()
    assert context.expect.record.details.reason is None


def test_a_module_that_ends_when_it_is_asked_more_keeps_the_words_of_its_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def crashed(*_: object) -> str:
        raise StudentFault("the worker is gone")

    monkeypatch.setattr(MatchedPair, "needs_extra", crashed)
    more = "self.mix = nn.Linear(2 * size, 3)\n            self.more = nn.Linear(3, 3)"
    source = REFERENCE.replace("self.mix = nn.Linear(2 * size, 3)", more)
    with pytest.raises(CheckFailed) as caught:
        CheckContext(source.replace("bright * torch", "2 * bright * torch")).compare()
    assert "; Fader has parameters too many: more.weight (3, 3)" in caught.value.observed


def test_axes_of_length_1_count_only_where_a_layout_says_so() -> None:
    linear = Layer("mix", ("mix.weight",), ((5, 4),), raw=False)
    with_heads = Layer("mix", ("mix.weight",), ((5, 1, 4),), raw=False)
    piece = Piece((torch.zeros(5, 1, 4),), raw=False, home="", words=())
    assert linear.fits(piece) and with_heads.fits(piece)
    assert not linear.fits(replace(piece, exact=True))
    assert with_heads.fits(replace(piece, exact=True))


def test_a_shared_layer_is_told_from_a_missing_one() -> None:
    shared = STUDENTS["nameless"].replace("self.b = nn.Linear(size, 2 * size)", "self.b = self.a")
    with pytest.raises(CheckFailed) as caught:
        CheckContext(shared)
    assert caught.value.observed.endswith(": `b` is the same object as `a`")


def test_parameters_too_many_are_named() -> None:
    extra = STUDENTS["packed"].replace(
        "self.both =", "self.more = nn.Linear(3, 3)\n            self.both ="
    )
    CheckContext(extra).compare()
    wrong = extra.replace("return self.mix(", "return self.more(self.mix(").replace(
        "** 2)", "** 2))"
    )
    with pytest.raises(CheckFailed) as caught:
        CheckContext(wrong).compare()
    assert "; Fader has parameters too many: more.weight (3, 3), more.bias (3,)" in (
        caught.value.observed
    )


def test_a_layout_that_loses_numbers_is_the_authors_fault() -> None:
    twice = Layout("(r o) i", raw=False, order=lambda t: t[:, :1].expand_as(t))
    group = Group(**{**vars(FADER), "layouts": (twice,)})
    with pytest.raises(ValueError, match=r"roles.py: a layout does not hold every number"):
        CheckContext(STUDENTS["packed"], roles=Roles((group,)))


def test_weights_hold_the_drawn_numbers_in_the_students_layout() -> None:
    context = CheckContext(STUDENTS["packed"])
    state = context.pair.student.state()
    wanted = torch.cat([context.pair.reference.bright.weight, context.pair.reference.dark.weight])
    assert torch.equal(state["both.weight"], wanted)


@pytest.mark.parametrize(
    ("layers", "words"), [(2000, 100), (900, 16)], ids=["too many", "as many as may be"]
)
def test_a_module_of_thousands_of_layers_is_refused_quickly(layers: int, words: int) -> None:
    """Its parameters have the shapes of roles and names that patterns could dwell on."""
    many = (
        HEAD
        + f"""
            for number in range({layers}):
                setattr(self, str(number) + "bright_" * {words}, nn.Linear(size, 2 * size))

        def forward(self, pixels):
            return pixels
"""
    )
    started = time.perf_counter()
    with pytest.raises(CheckFailed):
        CheckContext(many).compare()
    assert time.perf_counter() - started < 20


def test_a_module_that_dawdles_is_not_searched_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "LIMIT_S", 0.1)
    monkeypatch.setattr(search, "_any_can_agree", lambda *given: True)
    sleep = "__import__('time').sleep(0.1); bright, dark ="
    slow = STUDENTS["packed"].replace("bright, dark =", sleep)
    context = CheckContext(slow.replace("** 2", "* 2"))
    with pytest.raises(TimedOut):
        context.compare()
    with pytest.raises(CheckFailed):
        context.compare()


def test_a_wrong_answer_is_known_by_one_trial() -> None:
    """Numbers that are stored alike in every form tell it, and no form has to be tried."""
    context = CheckContext(STUDENTS["packed"].replace("** 2", "* 2"))
    trials, real = itertools.count(), RemoteModule.__call__

    def counted(module: RemoteModule, *args: Any, **kwargs: Any) -> Any:
        next(trials)
        return real(module, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(CheckFailed):
        patch.setattr(RemoteModule, "__call__", counted)
        context.compare()
    assert next(trials) == 2, "the check itself, and one trial"


def test_a_trial_is_made_once_for_all_that_are_stored_alike() -> None:
    """Of everybody in a class, and in every check: what is wanted of it is computed once."""
    wrong = STUDENTS["packed"].replace("** 2", "* 2")
    plan = CheckContext(wrong).pair.binding.plan
    made: list[int] = []

    def make() -> Trial:
        made.append(len(made))
        return Trial((), {}, {}, [len(made)])

    assert [plan.trial(key, make).wanted for key in ("a", "b", "a")] == [[1], [2], [1]]
    assert len(made) == 2
    for number in range(MAX_TRIALS_KEPT):
        plan.trial(number, make)
    assert plan.trial("a", make).wanted == [len(made)], "no plan grows for ever"


def test_numbers_alike_within_an_orbit_are_stored_alike_in_every_form() -> None:
    context = CheckContext(STUDENTS["packed"])
    plan = context.pair.binding.plan
    (storage,) = plan.storages
    ((kind, numbers),) = [each for each in storage.forms.items() if len(each[1]) > 1]
    assert len(numbers) == 4, "two orders of the roles in two packings"
    first = {each: forms[0] for each, forms in storage.forms.items()}
    drawn = torch.randn(plan.vector.length)
    alike = drawn[plan.orbits(kind, numbers)]
    stored = [
        torch.cat([places for _, places in sorted(plan.places(one).items())])
        for one in (StorageChoice(0, {**first, kind: n}) for n in numbers)
    ]
    assert all(torch.equal(alike[places], alike[stored[0]]) for places in stored)
    assert not any(torch.equal(drawn[places], drawn[stored[0]]) for places in stored[1:])
    assert len(set(alike.tolist())) == 3 * 10 + 3 + 5 + 1, (
        "mix as it was, one vector of weights, one bias"
    )


def test_modules_without_parameters_have_matched_pairs_too() -> None:
    source = "from torch import nn\n\nclass Fader(nn.Module):\n"
    source += "    def __init__(self, size):\n        super().__init__()\n"
    source += "    def forward(self, pixels):\n        return pixels * 2\n"
    client, module = local_client(source)
    memo = Memo()
    reference = Reference(module, memo, ROLES)
    student = student_of(client, Definitions(module))
    pair = Probe(2, student, reference, memo).pair("Fader", 5)
    Expect(client, memo, 1).matches(pair.student, pair.reference, torch.ones(2, 3))


@pytest.mark.parametrize("name", STUDENTS)
def test_weights_can_be_changed_afterwards_by_role(name: str) -> None:
    context = CheckContext(STUDENTS[name])
    context.compare()
    before = context.pair.reference(context.pixels)
    context.pair.write({"dark.weight": context.probe.randn(10, 5)})
    context.compare()
    assert not torch.allclose(context.pair.reference(context.pixels), before)


def test_numbers_alike_in_common_are_stored_alike_in_every_storage() -> None:
    """A module with both ways at home can have them the other way round."""
    pair = nn.ModuleDict({"one": _Both(), "other": _Apart()})
    home = {"_Both": Home("(r o) i", ("both",)), "_Apart": Home("r | o i", ("bright", "dark"))}
    layouts = (*FADER.layouts, Layout("r | o i", "bright and dark are apart"))
    roles = Roles((replace(FADER, homes=home, layouts=layouts),))
    specs = [
        ParameterSpec(name, parameter.dtype, tuple(parameter.shape), True)
        for name, parameter in pair.named_parameters()
    ]
    plan = Plan(pair, specs, roles, ParameterVector(pair))
    assert len(plan.storages) == 2
    assert plan.common_orbits is not None
    drawn = torch.randn(plan.vector.length)
    alike, stored = drawn[plan.common_orbits], []
    for number, storage in enumerate(plan.storages):
        for forms in itertools.product(*storage.forms.values()):
            choice = StorageChoice(number, dict(zip(storage.forms, forms, strict=True)))
            stored.append({name: alike[at] for name, at in plan.places(choice).items()})
    assert len(stored) > len(plan.storages)
    for one in stored:
        assert all(torch.equal(values, stored[0][name]) for name, values in one.items())


class _Both(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.both = nn.Linear(3, 4)


class _Apart(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bright, self.dark = nn.Linear(3, 2), nn.Linear(3, 2)
