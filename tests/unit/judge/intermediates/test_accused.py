"""No line is called right that a cause points at."""

from __future__ import annotations

from dataclasses import replace

from grader.grade.evidence import Observation, Outcome, Where
from grader.grade.right_lines import RightKind, RightLines, RightValue
from grader.judge.intermediates.accused import without_accused

KEYS = RightValue(Where("a1.py", 12), RightKind.NAMED, "keys")
SCORES = RightValue(Where("a1.py", 14), RightKind.NAMED, "scores")


def seen(exercise: str, where: Where | None, *values: RightValue) -> Observation:
    lines = RightLines(values, Where("a1.py", 15)) if values else None
    return Observation(
        f"{exercise}/outputs/one", "", Outcome.FAILED, where=where, right_lines=lines
    )


def right(where: Where | None, *values: RightValue, exercise: str = "a1.sdpa") -> list[RightValue]:
    cause = seen(exercise, where)
    (_cause, told) = without_accused([cause, seen("a1.sdpa", None, *values)])
    return [] if told.right_lines is None else [*told.right_lines.values]


def test_the_likely_place_of_a_cause_is_not_called_right() -> None:
    assert right(Where("a1.py", 14, likely=True), KEYS, SCORES) == [KEYS]
    assert right(Where("a1.py", 14, likely=True), SCORES) == []


def test_other_places_are() -> None:
    for where in (None, Where("a1.py", 14), Where("a1.py", 9, likely=True)):
        assert right(where, KEYS, SCORES) == [KEYS, SCORES]
    assert right(Where("a1.py", 14, cell=3, likely=True), SCORES) == [SCORES]
    assert right(Where("a1.py", 14, likely=True), SCORES, exercise="a1.modules") == [SCORES]


def test_the_place_itself_stays() -> None:
    cause = seen("a1.sdpa", Where("a1.py", 14, likely=True), SCORES)
    assert without_accused([cause]) == [replace(cause, right_lines=None)]
