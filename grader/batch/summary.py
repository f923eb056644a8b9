"""Sum up a batch: whose results are complete, and who needs a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import merge

from grader.batch.gradebook import Row
from grader.grade.evidence import Outcome

NOTHING = "handed in nothing"
"""The problem of a student who is on the roster only."""
NOT_YET = "not graded yet"
"""The problem of a student who handed in and whom no run has graded."""


@dataclass(frozen=True)
class Summary:
    """The result of a batch."""

    rows: Sequence[Row]
    """The students of this run, sorted by id; each is read from a file."""
    complete: int
    """The number of students with all points that are given automatically."""
    review: tuple[tuple[str, str], ...] = ()
    """Student and question whose answer changed after a person graded it."""
    stale: tuple[str, ...] = ()
    """File names of records of earlier runs, whose students are not in this one."""
    earlier: int = 0
    """The number of students who were graded before, and not again."""
    others: Sequence[Row] = ()
    """The rows of the gradebook that a run of a part of the class did not make."""

    @cached_property
    def notable(self) -> tuple[Row, ...]:
        """Return the students of this run of whom there is something to say."""
        return tuple(row for row in self.rows if _is_notable(row))

    @property
    def problems(self) -> tuple[Row, ...]:
        """Return the students without any points known."""
        unknown = (row for row in self.notable if row.problem and row.total is None)
        return tuple(row for row in unknown if row.problem != NOTHING)

    @property
    def absent(self) -> tuple[Row, ...]:
        """Return the students on the roster who handed in nothing."""
        return tuple(row for row in self.notable if row.problem == NOTHING)

    @property
    def everybody(self) -> Iterator[Row]:
        """Yield all rows of the gradebook, sorted by id."""
        return merge(self.rows, self.others, key=lambda row: row.id)

    @property
    def waiting(self) -> tuple[Row, ...]:
        """Return the students who handed in and have no result yet."""
        return tuple(row for row in self.others if row.problem == NOT_YET)

    @property
    def kept(self) -> tuple[Row, ...]:
        """Return the students who have the row and the record of an earlier run."""
        return tuple(row for row in self.others if row.problem not in (NOT_YET, NOTHING))

    @property
    def idle(self) -> tuple[Row, ...]:
        """Return the students whose files have a problem and who have no points."""
        return tuple(r for r in self.notable if r.problem and r.total == 0 and not r.unchecked)

    @property
    def unchecked(self) -> tuple[Row, ...]:
        """Return the students with checks that failed for a reason of ours."""
        return tuple(row for row in self.notable if _is_unchecked(row))


def _is_unchecked(row: Row) -> bool:
    return bool(row.unchecked or row.outcomes.get(Outcome.COULD_NOT_CHECK))


def _is_notable(row: Row) -> bool:
    return any((row.problem, row.flags, row.lacks_time, row.tried, _is_unchecked(row)))
