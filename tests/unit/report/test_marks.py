"""One sign stands for a criterion."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.course.rubric import Visibility
from grader.grade.evidence import Outcome
from grader.grade.score import CriterionGrade
from grader.report.marks import ASCII, REMARKS, UNICODE, criterion_outcome


@pytest.mark.parametrize(
    ("points", "outcomes", "shown"),
    [
        pytest.param(2, [Outcome.PASSED], Outcome.PASSED, id="passed"),
        pytest.param(2, [Outcome.PASSED, Outcome.CARRIED], Outcome.PASSED, id="carried"),
        pytest.param(None, [Outcome.COULD_NOT_CHECK], Outcome.COULD_NOT_CHECK, id="not known"),
        pytest.param(0, [Outcome.NOT_ATTEMPTED], Outcome.NOT_ATTEMPTED, id="not attempted"),
        pytest.param(1, [Outcome.PASSED, Outcome.BLOCKED], Outcome.BLOCKED, id="waits"),
        pytest.param(1, [Outcome.FAILED, Outcome.BLOCKED], Outcome.FAILED, id="failed as well"),
        pytest.param(1, [Outcome.PASSED, Outcome.TIMED_OUT], Outcome.FAILED, id="too slow"),
    ],
)
def test_the_sign_of_a_criterion(
    points: int | None, outcomes: list[Outcome], shown: Outcome
) -> None:
    grade = CriterionGrade(
        exercise="s1.add",
        criterion="outputs",
        points=None if points is None else Fraction(points),
        max_points=Fraction(2),
        passed=0,
        checks=len(outcomes),
        outcomes=dict.fromkeys(outcomes, 1),
        visibility=Visibility.PUBLIC,
    )

    assert criterion_outcome(grade) is shown


def test_every_outcome_has_a_sign_in_both_alphabets() -> None:
    assert set(UNICODE.outcome) == set(ASCII.outcome) == set(Outcome)
    assert all(sign.isascii() for sign in ASCII.outcome.values())
    assert set(REMARKS) < set(Outcome)
