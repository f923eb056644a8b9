"""Hold the hand-ins of students of whom the best counts, until all of a student's are graded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from grader.batch.attempts import counted_of
from grader.batch.discovery import Entry
from grader.batch.time_columns import TimesById
from grader.course.rubric import Rubric
from grader.report.counted_hand_in import ATTEMPT
from grader.store.adjusting import adjusted, sum_of
from grader.store.late_work import NO_TIMES, with_lateness
from grader.store.ruled_totals import with_totals
from grader.store.store import Record


@dataclass(frozen=True)
class Counted:
    """The hand-in of a student that counts."""

    attempt: Entry
    record: Record


class BestAttempts:
    """Keeps what came of each hand-in so far; `times` are by the id of the hand-in."""

    def __init__(self, rubric: Rubric, times: TimesById) -> None:
        self._rubric, self._times = rubric, times
        self._seen: dict[str, dict[str, Record]] = {}
        """By student, then by the id of the hand-in."""
        self._problems: dict[str, dict[str, str]] = {}

    def take(self, attempt: Entry, record: Record) -> None:
        """Take note of what came of a hand-in."""
        self._seen.setdefault(attempt.student, {})[attempt.id] = record

    def miss(self, attempt: Entry, problem: str) -> None:
        """Take note of a hand-in that could not be read."""
        self._problems.setdefault(attempt.student, {})[attempt.id] = problem

    def is_whole(self, entry: Entry) -> bool:
        """Tell whether every hand-in of a student is graded, or could not be read."""
        known = {**self._seen.get(entry.id, {}), **self._problems.get(entry.id, {})}
        return len(known) == len(entry.attempts)

    def problem(self, entry: Entry) -> str:
        """Return why a hand-in of a student could not be read; of several it is the last."""
        return next(reversed(self._problems.get(entry.id, {"": ""}).values()))

    def best(self, entry: Entry) -> Counted | None:
        """Return the hand-in with the most points, the earliest of equal ones; None without any.

        What could not be checked counts as not earned.
        """
        records = self._seen.pop(entry.id, {})
        points = {
            one.id: self._points(records[one.id], one)
            for one in entry.attempts
            if one.id in records
        }
        if not points:
            return None
        best = max(points, key=lambda id: points[id])
        attempt = next(one for one in entry.attempts if one.id == best)
        each = tuple(points.get(one.id) for one in entry.attempts)
        about = counted_of(entry, attempt, each).values
        return Counted(attempt, {**records[best], ATTEMPT: about})

    def _points(self, record: Record, attempt: Entry) -> Fraction:
        """Return the points of a hand-in after lateness and the rules on totals."""
        times = self._times.get(attempt.id, NO_TIMES)
        settled = adjusted(
            with_totals(with_lateness(record, self._rubric, times), self._rubric), ()
        )
        return Fraction(settled["points"]) + sum_of(settled)
