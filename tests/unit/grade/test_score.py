"""Observations and a rubric become points: exactly, in bounds, and never less for doing better."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.rubric import POLICY, Criterion, Exercise, Rubric, Scoring, Visibility
from grader.grade.evidence import Observation, Outcome
from grader.grade.score import Grade, block, score

EARNING = (Outcome.PASSED, Outcome.CARRIED)
COSTING = (
    Outcome.FAILED,
    Outcome.NOT_ATTEMPTED,
    Outcome.STUDENT_ERROR,
    Outcome.TIMED_OUT,
    Outcome.BLOCKED,
)
NAMES = ("shapes", "outputs", "masking", POLICY)


def rubric_of(
    criteria: Sequence[Criterion],
    requires: Mapping[str, tuple[str, ...]] | None = None,
    slugs: Sequence[str] = ("s1.add",),
) -> Rubric:
    """A rubric in which every exercise has the same criteria."""
    exercises = {
        slug: Exercise(
            slug,
            "s1_sums",
            (slug.partition(".")[2],),
            {one.name: one for one in criteria},
            (requires or {}).get(slug, ()),
        )
        for slug in slugs
    }
    return Rubric("toy", "seed", {"s1": "s1_sums"}, exercises)


def criterion(
    name: str = "outputs",
    points: Fraction | int = 4,
    visibility: Visibility = Visibility.PUBLIC,
    scoring: Scoring = Scoring.PARTIAL,
    requires: tuple[str, ...] = (),
) -> Criterion:
    return Criterion(name, Fraction(points), visibility, scoring, requires)


def observed(*outcomes: Outcome, slug: str = "s1.add", name: str = "outputs") -> list[Observation]:
    return [
        Observation(f"{slug}/{name}/test_{number}", "A title.", outcome, "seen")
        for number, outcome in enumerate(outcomes)
    ]


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    points = st.fractions(min_value=0, max_value=20, max_denominator=8)
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    criteria = [
        Criterion(
            name,
            draw(points),
            draw(st.sampled_from(Visibility)),
            draw(st.sampled_from(Scoring)),
            tuple(other for other in names[:index] if draw(st.booleans())),
        )
        for index, name in enumerate(names)
    ]
    requires = {"s1.mean": ("s1.add",)} if draw(st.booleans()) else {}
    return rubric_of(criteria, requires, ("s1.add", "s1.mean"))


@st.composite
def graded(draw: st.DrawFn) -> tuple[Rubric, list[Observation]]:
    """A rubric, and up to three observed checks for each of its criteria."""
    rubric = draw(rubrics())
    found: list[Observation] = []
    for slug, exercise in rubric.exercises.items():
        for name in exercise.criteria:
            outcomes = draw(st.lists(st.sampled_from(Outcome), max_size=3))
            found += observed(*outcomes, slug=slug, name=name)
    return rubric, found


@given(graded())
def test_points_lie_between_nothing_and_the_maximum(case: tuple[Rubric, list[Observation]]) -> None:
    rubric, found = case
    grade = score(rubric, found)
    for exercise in grade.exercises:
        for one in exercise.criteria:
            assert one.points is None or 0 <= one.points <= one.max_points
        assert 0 <= exercise.points + exercise.unchecked_points <= exercise.max_points
    assert grade.max_points == rubric.points


@given(graded())
def test_the_parts_sum_to_the_total(case: tuple[Rubric, list[Observation]]) -> None:
    grade = score(*case)
    criteria = [one for exercise in grade.exercises for one in exercise.criteria]
    assert grade.points == sum((one.points or 0 for one in criteria), Fraction(0))
    assert grade.points == sum((one.points for one in grade.exercises), Fraction(0))
    assert grade.max_points == sum((one.max_points for one in criteria), Fraction(0))
    unknown = sum((one.max_points for one in criteria if one.points is None), Fraction(0))
    assert grade.unchecked_points == unknown
    later = sum((one.max_points for one in criteria if one.elsewhere), Fraction(0))
    assert grade.later_points == later


@given(graded(), st.randoms())
def test_the_order_of_observations_changes_nothing(
    case: tuple[Rubric, list[Observation]], random: object
) -> None:
    rubric, found = case
    assert score(rubric, found[::-1]) == score(rubric, found)
    assert {o.check: o for o in block(rubric, found[::-1])} == {
        o.check: o for o in block(rubric, found)
    }


@given(graded(), st.sampled_from(EARNING), st.data())
def test_a_check_that_passes_in_place_of_failing_never_costs(
    case: tuple[Rubric, list[Observation]], outcome: Outcome, data: st.DataObject
) -> None:
    rubric, found = case
    failing = [index for index, one in enumerate(found) if one.outcome in COSTING]
    if not failing:
        return
    index = data.draw(st.sampled_from(failing))
    better = [*found[:index], replace(found[index], outcome=outcome), *found[index + 1 :]]
    for before, after in zip(
        _known_points(score(rubric, found)), _known_points(score(rubric, better)), strict=True
    ):
        assert before is None or after is None or before <= after


@given(graded())
def test_what_could_not_be_checked_is_nobodys_loss(case: tuple[Rubric, list[Observation]]) -> None:
    """Whatever is decided holds for every way in which the unknown checks could have gone."""
    rubric, found = case
    for known in (Outcome.PASSED, Outcome.FAILED):
        settled = [
            replace(one, outcome=known) if one.outcome is Outcome.COULD_NOT_CHECK else one
            for one in found
        ]
        for points, other in zip(
            _known_points(score(rubric, found)),
            _known_points(score(rubric, settled)),
            strict=True,
        ):
            assert points is None or points == other


@given(graded())
def test_blocking_never_gives_points(case: tuple[Rubric, list[Observation]]) -> None:
    rubric, found = case
    for before, after in zip(found, block(rubric, found), strict=True):
        assert (before.check, before.title) == (after.check, after.title)
        if after != before:
            assert after.outcome is Outcome.BLOCKED
            assert after.needs
            assert after.notes == (f"{before.outcome.in_words}: seen",)


def _known_points(grade: Grade) -> list[Fraction | None]:
    return [one.points for exercise in grade.exercises for one in exercise.criteria]


@pytest.mark.parametrize("outcome", EARNING)
def test_passed_and_carried_earn_their_share(outcome: Outcome) -> None:
    grade = score(rubric_of([criterion()]), observed(outcome, Outcome.FAILED, Outcome.FAILED))
    assert grade.points == Fraction(4, 3)


@pytest.mark.parametrize("outcome", COSTING)
def test_every_other_outcome_earns_nothing(outcome: Outcome) -> None:
    assert score(rubric_of([criterion()]), observed(outcome)).points == 0


def test_the_closed_set_is_closed() -> None:
    assert {*EARNING, *COSTING, Outcome.COULD_NOT_CHECK} == set(Outcome)


def test_only_what_passed_is_counted_as_passed() -> None:
    grade = score(rubric_of([criterion()]), observed(Outcome.PASSED, Outcome.CARRIED))
    (one,) = grade.exercises[0].criteria
    assert (one.passed, one.checks) == (1, 2)
    assert one.outcomes == {Outcome.PASSED: 1, Outcome.CARRIED: 1}
    assert list(one.outcomes) == [Outcome.PASSED, Outcome.CARRIED]
    (none,) = score(rubric_of([criterion()]), observed(Outcome.FAILED)).exercises[0].criteria
    assert (none.passed, none.checks) == (0, 1)


@pytest.mark.parametrize(
    ("outcomes", "points"),
    [
        ((Outcome.PASSED, Outcome.PASSED), 4),
        ((Outcome.PASSED, Outcome.CARRIED), 4),
        ((Outcome.PASSED, Outcome.FAILED), 0),
        ((Outcome.FAILED, Outcome.COULD_NOT_CHECK), 0),
        ((Outcome.PASSED, Outcome.COULD_NOT_CHECK), None),
    ],
)
def test_all_or_nothing(outcomes: tuple[Outcome, ...], points: int | None) -> None:
    rubric = rubric_of([criterion(scoring=Scoring.ALL_OR_NOTHING)])
    (one,) = score(rubric, observed(*outcomes)).exercises[0].criteria
    assert one.points == points


@pytest.mark.parametrize(
    ("outcomes", "points"),
    [
        ((Outcome.PASSED, Outcome.COULD_NOT_CHECK), None),
        ((Outcome.COULD_NOT_CHECK,), None),
        ((), None),
    ],
)
@pytest.mark.parametrize("worth", [4, 1])
def test_what_is_not_known_is_no_number(
    outcomes: tuple[Outcome, ...], points: None, worth: int
) -> None:
    grade = score(rubric_of([criterion(points=worth)]), observed(*outcomes))
    (one,) = grade.exercises[0].criteria
    assert one.points is points
    assert [grade.points, grade.unchecked_points] == [0, worth]
    assert not grade.complete


def test_an_exercise_is_unknown_if_nothing_of_it_could_be_checked() -> None:
    rubric = rubric_of([criterion("shapes"), criterion("outputs")])
    unknown = observed(Outcome.COULD_NOT_CHECK)
    known = observed(Outcome.FAILED, name="shapes")

    assert score(rubric, unknown).exercises[0].is_unknown
    assert not score(rubric, [*known, *unknown]).exercises[0].is_unknown
    whole = observed(Outcome.PASSED, name="shapes") + observed(Outcome.PASSED)
    assert not score(rubric, whole).exercises[0].is_unknown


def test_all_of_it_was_checked_and_some_is_lost() -> None:
    grade = score(rubric_of([criterion()]), observed(Outcome.PASSED, Outcome.FAILED))
    assert [grade.points, grade.unchecked_points] == [2, 0]
    assert not grade.complete
    assert not grade.complete_here


def test_a_criterion_worth_nothing_is_decided_whatever_is_unknown() -> None:
    grade = score(rubric_of([criterion(points=0)]), observed(Outcome.COULD_NOT_CHECK))
    assert grade.exercises[0].criteria[0].points == 0
    assert grade.complete


def test_points_are_exact_and_rounded_once() -> None:
    thirds = [criterion(name, 1) for name in ("shapes", "outputs", "masking")]
    outcomes = (Outcome.PASSED, Outcome.FAILED, Outcome.FAILED)
    found = [one for name in thirds for one in observed(*outcomes, name=name.name)]
    grade = score(rubric_of(thirds), found)
    assert grade.points == 1
    assert grade.rounded == "1.00"


class TestAfterDue:
    """Criteria whose checks a student's copy of the course does not hold."""

    CRITERIA = (
        criterion("shapes", 1),
        criterion("outputs", 2, Visibility.HIDDEN),
        criterion("masking", 3, Visibility.AFTER_DUE),
    )

    def test_without_any_hidden_check_they_come_later(self) -> None:
        grade = score(rubric_of(self.CRITERIA), observed(Outcome.PASSED, name="shapes"))
        assert [one.elsewhere for one in grade.exercises[0].criteria] == [False, True, True]
        points = [grade.points, grade.later_points, grade.unchecked_points]
        assert points == [1, 5, 5]
        assert grade.complete_here
        assert not grade.complete
        assert [one.criterion for one in grade.exercises[0].here] == ["shapes"]

    def test_with_one_of_them_here_the_others_are_missed(self) -> None:
        found = observed(Outcome.PASSED, name="shapes") + observed(Outcome.PASSED, name="outputs")
        grade = score(rubric_of(self.CRITERIA), found)
        assert grade.later_points == 0
        assert grade.unchecked_points == 3
        assert not grade.complete_here

    def test_after_the_due_date_they_earn_as_any_other(self) -> None:
        found = [
            one
            for name in ("shapes", "outputs", "masking")
            for one in observed(Outcome.PASSED, name=name)
        ]
        grade = score(rubric_of(self.CRITERIA), found)
        assert [grade.points, grade.later_points] == [6, 0]
        assert grade.complete
        assert grade.complete_here

    def test_rules_on_writing_are_always_here(self) -> None:
        rules = [criterion("shapes", 1), criterion(POLICY, 2, Visibility.HIDDEN)]
        grade = score(rubric_of(rules), observed(Outcome.PASSED, name="shapes"))
        assert grade.later_points == 0
        assert grade.unchecked_points == 2

    def test_a_public_criterion_without_checks_is_missed_and_not_later(self) -> None:
        grade = score(rubric_of([criterion("shapes", 1)]), [])
        assert grade.later_points == 0
        assert grade.unchecked_points == 1

    def test_nothing_earned_is_not_complete_here(self) -> None:
        hidden = [criterion("outputs", 2, Visibility.HIDDEN)]
        assert not score(rubric_of(hidden), []).complete_here


class TestBlocking:
    BY_EXERCISE = rubric_of([criterion()], {"s1.mean": ("s1.add",)}, ("s1.add", "s1.mean"))

    @pytest.mark.parametrize("outcome", COSTING)
    def test_a_failure_waits_for_the_exercise_that_it_needs(self, outcome: Outcome) -> None:
        found = [*observed(outcome), *observed(Outcome.FAILED, slug="s1.mean")]
        last = block(self.BY_EXERCISE, found)[-1]
        assert (last.outcome, last.needs) == (Outcome.BLOCKED, ("s1.add",))
        assert last.observed == "needs s1.add to pass first"
        assert last.notes == ("failed: seen",)

    @pytest.mark.parametrize("outcome", EARNING)
    def test_it_waits_for_nothing_that_was_earned(self, outcome: Outcome) -> None:
        found = [*observed(outcome), *observed(Outcome.FAILED, slug="s1.mean")]
        assert block(self.BY_EXERCISE, found) == tuple(found)

    def test_one_failing_check_of_many_blocks(self) -> None:
        found = [
            *observed(Outcome.PASSED, Outcome.FAILED),
            *observed(Outcome.FAILED, slug="s1.mean"),
        ]
        assert block(self.BY_EXERCISE, found)[-1].outcome is Outcome.BLOCKED

    @pytest.mark.parametrize(
        "outcome",
        [*EARNING, Outcome.NOT_ATTEMPTED, Outcome.BLOCKED, Outcome.COULD_NOT_CHECK],
    )
    def test_only_what_may_be_an_echo_is_blocked(self, outcome: Outcome) -> None:
        found = [*observed(Outcome.FAILED), *observed(outcome, slug="s1.mean")]
        assert block(self.BY_EXERCISE, found) == tuple(found)

    def test_a_requirement_of_which_nothing_was_seen_blocks_nothing(self) -> None:
        found = observed(Outcome.FAILED, slug="s1.mean")
        assert block(self.BY_EXERCISE, found) == tuple(found)

    def test_one_criterion_of_another_exercise_may_be_required(self) -> None:
        criteria = [criterion("shapes"), criterion("outputs")]
        rubric = rubric_of(criteria, {"s1.mean": ("s1.add/shapes",)}, ("s1.add", "s1.mean"))
        later = observed(Outcome.FAILED, slug="s1.mean")
        assert block(rubric, [*observed(Outcome.FAILED), *later])[-1] == later[0]
        blocked = block(rubric, [*observed(Outcome.FAILED, name="shapes"), *later])[-1]
        assert blocked.needs == ("s1.add/shapes",)

    def test_a_criterion_may_require_another_of_its_exercise(self) -> None:
        rubric = rubric_of([criterion("shapes"), criterion("outputs", requires=("shapes",))])
        found = [*observed(Outcome.FAILED, name="shapes"), *observed(Outcome.STUDENT_ERROR)]
        assert block(rubric, found)[-1].needs == ("s1.add/shapes",)

    @pytest.mark.parametrize("outcome", EARNING)
    def test_what_was_earned_against_a_rule_is_not_earned(self, outcome: Outcome) -> None:
        rubric = rubric_of([criterion(POLICY), criterion("outputs", requires=(POLICY,))])
        found = [*observed(Outcome.FAILED, name=POLICY), *observed(outcome)]
        blocked = block(rubric, found)[-1]
        assert (blocked.outcome, blocked.needs) == (Outcome.BLOCKED, (f"s1.add/{POLICY}",))

    def test_what_fails_anyway_is_no_echo_of_a_broken_rule(self) -> None:
        rubric = rubric_of([criterion(POLICY), criterion("outputs", requires=(POLICY,))])
        found = [*observed(Outcome.FAILED, name=POLICY), *observed(Outcome.FAILED)]
        assert block(rubric, found) == tuple(found)

    def test_a_rule_that_could_not_be_looked_at_costs_nobody(self) -> None:
        rubric = rubric_of([criterion(POLICY), criterion("outputs", requires=(POLICY,))])
        found = [*observed(Outcome.COULD_NOT_CHECK, name=POLICY), *observed(Outcome.PASSED)]
        assert block(rubric, found) == tuple(found)

    def test_a_finding_without_words_leaves_no_note(self) -> None:
        later = Observation("s1.mean/outputs/test_0", "", Outcome.FAILED)
        assert block(self.BY_EXERCISE, [*observed(Outcome.FAILED), later])[-1].notes == ()

    def test_what_the_rubric_does_not_know_is_left_alone(self) -> None:
        strange = observed(Outcome.FAILED, slug="s9.none")
        assert block(self.BY_EXERCISE, strange) == tuple(strange)


class TestAttempted:
    @pytest.mark.parametrize(
        ("outcomes", "attempted"),
        [
            ((), True),
            ((Outcome.COULD_NOT_CHECK,), True),
            ((Outcome.NOT_ATTEMPTED,), False),
            ((Outcome.NOT_ATTEMPTED, Outcome.COULD_NOT_CHECK), False),
            ((Outcome.NOT_ATTEMPTED, Outcome.FAILED), True),
            ((Outcome.FAILED,), True),
        ],
    )
    def test_nobody_is_called_idle_unless_only_stubs_were_found(
        self, outcomes: tuple[Outcome, ...], attempted: bool
    ) -> None:
        grade = score(rubric_of([criterion()]), observed(*outcomes))
        assert grade.exercises[0].attempted is attempted


@pytest.mark.parametrize(
    ("checks", "message"),
    [
        pytest.param(
            ("s1.add/outputs/test", "s1.add/outputs/test"),
            "s1.add/outputs/test: observed twice",
            id="twice",
        ),
        pytest.param(
            ("s1.add/outputs",),
            "s1.add/outputs: expected exercise/criterion/test",
            id="no test",
        ),
        pytest.param(
            ("s1.ad/outputs/test",),
            "s1.ad/outputs/test: the rubric has no exercise 's1.ad' - did you mean 's1.add'?",
            id="exercise",
        ),
        pytest.param(
            ("s1.add/output/test",),
            "s1.add/output/test: s1.add has no criterion 'output' in the rubric"
            " - did you mean 'outputs'?",
            id="criterion",
        ),
    ],
)
def test_a_check_that_is_not_the_rubrics_is_refused(checks: tuple[str, ...], message: str) -> None:
    found = [Observation(check, "", Outcome.PASSED) for check in checks]
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        score(rubric_of([criterion()]), found)


RESTING = replace(
    rubric_of([criterion("shapes", 1), criterion("outputs", 4), criterion("masking", 2)]),
    rests_on={"outputs": ("shapes",)},
)


def earned(*observations: Observation) -> dict[str, Fraction | None]:
    (exercise,) = score(RESTING, block(RESTING, observations)).exercises
    return {one.criterion: one.points for one in exercise.criteria}


@pytest.mark.parametrize(
    ("outputs", "shapes"),
    [
        pytest.param((Outcome.FAILED, Outcome.STUDENT_ERROR), 0, id="nothing right"),
        pytest.param((Outcome.FAILED, Outcome.NOT_ATTEMPTED), 0, id="wrong where attempted"),
        pytest.param((Outcome.FAILED, Outcome.PASSED), 1, id="something right"),
        pytest.param((Outcome.FAILED, Outcome.CARRIED), 1, id="paid for elsewhere"),
        pytest.param((Outcome.FAILED, Outcome.COULD_NOT_CHECK), 1, id="unknown"),
        pytest.param((Outcome.NOT_ATTEMPTED, Outcome.NOT_ATTEMPTED), 1, id="not attempted"),
    ],
)
def test_what_rests_on_nothing_right_earns_nothing(
    outputs: tuple[Outcome, ...], shapes: int
) -> None:
    passed = (*observed(Outcome.PASSED, name="shapes"), *observed(Outcome.PASSED, name="masking"))
    points = earned(*observed(*outputs), *passed)
    assert points["shapes"] == shapes
    assert points["masking"] == 2


def test_what_rests_on_something_wrong_says_what_it_waits_for() -> None:
    seen = block(RESTING, (*observed(Outcome.FAILED), *observed(Outcome.PASSED, name="shapes")))
    assert [one.outcome for one in seen] == [Outcome.FAILED, Outcome.BLOCKED]
    assert seen[1].needs == ("s1.add/outputs",)
    assert seen[1].finding is not None and seen[1].finding.outcome is Outcome.PASSED


def test_nothing_is_demanded_of_a_run_without_what_others_rest_on() -> None:
    assert earned(*observed(Outcome.PASSED, name="shapes"))["shapes"] == 1
