"""Score a kept record by another rubric: what the checks saw stays, what it is worth changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..course.questions import WrittenItem
from ..course.rubric import Rubric
from ..grade.evidence import Observation, Outcome
from ..grade.score import block, score
from ..report.cleaning import printable
from ..report.content import in_rubric_order
from ..report.json import finding_of, points_of, sums_of
from ..text.points import exact
from .store import Record

Check = Mapping[str, Any]


def rescored(record: Record, rubric: Rubric) -> Record:
    """Return a record for staff as it is when `rubric` says what everything is worth.

    The rubric has the same exercises, criteria and questions as the one that the record was made
    by; points, `scoring` and `requires` may be others. No code of a student runs.

    Raises KeyError, TypeError or ValueError for what is no record of these exercises.
    """
    if "problem" in record:
        return record
    seen = {
        check["check"]: _unblocked(check)
        for exercise in record["exercises"]
        for check in exercise["checks"]
    }
    blocked = block(rubric, map(_observation, seen.values()))
    checks = {one.check: _with_outcome(seen[one.check], one) for one in blocked}
    slugs = {exercise["slug"] for exercise in record["exercises"]}
    shown = {slug: one for slug, one in rubric.exercises.items() if slug in slugs}
    grade = score(replace(rubric, exercises=shown), blocked)
    exercises = [
        {
            "slug": earned.slug,
            "assignment": shown[earned.slug].assignment,
            **points_of(earned),
            "checks": [checks[one.check] for one in in_rubric_order(shown[earned.slug], blocked)],
        }
        for earned in grade.exercises
    ]
    result = {**record, **sums_of(grade), "exercises": exercises}
    if "written" in record:
        result["written"] = _written(record["written"], rubric.written)
    return result


def _unblocked(check: Check) -> Check:
    """Return a check as it was before the rubric blocked it."""
    finding = check.get("finding")
    if finding is None:
        return check
    blocked = ("finding", "needs")
    return {**{name: value for name, value in check.items() if name not in blocked}, **finding}


def _observation(check: Check) -> Observation:
    """Return of a check what a grade is made from."""
    return Observation(
        check["check"],
        check["title"],
        Outcome(check["outcome"]),
        observed=check["observed"],
        notes=tuple(check["notes"]),
    )


def _with_outcome(check: Check, seen: Observation) -> Check:
    """Return a check as a record holds it, once it is known whether it is blocked."""
    if seen.finding is None:
        return check
    notes = [printable(note) for note in seen.notes]
    result = {"outcome": seen.outcome.value, "observed": printable(seen.observed), "notes": notes}
    needs = list(seen.needs)
    return {**check, **result, "needs": needs, "finding": finding_of(seen.finding)}


def _written(written: Mapping[str, Any], items: Mapping[str, WrittenItem]) -> Mapping[str, Any]:
    answers = [
        {**answer, "max_points": exact(items[answer["slug"]].points)}
        for answer in written["answers"]
    ]
    return {**written, "max_points": exact(_sum_of(answers)), "answers": answers}


def _sum_of(answers: Iterable[Mapping[str, Any]]) -> Fraction:
    return sum((Fraction(answer["max_points"]) for answer in answers), Fraction(0))
