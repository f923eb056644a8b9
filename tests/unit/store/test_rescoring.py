"""A kept record, scored by another rubric, is what grading by that rubric would have given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.questions import WrittenItem
from grader.course.rubric import Rubric, Scoring
from grader.grade.evidence import Observation, Outcome
from grader.report.content import report_on
from grader.report.json import as_dict
from grader.store.rescoring import rescored
from grader.wire.isolation_record import IsolationRecord
from tests.unit.grade.test_score import criterion, graded, observed, rubric_of
from tests.unit.samples import SampleResult, submission


def record(rubric: Rubric, seen: list[Observation]) -> Any:
    """The record for staff, as it is when it comes out of a store."""
    result = SampleResult(submission(), tuple(seen), isolation=IsolationRecord("full"))
    return json.loads(
        json.dumps(as_dict(report_on(result, rubric, for_staff=True), for_staff=True))
    )


@st.composite
def other_worth(draw: st.DrawFn, rubric: Rubric) -> Rubric:
    """The rubric with other points, another scoring and other requirements."""
    points = st.fractions(min_value=0, max_value=20, max_denominator=8)
    exercises = {}
    for slug, exercise in rubric.exercises.items():
        criteria = {
            name: replace(
                one,
                points=draw(points),
                scoring=draw(st.sampled_from(Scoring)),
                requires=tuple(n for n in list(exercise.criteria)[:at] if draw(st.booleans())),
            )
            for at, (name, one) in enumerate(exercise.criteria.items())
        }
        exercises[slug] = replace(exercise, criteria=criteria, requires=())
    return replace(rubric, exercises=exercises)


@given(graded(), st.data())
def test_it_is_what_grading_would_have_given(
    case: tuple[Rubric, list[Observation]], data: st.DataObject
) -> None:
    then, seen = case
    now = data.draw(other_worth(then))

    assert rescored(record(then, seen), now) == record(now, seen)
    assert rescored(rescored(record(then, seen), now), then) == record(then, seen)


def test_a_check_that_nothing_blocks_any_more_shows_what_it_saw() -> None:
    policy, outputs = criterion("policy", 1), criterion("outputs", 4, requires=("policy",))
    seen = observed(Outcome.FAILED, name="policy") + observed(Outcome.PASSED, Outcome.FAILED)
    then = rubric_of([policy, outputs])
    now = rubric_of([policy, replace(outputs, requires=())])

    def outcomes(one: Mapping[str, Any]) -> list[str]:
        return [check["outcome"] for check in one["exercises"][0]["checks"]]

    before, after = record(then, seen), rescored(record(then, seen), now)
    assert (outcomes(before), before["points"]) == (["failed", "blocked", "failed"], "0")
    assert (outcomes(after), after["points"]) == (["failed", "passed", "failed"], "2")
    assert "finding" not in json.dumps(after)


def test_a_question_has_the_points_of_now() -> None:
    one = WrittenItem("s1.why", "s1_sums", Fraction(2), "Why?")
    then = replace(rubric_of([criterion()]), written={"s1.why": one})
    now = replace(then, written={"s1.why": replace(one, points=Fraction(5, 2))})
    seen = observed(Outcome.PASSED)

    assert rescored(record(then, seen), now) == record(now, seen)
    assert record(now, seen)["written"]["max_points"] == "2.5"


def test_who_handed_in_nothing_to_grade_is_left_alone() -> None:
    problem = {"submission": {"id": "student-001", "digest": None}, "problem": "no such file"}
    assert rescored(problem, rubric_of([criterion()])) == problem


@pytest.mark.parametrize("slug", ["s1.gone", "s1.add"])
def test_another_course_is_no_rubric_for_a_record(slug: str) -> None:
    kept = record(rubric_of([criterion()]), observed(Outcome.PASSED))
    with pytest.raises(ValueError, match=r"in the rubric|the rubric has no"):
        rescored(kept, rubric_of([criterion("other")], slugs=("s1.add",) * (slug == "s1.add")))
