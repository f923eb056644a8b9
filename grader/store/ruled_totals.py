"""Put into a record what the rubric's rules on totals give and take."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..course.late import WHOLE_COURSE
from ..course.rubric import Rubric
from ..grade.totals import Worth, ruled
from ..report.late_lines import lateness_in
from ..report.total_lines import TOTALS, values_of
from .store import Record


def with_totals(record: Record, rubric: Rubric) -> Record:
    """Return a record with what drops, bonuses and caps change, after what lateness takes.

    What the checks earned is not touched. Points that could not be checked count as not earned, so
    that a total never sinks when they become known.
    """
    plain = {name: value for name, value in record.items() if name != TOTALS}
    if rubric.totals is None or "problem" in record:
        return plain
    left = _left_by_lateness(record)
    worth = {
        exercise["slug"]: Worth(
            Fraction(exercise["points"] or 0) * _share_of(exercise["slug"], left),
            rubric.exercises[exercise["slug"]].points,
        )
        for exercise in record["exercises"]
    }
    changes = ruled(rubric.totals, worth, rubric.exercises)
    return {**plain, TOTALS: [values_of(one) for one in changes]} if changes else plain


def _left_by_lateness(record: Record) -> Mapping[str, Fraction]:
    """Return the part of its points that lateness leaves of an assignment, or of everything."""
    return {
        one.of.assignment: 1 - one.cost / one.of.earned
        for one in lateness_in(record)
        if one.of.earned
    }


def _share_of(slug: str, left: Mapping[str, Fraction]) -> Fraction:
    return left.get(slug.partition(".")[0], left.get(WHOLE_COURSE, Fraction(1)))
