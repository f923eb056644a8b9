"""Bound the worth of answers that know nothing, and of those that are wrong throughout.

Held where a rubric says by `rests_on` which criterion the others rest on.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from .data import CourseData
from .gap import Gap
from .rubric_lines import rubric_gap
from .trials import Evidence, GradedTrial, Kind, kills

KNOWS_NOTHING = Fraction(10, 100)
"""The largest part of an exercise's points that a blank answer may earn."""
WRONG_THROUGHOUT = Fraction(35, 100)
"""The same of a known mistake for which no check of a criterion passes that others rest on."""


def worth(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    """Yield a gap for each answer that earns more in an exercise than it may."""
    if not data.course.rubric.rests_on:
        return
    for each in evidence.graded.values():
        for slug in each.trial.slugs:
            most = _most(data, each, slug)
            earned = _earned(each, slug)
            whole = data.course.rubric.exercises[slug].points
            if most is not None and earned > most * whole:
                message = f"{each.trial.id}: earns {float(earned):.3g} of {float(whole):g} points "
                message += f"in {slug}, more than {float(most):.0%}"
                next = "add criteria to `rests_on`, or compare values where it earns them"
                yield rubric_gap(data.course, ("rests_on",), message, next)


def _most(data: CourseData, each: GradedTrial, slug: str) -> Fraction | None:
    """Return the largest part that a trial may earn in an exercise; None if there is no bound."""
    if each.trial.kind is Kind.BLANK:
        return KNOWS_NOTHING
    if each.trial.kind is Kind.MISCONCEPTION and _is_wrong_throughout(data, each, slug):
        return WRONG_THROUGHOUT
    return None


def _is_wrong_throughout(data: CourseData, each: GradedTrial, slug: str) -> bool:
    for base in data.course.rubric.rests_on:
        seen = [o for o in each.observations if (o.exercise, o.criterion) == (slug, base)]
        if seen and all(kills(o) for o in seen):
            return True
    return False


def _earned(each: GradedTrial, slug: str) -> Fraction:
    known = (points or Fraction(0) for (at, _), points in each.points.items() if at == slug)
    return sum(known, Fraction(0))
