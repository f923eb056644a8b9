"""When a known mistake is named, and when what was seen does not say which one it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

from grader.course.misconceptions import Misconception, Origin
from grader.grade.evidence import Cause, Outcome
from grader.judge.checks.check_trace import (
    NOT_REFUSED,
    CheckTrace,
    FailedComparison,
    tells_apart,
)
from grader.judge.checks.checks import Check
from grader.judge.diagnose.case import Case
from grader.judge.diagnose.dictionary import Dictionary
from grader.judge.mutants.mutants import KnownMistake

Traces = Mapping[str, CheckTrace]
X = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
OURS, THEIRS = (("qkv", (9, 3)),), (("q", (3, 3)), ("k", (3, 3)), ("v", (3, 3)))
CHECKS = ("one", "two", "checkpoint", "modes")
RIGHT: dict[str, CheckTrace] = {name: CheckTrace(Outcome.PASSED, (X,)) for name in CHECKS}


class OneCheck:
    """As much of a check as naming looks at."""

    fresh = alone = False

    def __init__(self, name: str) -> None:
        self.id = name
        self.criterion = name.rpartition("/")[0]


ALL = {name: cast(Check, OneCheck(name)) for name in CHECKS}


def failed(*seen: object, drawn: tuple[object, ...] = ()) -> CheckTrace:
    return CheckTrace(Outcome.FAILED, seen, "", drawn)


class Bank:
    """Mistakes by id, and what each check sees of them."""

    def __init__(self, made: Mapping[str, Traces]) -> None:
        self._made = made

    def of(self, *asked: Any) -> Any:
        if asked == ("slug",):
            return {
                id: frozenset(n for n, t in traces.items() if t.outcome is Outcome.FAILED)
                for id, traces in self._made.items()
            }
        if len(asked) == 1:
            return [known(id) for id in self._made]
        mistake, check = asked[:2]
        return self._made[mistake.entry.id].get(check.id, RIGHT[check.id])

    def reaching(self, stem: str) -> Any:
        return self.of(stem)

    def both(self, *pair: KnownMistake) -> KnownMistake | None:
        return None

    def right(self, check: Check, *draw: object) -> CheckTrace:
        return RIGHT[check.id]

    def changes(
        self, _mistake: object, check: Check, _digest: str, made: CheckTrace, *_draw: object
    ) -> bool:
        return tells_apart(made, RIGHT[check.id])

    def using_what_is_banned(self, slug: str) -> frozenset[str]:
        return frozenset({"torchs_own"})


def known(id: str) -> KnownMistake:
    return KnownMistake("a1", Misconception(id, (), "f", (), (), id), Origin("", {}))


def named(bank: Bank, student: Traces, again: CheckTrace | None = None) -> dict[str, list[str]]:
    traces = {ALL[name]: student.get(name, RIGHT[name]) for name in CHECKS}
    failing = {c: t for c, t in traces.items() if t.outcome is Outcome.FAILED}
    passing = {c: t for c, t in traces.items() if c not in failing}
    case = Case("slug", "a1", "", failing, passing, lambda check, draw: again)
    causes = Dictionary(*cast(Any, (bank, bank, bank))).causes(case, ())
    return {check: [cause.id for cause in own] for check, own in causes.items()}


WRONG = {"one": failed(X / 2), "two": failed(X / 3)}


def test_a_mistake_that_gives_all_numbers_is_named() -> None:
    assert named(Bank({"m": WRONG}), WRONG) == {"one": ["m"], "two": ["m"]}


def test_a_mistake_that_gives_another_number_is_not() -> None:
    assert named(Bank({"m": WRONG}), {**WRONG, "two": failed(X / 4)}) == {}


def test_a_passing_check_in_which_a_mistake_changes_nothing_says_nothing_of_it() -> None:
    """A finite gradient of a row that nobody reads was another number, and hid the mistake."""
    free = replace(RIGHT["modes"], compared=(X / 9,))
    assert named(Bank({"m": WRONG}), {**WRONG, "modes": free})["one"] == ["m"]
    changed = {**WRONG, "modes": replace(RIGHT["modes"], compared=(X / 5,))}
    assert named(Bank({"m": changed}), {**WRONG, "modes": free}) == {}


def test_weights_under_other_names_speak_neither_for_a_mistake_nor_against_it() -> None:
    mistake = {**WRONG, "checkpoint": failed(X + 1, drawn=OURS)}
    student = {**WRONG, "checkpoint": failed(X + 2, drawn=THEIRS)}
    assert named(Bank({"m": mistake}), student)["one"] == ["m"]
    alike = {**WRONG, "checkpoint": failed(X + 2, drawn=OURS)}
    assert named(Bank({"m": mistake}), alike) == {}


def test_a_mistake_in_the_same_weights_is_named_before_one_in_others() -> None:
    """Two norms, of which one is missing: by the other one a check compared nothing."""
    student = {**WRONG, "checkpoint": failed(X + 1, drawn=OURS)}
    other = {**WRONG, "checkpoint": failed(X + 2, drawn=THEIRS)}
    assert named(Bank({"same": student, "other": other}), student)["one"] == ["same"]
    assert named(Bank({"other": other, "another": other}), student)["one"] == ["other", "another"]


def test_a_module_that_lacks_another_layer_has_not_made_that_mistake() -> None:
    """Of neither any number was compared, which is no agreement, however near one looks."""
    norm1, norm2 = (failed(drawn=([f"norm{n}.weight (4,)"],)) for n in (1, 2))
    size = failed("1860 numbers")
    student = {"one": norm1, "two": norm1, "modes": size}
    assert named(Bank({"m": {"one": norm2, "two": norm2, "modes": size}}), student) == {}
    assert named(Bank({"m": student}), student)["one"] == ["m"]


def test_right_numbers_before_a_refusal_are_no_wider_mistake() -> None:
    """Dropout on the scores was named as dropout that is never applied."""
    refused = {"one": failed(X, "no change"), "two": failed(X, "no change")}
    assert named(Bank({"unused": {**refused, "modes": failed(X / 2)}}), refused) == {}


def test_of_wider_mistakes_only_what_is_seen_of_them_is_told() -> None:
    """A fill of -1e9 was also named as one that spoils float masks, which were right."""
    narrow = {**WRONG, "modes": failed(X / 5)}
    bank = Bank({"narrow": narrow, "wider": {**narrow, "checkpoint": failed(X / 7)}})
    assert named(bank, WRONG) == {"one": ["narrow"], "two": ["narrow"]}


@pytest.mark.parametrize("mistake", [{}, {"one": failed(X / 2)}])
def test_what_is_right_or_seen_once_is_no_cause(mistake: Traces) -> None:
    assert named(Bank({"m": mistake}), WRONG) == {}


def test_of_two_mistakes_one_is_named_at_its_own_checks() -> None:
    both = {**WRONG, "modes": failed(X / 5)}
    assert named(Bank({"m": WRONG}), both) == {"one": ["m"], "two": ["m"]}


def test_a_share_is_no_cause_where_one_of_its_checks_saw_another_number() -> None:
    both = {**WRONG, "two": failed(X / 4), "modes": failed(X / 5)}
    assert named(Bank({"m": WRONG}), both) == {}


def test_a_share_may_have_a_check_that_cannot_be_compared() -> None:
    mistake = {**WRONG, "checkpoint": failed(X + 1, drawn=OURS)}
    student = {**WRONG, "checkpoint": failed(X + 2, drawn=THEIRS), "modes": failed(X / 5)}
    three = ["one", "two", "checkpoint"]
    assert sorted(named(Bank({"m": mistake}), student)) == sorted(three)


def test_a_share_that_only_one_check_saw_asks_for_another_draw() -> None:
    mistake = {"one": failed(X / 2), "checkpoint": failed(X + 1, drawn=OURS)}
    student = {**mistake, "checkpoint": failed(X + 2, drawn=THEIRS), "modes": failed(X / 5)}
    assert named(Bank({"m": mistake}), student) == {}
    drawn = {**mistake, "one": CheckTrace(Outcome.FAILED, (X / 2,), drew=True)}
    again = CheckTrace(Outcome.FAILED, (X / 2,))
    assert named(Bank({"m": drawn}), student, again)["one"] == ["m"]
    other = CheckTrace(Outcome.FAILED, (X / 4,))
    assert named(Bank({"m": drawn}), student, other) == {}


class DrawsOnly(Bank):
    """A mistake that shows in some draws of a check's inputs, and not in others."""

    def __init__(self, shown_in: str) -> None:
        super().__init__({"m": {"one": CheckTrace(Outcome.FAILED, (X / 2,), drew=True)}})
        self.shown_in = ("", shown_in)

    def of(self, *asked: Any) -> Any:
        made = super().of(*asked)
        if len(asked) == 4 and asked[3].inputs not in self.shown_in:
            return CheckTrace(Outcome.PASSED, (X,), drew=True)
        return made


@pytest.mark.parametrize(
    ("shown_in", "told"), [("a third time", ["m"]), ("never", [])], ids=["third", "never"]
)
def test_a_draw_in_which_a_mistake_changes_nothing_is_no_probe(
    shown_in: str, told: list[str]
) -> None:
    """top_p by the shares before top_k changes nothing where top_k leaves enough of them."""
    student = {"one": CheckTrace(Outcome.FAILED, (X / 2,), drew=True)}
    again = CheckTrace(Outcome.FAILED, (X / 2,))
    # Three numbers in a tensor are not enough by themselves.
    few = {"one": replace(student["one"], compared=(X[0, :3] / 2,))}
    bank = DrawsOnly(shown_in)
    bank._made = {"m": few}
    found = named(bank, few, replace(again, compared=(X[0, :3] / 2,)))
    assert found.get("one", []) == told


def test_a_share_that_one_check_alone_can_see_is_no_cause() -> None:
    """Fills of -1e9 and of the lowest number were named for one another."""
    drawn = {"one": CheckTrace(Outcome.FAILED, (X / 2,), drew=True)}
    again = CheckTrace(Outcome.FAILED, (X / 2,))
    assert named(Bank({"m": drawn}), {**drawn, "modes": failed(X / 5)}, again) == {}


def test_other_words_of_an_error_are_no_other_layout() -> None:
    raised = CheckTrace(Outcome.FAILED, (X,), "one error")
    mistake = {**WRONG, "checkpoint": replace(raised, error_text="another")}
    student = {**WRONG, "checkpoint": raised, "modes": failed(X / 5)}
    assert named(Bank({"m": mistake}), student) == {}


MISSPELT = CheckTrace(Outcome.FAILED, ("AttributeError",), "no attribute 'mask_fill'")
BOTH = {**WRONG, "checkpoint": MISSPELT, "modes": MISSPELT}


def test_a_name_that_does_not_exist_is_a_share_and_hides_no_wrong_number() -> None:
    """Notebook 003 has `mask_fill` and a wrong scale: neither was named beside the other."""
    misspelt = {"checkpoint": MISSPELT, "modes": MISSPELT}
    scale = {**WRONG, "modes": failed(X / 5)}
    own = {"one": ["s"], "two": ["s"], "checkpoint": ["m"]}
    assert named(Bank({"m": misspelt, "s": WRONG}), BOTH) == {**own, "modes": ["m"]}
    assert named(Bank({"m": misspelt, "s": scale}), BOTH) == {**own, "modes": ["m"]}


def test_of_two_that_give_the_same_numbers_the_one_that_has_to_fail_less_is_named() -> None:
    """Beside `~` on a float mask, NaN was named as another reading of float masks as well."""
    misspelt = {"checkpoint": MISSPELT, "modes": MISSPELT}
    more = {**WRONG, "modes": failed(X / 5)}
    causes = named(Bank({"m": misspelt, "s": WRONG, "more": more}), BOTH)
    assert causes == {"one": ["s"], "two": ["s"], "checkpoint": ["m"], "modes": ["m"]}


def test_an_exception_in_other_words_is_no_share() -> None:
    others = CheckTrace(Outcome.FAILED, ("AttributeError",), "no attribute 'maskfill'")
    sizes = CheckTrace(Outcome.FAILED, ("RuntimeError",), "no attribute 'mask_fill'")
    for trace in (others, sizes):
        bank = Bank({"m": {"checkpoint": trace, "modes": trace}})
        assert named(bank, BOTH) == {}
        assert named(bank, {**WRONG, "checkpoint": sizes, "modes": sizes}) == {}


@pytest.mark.parametrize(("banned", "told"), [(True, ["m", "torchs_own"]), (False, ["m"])])
def test_what_is_banned_is_named_only_to_whoever_writes_it(banned: bool, told: list[str]) -> None:
    """Dropout in eval mode was also named as torch's own attention, which was nowhere in sight."""
    failing = {ALL[name]: trace for name, trace in WRONG.items()}
    bank = Bank({"m": WRONG, "torchs_own": WRONG})
    case = Case(
        "slug", "a1", "", failing, {}, lambda check, draw: None, names_what_is_banned=banned
    )
    causes = Dictionary(*cast(Any, (bank, bank, bank))).causes(case, ())
    assert [cause.id for cause in causes["one"]] == told


def test_whoever_passes_much_of_what_a_mistake_fails_has_made_another() -> None:
    """Dropout on the scores failed half of the checks of a dropout that is never used."""
    more = {**WRONG, "modes": failed(X / 5)}
    much_more = {**more, "checkpoint": failed(X / 7)}
    assert named(Bank({"m": more}), WRONG) == {"one": ["m"], "two": ["m"]}
    assert named(Bank({"m": much_more}), WRONG) == {}


def test_beside_another_mistake_numbers_may_differ_as_those_of_right_programs_do() -> None:
    """A 1e-8 that is added to each sum hid that two arguments were ignored."""
    student = {**WRONG, "modes": failed(X / 5)}
    near, far = ({n: failed(X / d + gap) for n, d in (("one", 2), ("two", 3))} for gap in (1e-6, 1))
    assert named(Bank({"m": near}), student) == {"one": ["m"], "two": ["m"]}
    assert named(Bank({"m": far}), student) == {}


@pytest.mark.parametrize(("gap", "told"), [(1e-6, {}), (1.0, {"one": ["m"], "two": ["m"]})])
def test_what_is_nearly_right_is_told_by_the_last_digits_or_not_at_all(
    gap: float, told: dict[str, list[str]]
) -> None:
    """A GELU by tanh was named as an eps that is too large: both differ in the sixth digit."""
    seen = FailedComparison(X + gap, X)
    student = {n: replace(failed(X + gap), failure=seen) for n in ("one", "two")}
    other = {n: failed(X + gap + 1e-6) for n in ("one", "two")}
    assert named(Bank({"m": other}), student) == told
    assert named(Bank({"m": student}), student) == {"one": ["m"], "two": ["m"]}


REFUSED_NOTHING = CheckTrace(Outcome.FAILED, (f"{NOT_REFUSED}a result",))


@pytest.mark.parametrize("trace", [failed(X / 2), REFUSED_NOTHING], ids=["numbers", "no error"])
def test_one_check_that_draws_nothing_is_enough_if_nothing_else_is_wrong(trace: CheckTrace) -> None:
    mistake = {"one": trace}
    assert named(Bank({"m": mistake}), mistake) == {"one": ["m"]}
    assert named(Bank({"m": mistake}), {**mistake, "modes": failed(X / 5)}) == {}


def test_a_number_or_two_of_one_check_are_not_enough() -> None:
    for few in (X[0, :3] / 2, (X * 9).round()):
        assert named(Bank({"m": {"one": failed(few)}}), {"one": failed(few)}) == {}


def ended(text: str, kind: str = "RuntimeError") -> CheckTrace:
    return CheckTrace(Outcome.FAILED, (kind,), text)


@pytest.mark.parametrize(
    ("checks", "kind", "told"),
    [(3, "RuntimeError", ["m"]), (2, "RuntimeError", []), (3, "IndexError", [])],
    ids=["three", "two", "another kind"],
)
def test_exceptions_of_one_kind_in_three_checks_are_a_mistake_in_other_words(
    checks: int, kind: str, told: list[str]
) -> None:
    names = [*MANY][:checks]
    bank = Bank({"m": dict.fromkeys(names, ended("98 is no multiple of 15"))})
    assert told_of(bank, dict.fromkeys(names, ended("sizes differ", kind))) == told


def test_an_exception_that_means_something_else_is_another_mistake() -> None:
    names = [*MANY][:3]
    truth = "Boolean value of Tensor with more than one value is ambiguous"
    bank = Bank({"m": dict.fromkeys(names, ended(truth))})
    assert told_of(bank, dict.fromkeys(names, ended(TRANSPOSED.format(4, 2)))) == []
    assert told_of(bank, dict.fromkeys(names, ended(truth))) == ["m"]


@pytest.mark.parametrize(("alike", "told"), [(3, ["m"]), (2, [])])
def test_most_exceptions_have_to_mean_the_same(alike: int, told: list[str]) -> None:
    """Sizes that do not fit are told in other words, and about a length that is in both."""
    names = [*MANY][:5]
    product = "mat1 and mat2 shapes cannot be multiplied (4x6 and 7x7)"
    bank = Bank({"m": dict.fromkeys(names, ended(product))})
    same, other = (
        ended(TRANSPOSED.format(4, 2)),
        ended("shape '[2, 9]' is invalid for input of size 8"),
    )
    seen = dict.fromkeys(names[:alike], same) | dict.fromkeys(names[alike:], other)
    assert told_of(bank, seen) == told


TRANSPOSED = "The size of tensor a ({}) must match the size of tensor b (7) at dimension {}"


@pytest.mark.parametrize(
    ("length", "told"), [(4, ["m"]), (5, [])], ids=["the same lengths", "others"]
)
def test_exceptions_about_the_same_lengths_are_as_good_as_numbers(
    length: int, told: list[str]
) -> None:
    """A mask read as key by query was met by `expand` here, and by a product there."""
    names = [*MANY][:2]
    bank = Bank({"m": dict.fromkeys(names, ended(TRANSPOSED.format(4, 2)))})
    assert told_of(bank, dict.fromkeys(names, ended(TRANSPOSED.format(length, 1)))) == told


def test_an_axis_of_length_1_hides_no_mistake() -> None:
    """The largest share was returned for all, with and without `keepdim`."""
    mistake = {"one": failed(X[:, :1] / 2), "two": failed(X[:, :1] / 3)}
    assert named(Bank({"m": mistake}), {n: failed(X[:, 0] / d) for n, d in SHARES})["one"] == ["m"]
    assert named(Bank({"m": mistake}), {n: failed(X[:, 1] / d) for n, d in SHARES}) == {}
    exact = {n: failed(X[:, 0] / d) for n, d in SHARES}
    assert named(Bank({"m": mistake, "exact": exact}), exact)["one"] == ["exact"]


SHARES = (("one", 2), ("two", 3))


NEAR = X / 2 * (1 + 1e-6)


def test_rounding_in_other_words_hides_no_mistake() -> None:
    """Positions in float32 in otherwise right code left six of eight unseen mistakes unnamed."""
    nearly = {"one": failed(NEAR), "two": failed(X / 3)}
    assert named(Bank({"m": WRONG}), nearly)["one"] == ["m"]
    assert named(Bank({"m": WRONG}), {"one": failed(X / 2 + 1e-2), "two": failed(X / 3)}) == {}


def test_an_exact_mistake_goes_before_a_near_one() -> None:
    other = {"one": failed(NEAR), "two": failed(X / 3)}
    assert named(Bank({"near": other, "exact": WRONG}), WRONG)["one"] == ["exact"]


def test_an_eps_that_is_allowed_hides_no_mistake() -> None:
    """An eps of 1e-6 in every norm, of which one divides by little."""
    nearly = {"one": failed(NEAR), "two": failed(X / 3 * (1 + 1e-6)), "modes": failed(X / 5 + 5e-4)}
    bank = Bank({"m": {**WRONG, "modes": failed(X / 5)}})
    assert named(bank, nearly)["one"] == ["m"]
    assert named(bank, {**nearly, "modes": failed(X / 5 + 5e-2)}) == {}


def test_a_plain_number_in_place_of_a_tensor_is_no_other_mistake() -> None:
    zero = {**WRONG, "modes": failed(torch.tensor(0.0))}
    assert named(Bank({"m": zero}), {**WRONG, "modes": failed(0.0)})["one"] == ["m"]
    assert named(Bank({"m": zero}), {**WRONG, "modes": failed(0.5)}) == {}


def test_how_far_nan_spreads_is_no_other_mistake() -> None:
    def lost(rows: int, numbers: torch.Tensor = X / 7) -> CheckTrace:
        numbers = numbers.clone()
        numbers[:rows] = torch.nan
        return failed(numbers)

    bank = Bank({"m": {**WRONG, "modes": lost(2)}})
    assert named(bank, {**WRONG, "modes": lost(1)})["one"] == ["m"]
    assert named(bank, {**WRONG, "modes": lost(1, X / 8)}) == {}
    assert named(bank, {**WRONG, "modes": lost(0)}) == {}


def test_exceptions_that_say_the_same_are_no_other_mistake() -> None:
    """Whoever works in place is stopped at the leaf, or on the way back."""
    mistake = {**WRONG, "modes": CheckTrace(Outcome.FAILED, (X, "RuntimeError"), IN_PLACE[0])}
    student = {**WRONG, "modes": CheckTrace(Outcome.FAILED, ("RuntimeError",), IN_PLACE[1])}
    assert named(Bank({"m": mistake}), student)["one"] == ["m"]
    other = {**WRONG, "modes": CheckTrace(Outcome.FAILED, ("RuntimeError",), "X is None")}
    assert named(Bank({"m": mistake}), other) == {}


IN_PLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [2, 3]]",
    "a view of a leaf Variable that requires grad is being used in an in-place operation.",
)
MANY = {f"check {number}": failed(X / (2 + number)) for number in range(7)}


@pytest.mark.parametrize(
    ("count", "changed", "told"),
    [(7, 1, ["m"]), (4, 1, ["m"]), (9, 2, ["m"]), (12, 3, ["m"]), (3, 1, []), (11, 3, [])],
    ids=["1 of 7", "1 of 4", "2 of 9", "3 of 12", "1 of 3", "3 of 11"],
)
def test_a_few_of_many_checks_may_show_other_numbers(
    count: int, changed: int, told: list[str]
) -> None:
    """An eps counts on quiet tokens alone, a gradient may run through a maximum, and a mean of
    means may leave a text without an answer out or make it NaN."""
    many = {f"check {number}": failed(X / (2 + number)) for number in range(count)}
    names = [*many][:changed]
    student = {**many, **{name: failed(X + 1) for name in names}}
    assert told_of(Bank({"m": many}), student) == told


@pytest.mark.parametrize(
    ("count", "changed", "told"),
    [
        (4, ["a/0", "b/0"], []),
        (4, ["b/0", "b/1", "b/2"], ["m"]),
        (3, ["b/0", "b/1", "b/2"], []),
    ],
    ids=["one of each criterion", "all of one", "all of one beside too few"],
)
def test_all_checks_of_a_criterion_are_enough_beside_a_second_mistake(
    count: int, changed: Sequence[str], told: list[str]
) -> None:
    """Layers in the wrong order showed in `outputs`, and were not named since `discard` was wrong
    besides, where the order counts as well."""
    names = [*(f"a/{number}" for number in range(count)), *(f"b/{number}" for number in range(3))]
    many = {name: failed(X / (2 + at)) for at, name in enumerate(names)}
    student = {**many, **{name: failed(X + 1) for name in changed}}
    assert told_of(Bank({"m": many}), student) == told


def test_checks_that_could_not_begin_name_nothing_beside_another_number() -> None:
    """Positions for the patches alone were told as a patch side of 16: both leave no room."""
    nothing = {"one": failed(), "two": failed(), "modes": failed()}
    mistake = {**nothing, "checkpoint": failed("210 numbers", drawn=OURS)}
    student = {**nothing, "checkpoint": failed("360 numbers", drawn=THEIRS)}
    assert named(Bank({"m": mistake}), student) == {}
    assert named(Bank({"m": mistake}), mistake)["one"] == ["m"]


def test_counts_and_tokens_have_no_such_room() -> None:
    """Agreeing in whole numbers is likelier by chance: a share of them is not enough."""
    whole = {name: failed((X * number).round()) for number, name in enumerate(MANY, start=9)}
    student = {**whole, "check 0": failed((X * 99).round())}
    assert told_of(Bank({"m": whole}), student) == []


@pytest.mark.parametrize(("spared", "told"), [(4, ["m"]), (5, [])])
def test_a_milder_form_of_a_mistake_is_that_mistake(spared: int, told: list[str]) -> None:
    """Right where the known one is wrong as well, in no more checks than it shares with it."""
    shared = {f"check {number}": failed(X / (2 + number)) for number in range(4)}
    rest = {f"special {number}": failed(X / (9 + number)) for number in range(spared)}
    student = {**shared, "check 0": failed(X + 1)}
    assert told_of(Bank({"m": {**shared, **rest}}), student, [*rest]) == told


def told_of(bank: Bank, student: Traces, passing: Sequence[str] = ()) -> list[str]:
    """What is named where a course has only these checks, and all but `passing` fail."""
    causes = causes_of(bank, student, passing)
    return sorted({cause.id for own in causes.values() for cause in own})


def causes_of(
    bank: Bank, student: Traces, passing: Sequence[str] = ()
) -> Mapping[str, Sequence[Cause]]:
    """The causes of each check, where a course has only these."""
    checks = {cast(Check, OneCheck(name)): trace for name, trace in student.items()}
    right = {cast(Check, OneCheck(n)): CheckTrace(Outcome.PASSED, (X,)) for n in passing}
    case = Case("slug", "a1", "", checks, right, lambda check, draw: None)
    with pytest.MonkeyPatch.context() as patch:
        for name in (*student, *passing):
            patch.setitem(RIGHT, name, CheckTrace(Outcome.PASSED, (X,)))
        return Dictionary(*cast(Any, (bank, bank, bank))).causes(case, ())


class InPairs(Bank):
    """Mistakes that change the same numbers, and what they give in pairs."""

    def __init__(self, made: Mapping[str, Traces], pairs: Mapping[str, Traces]) -> None:
        super().__init__(made)
        self._pairs = pairs

    def of(self, *asked: Any) -> Any:
        if len(asked) > 1 and asked[0].beside is not None:
            return self._pairs[asked[0].name].get(asked[1].id, RIGHT[asked[1].id])
        return super().of(*asked)

    def both(self, *pair: KnownMistake) -> KnownMistake | None:
        first, second = pair
        both = replace(first, beside=second)
        return both if both.name in self._pairs else None


def scaled(by: float, count: int = 4) -> dict[str, CheckTrace]:
    """What `count` checks see of a mistake that scales their numbers."""
    return {f"check {number}": failed(by * X / (2 + number)) for number in range(count)}


def test_two_mistakes_in_the_same_numbers_are_told_together() -> None:
    """A softmax over the wrong axis, of scores with the wrong scale, was told by neither."""
    one, other = scaled(2), scaled(3, count=5)
    bank = InPairs(
        {"one": one, "other": other, "third": scaled(7, count=5)},
        {"a1/one and other": scaled(6, count=5), "a1/one and third": scaled(14, count=5)},
    )
    assert told_of(bank, scaled(6, count=5)) == ["one", "other"]
    assert told_of(bank, {**scaled(6, count=5), "check 1": failed(X)}) == []


def test_a_second_mistake_stands_beside_the_first_where_both_show() -> None:
    bank = InPairs(
        {"one": scaled(2), "other": scaled(3, count=5)},
        {"a1/one and other": scaled(6, count=5)},
    )
    causes = causes_of(bank, scaled(6, count=5))
    assert [(cause.id, cause.is_beside) for cause in causes["check 0"]] == [
        ("one", False),
        ("other", True),
    ]
    assert [(cause.id, cause.is_beside) for cause in causes["check 4"]] == [("other", False)]


@pytest.mark.parametrize(
    ("pairs", "count"),
    [(("a1/one and other", "a1/one and third"), 4), (("a1/one and other",), 2)],
    ids=["two pairs give the same", "too few checks"],
)
def test_a_pair_that_may_be_chance_is_not_told(pairs: Sequence[str], count: int) -> None:
    made = {"one": scaled(2, count), "other": scaled(3, count), "third": scaled(5, count)}
    bank = InPairs(made, {pair: scaled(6, count) for pair in pairs})
    assert told_of(bank, scaled(6, count)) == []


class Fresh(OneCheck):
    """A check whose inputs are drawn for each submission: nothing is remembered of it."""

    fresh = True


class Asked(Bank):
    """Notes which checks were run on a mistake."""

    def __init__(self, made: Mapping[str, Traces]) -> None:
        super().__init__(made)
        self.ran: list[str] = []

    def of(self, *asked: Any) -> Any:
        if asked == ("slug",):
            return {id: frozenset(traces) - {"fresh"} for id, traces in self._made.items()}
        if len(asked) == 1:
            return super().of(*asked)
        mistake, check = asked[:2]
        self.ran.append(check.id)
        return self._made[mistake.entry.id][check.id]

    def changes(self, *_asked: object) -> bool:
        return True

    def passes(self, mistake: KnownMistake, check: Check) -> bool:
        return self._made[mistake.entry.id][check.id].outcome is Outcome.PASSED


@pytest.mark.parametrize(("agreeing", "runs"), [(6, 0), (5, 1)])
def test_a_fresh_check_is_run_only_where_it_adds_something(agreeing: int, runs: int) -> None:
    """It takes as long as all that is remembered of the others."""
    names = [f"check-{number}" for number in range(agreeing)]
    checks = [*(OneCheck(name) for name in names), Fresh("fresh")]
    traces = {check.id: failed(X / 2) for check in checks}
    bank = Asked({"m": traces})
    failing = {cast(Check, check): traces[check.id] for check in checks}
    case = Case("slug", "a1", "digest", failing, {}, lambda check, draw: None)
    mistakes = Dictionary(cast(Any, bank), cast(Any, bank), cast(Any, bank))
    assert set(mistakes.causes(case, ())) == {check.id for check in checks}
    assert bank.ran.count("fresh") == runs


@pytest.mark.parametrize(("seen", "is_run"), [(RIGHT["modes"], False), (failed(X), True)])
def test_a_fresh_check_that_both_pass_is_not_run(seen: CheckTrace, is_run: bool) -> None:
    """A mistake that fails it, by the record, is run: it is not the student's."""
    checks = [OneCheck("one"), OneCheck("two"), Fresh("fresh")]
    bank = Asked({"m": {"one": failed(X / 2), "two": failed(X / 3), "fresh": seen}})
    failing = {cast(Check, c): bank._made["m"][c.id] for c in checks[:2]}
    passing = {cast(Check, checks[2]): RIGHT["modes"]}
    case = Case("slug", "a1", "digest", failing, passing, lambda check, draw: None)
    mistakes = Dictionary(cast(Any, bank), cast(Any, bank), cast(Any, bank))
    assert bool(mistakes.causes(case, ())) is not is_run
    assert ("fresh" in bank.ran) is is_run
