"""Know from the system that collected a class when each student handed in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.batch.time_columns import TimesById
from grader.course.late import WHOLE_COURSE
from grader.course.rubric import Rubric
from grader.store.late_work import UNKNOWN, Times, deadlines_of
from grader.text.moments import Moment


@dataclass(frozen=True)
class Arrival:
    """The time at which some files of a student arrived."""

    at: Moment
    stems: frozenset[str] = frozenset()
    """The hand-outs among them, without suffix; empty if that is not known."""


ArrivalsById = Mapping[str, tuple[Arrival, ...]]


def with_arrivals(
    times: TimesById, arrivals: ArrivalsById, rubric: Rubric, slugs: tuple[str, ...]
) -> TimesById:
    """Add the arrivals to the times of a roster, which wins where it has a time of its own.

    Where one deadline holds for all, the last arrival counts. An arrival of unknown files counts
    for every assignment that is graded, if there is one deadline for them all.
    """
    deadlines = deadlines_of(rubric, slugs)
    merged = {student: dict(known) for student, known in times.items()}
    for student, own in arrivals.items():
        known = merged.setdefault(student, {})
        for name in deadlines:
            before = known.get(name, known.get(WHOLE_COURSE, UNKNOWN))
            at = _arrived(own, name, rubric, one_deadline=len(set(deadlines.values())) == 1)
            if before.at is None and at is not None:
                known[name] = Times(at, before.extension)
    return merged


def _arrived(
    own: Iterable[Arrival], name: str, rubric: Rubric, one_deadline: bool
) -> Moment | None:
    """Return when the last file for the deadline of this name arrived; None if nobody knows."""
    stems = {rubric.assignments[name]} if name else set(rubric.assignments.values())
    fitting = (each.at for each in own if each.stems & stems or (one_deadline and not each.stems))
    return max(fitting, default=None)
