"""A case of the corpus states points, and says in words where there are none."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import yaml

from grader.course.rubric import Visibility
from grader.grade.evidence import Outcome
from grader.grade.score import CriterionGrade, ExerciseGrade
from tests.support.corpus import as_expectations, differences


def criterion(name: str, points: Fraction | None, outcome: Outcome) -> CriterionGrade:
    return CriterionGrade(
        "s1.add", name, points, Fraction(1), 0, 1, {outcome: 1}, Visibility.PUBLIC
    )


GRADE = ExerciseGrade(
    "s1.add",
    (
        criterion("shapes", None, Outcome.COULD_NOT_CHECK),
        criterion("outputs", Fraction(1, 2), Outcome.FAILED),
    ),
)
REPORT: Any = SimpleNamespace(grade=SimpleNamespace(exercises=(GRADE,)))


def test_what_is_printed_can_be_stated_as_it_is() -> None:
    text = as_expectations(REPORT)
    assert text.splitlines()[-1] == "  s1.add: {shapes: could not be checked, outputs: 1/2}"
    assert list(differences(REPORT, yaml.safe_load(text))) == []


def test_each_criterion_that_differs_is_named_in_words() -> None:
    wanted = {"criteria": {"s1.add": {"shapes": 1, "outputs": 1, "state": 0}}}
    assert list(differences(REPORT, wanted)) == [
        "s1.add/shapes: stated 1, found could not be checked",
        "s1.add/outputs: stated 1, found 1/2",
        "s1.add/state: stated 0, found nothing",
    ]
