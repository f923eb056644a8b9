"""Put into a record when it was handed in, and what the rubric takes for it if that was late."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from ..course.late import WHOLE_COURSE
from ..course.rubric import Rubric
from ..grade.lateness import HandedIn, lateness
from ..report.late_lines import HANDED_IN, values_of
from ..text.moments import Moment
from .store import Record


@dataclass(frozen=True)
class Times:
    """The time at which something was handed in, and the extension that a student has for it."""

    at: Moment | None = None
    """None if it is not known: that costs nothing."""
    extension: Moment | int | None = None
    """The deadline in place of the course's, or so many seconds more."""

    def due(self, deadline: Moment) -> Moment:
        """Return the student's own deadline, which is never before the course's."""
        if self.extension is None:
            return deadline
        if isinstance(self.extension, int):
            return deadline.later(self.extension)
        return max(deadline, self.extension.as_seen_from(deadline))


NO_TIMES: Mapping[str, Times] = MappingProxyType({})
UNKNOWN = Times()


def deadlines_of(rubric: Rubric, slugs: tuple[str, ...]) -> Mapping[str, Moment]:
    """Return the deadlines that hold for these exercises, by assignment, or the one for all."""
    deadlines = rubric.late.deadlines if rubric.late else {}
    here = {WHOLE_COURSE, *(_prefix(slug) for slug in slugs or rubric.exercises)}
    return {name: deadline for name, deadline in deadlines.items() if name in here}


def with_lateness(record: Record, rubric: Rubric, times: Mapping[str, Times] = NO_TIMES) -> Record:
    """Return a record with the times of this student, and what lateness costs by the rubric.

    `times` are by assignment, as deadlines are; those for WHOLE_COURSE hold for each that has
    none of its own. What the checks earned is not touched.
    """
    plain = {name: value for name, value in record.items() if name != HANDED_IN}
    if rubric.late is None or "problem" in record:
        return plain
    slugs = tuple(exercise["slug"] for exercise in record["exercises"])
    own = {
        name: (deadline, _times_for(name, times))
        for name, deadline in deadlines_of(rubric, slugs).items()
    }
    known = [
        HandedIn(_earned(record, name), one.at, one.due(deadline), deadline, name)
        for name, (deadline, one) in own.items()
        if one.at is not None
    ]
    late = {one.of.assignment: values_of(one) for one in lateness(rubric.late, known)}
    entries = [
        {
            "assignment": name,
            "at": None if one.at is None else one.at.iso,
            "due": one.due(deadline).iso,
            "deadline": deadline.iso,
            "late": late.get(name),
        }
        for name, (deadline, one) in own.items()
    ]
    return {**plain, HANDED_IN: entries}


def _times_for(name: str, times: Mapping[str, Times]) -> Times:
    """Return the times of an assignment, each from its own column or else from that for all."""
    own, of_all = times.get(name, UNKNOWN), times.get(WHOLE_COURSE, UNKNOWN)
    extension = of_all.extension if own.extension is None else own.extension
    return Times(own.at or of_all.at, extension)


def _earned(record: Record, name: str) -> Fraction:
    return sum(_points(record, name), Fraction(0))


def _points(record: Record, name: str) -> Iterator[Fraction]:
    for exercise in record["exercises"]:
        if name in (WHOLE_COURSE, _prefix(exercise["slug"])) and exercise["points"] is not None:
            yield Fraction(exercise["points"])


def _prefix(slug: str) -> str:
    return slug.partition(".")[0]
