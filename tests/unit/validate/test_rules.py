"""Each rule finds its gap in made-up evidence, and nothing in what is right."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.misconceptions import Misconception, Variant
from grader.course.rubric_place import RUBRIC_FILE
from grader.grade.evidence import Observation, Outcome
from grader.messages.answers import CheckFacts
from grader.validate.alike import alike
from grader.validate.collected import collected_gaps
from grader.validate.data import CourseData, Edited
from grader.validate.rules import rule_gaps
from grader.validate.trials import Evidence, GradedTrial, Kind, ValidationTrial, few
from grader.validate.worth import worth

ROOT = Path(__file__).resolve().parents[3]
SLUG = "a1.sdpa"
FILE = "tests/suites/a1_attention/public/test_sdpa.py"
RUBRIC = (ROOT / "rubric.yaml").read_text(encoding="utf-8")
LINE = RUBRIC[: RUBRIC.index("masking:", RUBRIC.index(f"{SLUG}:"))].count("\n") + 1
ONE, TWO = f"{SLUG}/outputs/test_one", f"{SLUG}/outputs/test_two"
CHECKS = tuple(CheckFacts(id, "", FILE, 7 + n, False, "") for n, id in enumerate((ONE, TWO)))
PASSED, FAILED, NOT_YET = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_ATTEMPTED


def graded(
    id: str, kind: Kind, one: Outcome, two: Outcome, edited: Edited | None = None
) -> GradedTrial:
    seen = tuple(Observation(c, "", o) for c, o in ((ONE, one), (TWO, two)))
    points = Fraction(4 * sum(o is PASSED for o in (one, two)), 2)
    answers = {ONE: [["float64 (2,) False", [0, 3.0, 1.0]]], TWO: []}
    trial = ValidationTrial(id, kind, (SLUG,), {}, edited)
    return GradedTrial(trial, seen, {(SLUG, "outputs"): points}, answers, (), (), ())


def mistake(id: str, one: Outcome = FAILED, two: Outcome = FAILED) -> GradedTrial:
    entry = Misconception(id, (), "attend", (), ("outputs",))
    edited = Edited("a1_attention", entry, "m.py:3", "", ((SLUG, "outputs"),), (SLUG,))
    return graded(id, Kind.MISCONCEPTION, one, two, edited)


def variant(one: Outcome = PASSED) -> GradedTrial:
    entry = Variant("sdpa.way", "attend", "")
    edited = Edited("a1_attention", entry, "v.py:4", "", ((SLUG, "outputs"),), (SLUG,))
    return graded("sdpa.way", Kind.VARIANT, one, PASSED, edited)


REFERENCE = graded("the reference", Kind.REFERENCE, PASSED, PASSED)
DRAWING = graded("the reference, drawing at random", Kind.DRAWING, PASSED, PASSED)
STUB = graded("the stub", Kind.STUB, NOT_YET, NOT_YET)
BLANK = graded(f"blank: zeros in {SLUG}", Kind.BLANK, FAILED, FAILED)
RIGHT = (REFERENCE, DRAWING, STUB, BLANK, variant(), mistake("sdpa.bad"))


def told(*changed: GradedTrial, again: tuple[GradedTrial, ...] = ()) -> list[str]:
    """The gaps of what is right but for what was changed."""
    data = CourseData(find_course(ROOT), (SLUG,))
    by_id = {each.trial.id: each for each in (*RIGHT, *changed)}
    evidence = Evidence(CHECKS, by_id, {each.trial.id: each for each in again})
    return [str(gap).splitlines()[0] for gap in rule_gaps(data, evidence)]


def changed(each: GradedTrial, one: Outcome) -> GradedTrial:
    first, second = each.observations
    points = Fraction(4 * sum(o is PASSED for o in (one, second.outcome)), 2)
    observed = (replace(first, outcome=one, observed="why"), second)
    return replace(each, observations=observed, points={(SLUG, "outputs"): points})


def test_what_is_right_has_no_gaps() -> None:
    assert told(again=(REFERENCE, STUB)) == []


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (
            changed(DRAWING, FAILED),
            f"{FILE}:7  {ONE} is 'passed' for the reference, but 'failed' once it draws at random",
        ),
        (changed(STUB, FAILED), f"{FILE}:7  {ONE} is 'failed' for the untouched stub"),
        (
            replace(changed(BLANK, PASSED), points={(SLUG, "outputs"): Fraction(1)}),
            f"{FILE}:7  {ONE} is passed by answers that know nothing: blank: zeros",
        ),
        (
            variant(FAILED),
            f"v.py:4  sdpa.way: loses points in {SLUG}/outputs, by {ONE}",
        ),
        (
            changed(mistake("sdpa.bad"), Outcome.COULD_NOT_CHECK),
            f"{FILE}:7  {ONE} could not be checked on sdpa.bad: why",
        ),
        (
            replace(REFERENCE, written=((FILE, "SEEN"),)),
            f"{FILE}:1  running its checks changes the global SEEN",
        ),
    ],
    ids=["drawing", "stub", "blank", "variant", "unchecked", "globals"],
)
def test_each_rule_tells_its_gap(wrong: GradedTrial, line: str) -> None:
    assert told(wrong) == [line]


def test_a_reference_that_loses_points_is_told() -> None:
    assert told(changed(REFERENCE, FAILED), changed(DRAWING, FAILED)) == [
        f"{FILE}:7  the reference does not pass {ONE}: why"
    ]


def test_a_mistake_that_costs_nothing_is_told() -> None:
    assert told(mistake("sdpa.other", PASSED, PASSED)) == [
        f"m.py:3  sdpa.other: costs nothing in {SLUG}/outputs",
        "m.py:3  sdpa.other: no check fails it",
    ]


def test_a_mistake_need_not_show_where_its_own_exercise_is_not_graded() -> None:
    elsewhere = mistake("sdpa.other", PASSED, PASSED)
    edited = elsewhere.trial.edited
    assert edited is not None and edited.named
    named = tuple(("a0.other", criterion) for _, criterion in edited.named)
    trial = replace(elsewhere.trial, edited=replace(edited, named=named))
    assert told(replace(elsewhere, trial=trial)) == []


def test_a_check_that_nobody_fails_is_told() -> None:
    found = told(changed(BLANK, Outcome.NOT_ATTEMPTED), mistake("sdpa.bad", PASSED, FAILED))
    assert found == [f"{FILE}:7  {ONE}: nobody fails it, no known mistake and no blank answer"]


def test_a_mistake_that_only_crashes_says_nothing_of_a_check() -> None:
    crashed = Outcome.STUDENT_ERROR
    found = told(changed(BLANK, crashed), mistake("sdpa.bad", crashed, FAILED))
    assert found == [f"{FILE}:7  {ONE}: whoever fails it crashes in it; no wrong answer does"]


def test_a_check_of_values_is_proven_by_what_compares_them_alone() -> None:
    """Its helper looks at the shape first; `finite` in place of a comparison never refuses."""
    asks = replace(REFERENCE, called={ONE: ("finite", "shape")})
    by_shape = replace(mistake("sdpa.bad"), refused_by={ONE: "shape", TWO: "matches"})
    line = f"{FILE}:7  {ONE}: whoever fails it crashes in it, or answers in another shape; no wrong"
    assert told(asks, by_shape) == [f"{line} answer does"]
    assert told(asks, replace(by_shape, refused_by={ONE: "finite"})) == []


def test_right_numbers_in_another_shape_are_a_wrong_answer() -> None:
    reshaped = graded(f"another shape in {SLUG}", Kind.SHAPE, FAILED, FAILED)
    crashed = Outcome.STUDENT_ERROR
    assert told(changed(BLANK, crashed), mistake("sdpa.bad", crashed, FAILED), reshaped) == []


RULE = f"{SLUG}/policy/banned"


def told_of_a_rule(*, broken: bool) -> list[str]:
    """The gaps of a rule on how to write, which answers of zeros keep; points hang on it."""
    data = CourseData(find_course(ROOT), (SLUG,))
    checks = (CheckFacts(RULE, "", RUBRIC_FILE, 1, False, ""),)

    def one(id: str, kind: Kind, outcome: Outcome, forbidden: str = "") -> GradedTrial:
        seen = (Observation(RULE, "", outcome, observed=f"uses `{forbidden}`"),)
        points = {(SLUG, "policy"): Fraction(outcome is PASSED)}
        return GradedTrial(
            ValidationTrial(id, kind, (SLUG,), {}, None, forbidden), seen, points, {}, (), (), ()
        )

    found = [one("the reference", Kind.REFERENCE, PASSED), one("zeros", Kind.BLANK, PASSED)]
    found += [one("it uses sum", Kind.FORBIDDEN, FAILED, "torch.sum")] if broken else []
    evidence = Evidence(checks, {each.trial.id: each for each in found}, {})
    return [str(gap).splitlines()[0] for gap in rule_gaps(data, evidence)]


def test_a_rule_on_how_to_write_asks_for_no_values_and_is_proven_by_who_breaks_it() -> None:
    assert told_of_a_rule(broken=True) == []
    assert told_of_a_rule(broken=False) == [
        f"{RUBRIC_FILE}:1  {RULE}: nobody fails it, no known mistake and no blank answer"
    ]


def test_another_end_in_reverse_order_is_told() -> None:
    assert told(again=(changed(REFERENCE, FAILED),)) == [
        f"{FILE}:7  {ONE} is 'passed' for the reference, but in reverse order 'failed'"
    ]


def test_the_few_in_reverse_are_both_ends_and_a_mistake_of_each_exercise() -> None:
    both = [REFERENCE, mistake("sdpa.bad"), mistake("sdpa.other"), STUB, variant()]
    chosen = few([each.trial for each in both])
    assert [trial.id for trial in chosen] == ["the reference", "sdpa.bad", "the stub"]


# ---- mistakes that answer alike ---------------------------------------------------------------


def answering(id: str, numbers: list[float], observed: str = "far off") -> GradedTrial:
    each = mistake(id)
    seen = tuple(replace(o, observed=observed) for o in each.observations)
    answers = {ONE: [["float64 (2,) False", numbers]], TWO: []}
    return replace(each, answers=answers, observations=seen)


@pytest.mark.parametrize(
    ("other", "groups"),
    [
        (answering("b", [0, 3.0 + 1e-13, 1.0]), [("a", "b")]),
        (answering("b", [0, 3.0, 1.001]), []),
        (answering("b", [1, 3.0, 1.0]), []),
        (answering("b", [0, 3.0, 1.0], observed="no gradient"), []),
        (mistake("b", PASSED, FAILED), []),
    ],
    ids=["rounding", "number", "not-finite", "words", "outcome"],
)
def test_mistakes_with_the_same_answers_count_once(
    other: GradedTrial, groups: list[tuple[str, ...]]
) -> None:
    both = {each.trial.id: each for each in (answering("a", [0, 3.0, 1.0]), other)}
    assert alike(Evidence(CHECKS, both, {})) == groups


# ---- checks as they were collected ------------------------------------------------------------

HIDDEN = "tests/suites/a1_attention/test_sdpa.py"


def check(name: str, file: str = HIDDEN, fresh: bool = False, disabled: str = "") -> CheckFacts:
    return CheckFacts(f"{SLUG}/{name}", "", file, 5, fresh, disabled)


GOOD = (
    check("shapes/test_a", FILE),
    check("outputs/test_a", FILE),
    check("masking/test_a"),
    check("numerics/test_a"),
    check("gradients/test_a", fresh=True),
    check("state/test_a"),
    check("policy/banned", RUBRIC_FILE),
)


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (GOOD, []),
        (
            (*GOOD, check("maskin/test_a")),
            [
                f"{HIDDEN}:5  {SLUG}/maskin/test_a: rubric.yaml gives {SLUG} no criterion 'maskin'"
                " - did you mean 'masking'?"
            ],
        ),
        (
            (*GOOD, check("masking/test_b", FILE)),
            [
                f"{FILE}:5  {SLUG}/masking/test_b stands in the public folder, and rubric.yaml says"
                " hidden"
            ],
        ),
        (
            (*GOOD, check("outputs/test_b")),
            [
                f"{HIDDEN}:5  {SLUG}/outputs/test_b stands in the folder of hidden suites, and"
                " rubric.yaml says public"
            ],
        ),
        (
            (*GOOD[:2], *GOOD[3:]),
            [f"rubric.yaml:{LINE}  exercises.{SLUG}.criteria.masking: no check earns its points"],
        ),
        (
            (*GOOD[:4], check("gradients/test_a"), *GOOD[5:]),
            [f"{HIDDEN}:1  {SLUG} has no fresh check: recorded answers would pass it"],
        ),
        (
            (*GOOD, check("state/test_b", fresh=True)),
            [f"{HIDDEN}:5  {SLUG}/state/test_b: the second fresh check of {SLUG}; one is enough"],
        ),
        (
            (*GOOD[:4], check("gradients/test_b"), *GOOD[5:], check("outputs/b", FILE, fresh=True)),
            [f"{FILE}:5  {SLUG}/outputs/b: the fresh check is public"],
        ),
        (
            (*GOOD, check("state/test_b", disabled="skipif")),
            [f"{HIDDEN}:5  {SLUG}/state/test_b is marked skipif: it proves nothing"],
        ),
    ],
    ids=[
        "right", "no-criterion", "public", "hidden", "no-check", "no-fresh", "two-fresh",
        "fresh-public", "disabled",
    ],
)  # fmt: skip
def test_collected_checks_stand_where_they_should(
    found: tuple[CheckFacts, ...], lines: list[str]
) -> None:
    course = find_course(ROOT)
    gaps = collected_gaps(course, course.rubric.exercises[SLUG], found)
    assert [str(gap).splitlines()[0] for gap in gaps] == lines


@pytest.mark.parametrize(
    ("kind", "points", "outcomes", "most"),
    [
        pytest.param(Kind.BLANK, "1.1", (PASSED, FAILED), "", id="knows nothing"),
        pytest.param(Kind.BLANK, "1.2", (PASSED, FAILED), "10%", id="knows nothing, earns"),
        pytest.param(Kind.MISCONCEPTION, "3.85", (FAILED, FAILED), "", id="wrong throughout"),
        pytest.param(Kind.MISCONCEPTION, "3.9", (FAILED, FAILED), "35%", id="the same, earns"),
        pytest.param(Kind.MISCONCEPTION, "9", (PASSED, FAILED), "", id="wrong in parts"),
        pytest.param(Kind.VARIANT, "11", (PASSED, PASSED), "", id="right"),
    ],
)
def test_what_is_wrong_throughout_earns_little(
    kind: Kind, points: str, outcomes: tuple[Outcome, Outcome], most: str
) -> None:
    data = CourseData(find_course(ROOT), (SLUG,))
    each = replace(graded("it", kind, *outcomes), points={(SLUG, "outputs"): Fraction(points)})
    gaps = [gap.message for gap in worth(data, Evidence(CHECKS, {"it": each}, {}))]
    wanted = f"it: earns {points} of 11 points in {SLUG}, more than {most}"
    assert gaps == ([wanted] if most else [])
