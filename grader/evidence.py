"""What was observed: one `Observation` per check, the only input a score is made from.

Pure data. Imports no torch and does no I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Outcome(StrEnum):
    """The closed set of things that can become of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ATTEMPTED = "not_attempted"
    STUDENT_ERROR = "student_error"
    TIMED_OUT = "timed_out"
    BLOCKED = "blocked"
    """A prerequisite failed, so that this failure may only be its echo."""
    CARRIED = "carried"
    """The same mistake already cost its points elsewhere."""
    COULD_NOT_CHECK = "could_not_check"
    """Our fault or the author's. Never scored as zero."""


@dataclass(frozen=True)
class Where:
    """A place in the student's own files."""

    file: str
    line: int | None = None
    cell: int | None = None
    likely: bool = False
    """Whether the place was guessed from what the code looks like."""

    def __str__(self) -> str:
        place = self.file
        if self.cell is not None:
            place += f" cell {self.cell}"
        return place if self.line is None else f"{place}:{self.line}"


@dataclass(frozen=True)
class Note:
    """Something to know about a submission as a whole, met before any check ran."""

    kind: str
    """`problem` when it can cost points, such as a syntax error; else `note`."""
    text: str
    where: Where | None = None


OBSERVED = frozenset({"shape", "value", "nan", "infinity", "leak", "fit"})
"""How the ids of causes begin that say what is seen, and not by which mistake it came about."""


@dataclass(frozen=True)
class Cause:
    """A known mistake that reproduces the student's numbers on `fits` of `of` probes; or what is
    seen in `fits` of `of` checks."""

    id: str
    text: str
    fits: int
    of: int

    @property
    def is_observation(self) -> bool:
        return self.id.partition(".")[0] in OBSERVED


@dataclass(frozen=True)
class Picture:
    """Numbers to be drawn beside a public check: never of a hidden one."""

    kind: str
    """`leaks`: a row for each output, a column for each input it may depend on; 0 it does not, 1 it
    does and may, 2 it does and must not, 3 it should and does not. `row_sums`: a row of numbers
    that should each be 1."""
    title: str
    rows: tuple[tuple[float, ...], ...]


Grid = tuple[tuple[float | None, ...], ...]
"""A matrix of plain numbers, few of them; None is what is not finite."""


@dataclass(frozen=True)
class Weights:
    """A matrix whose rows should each add up to 1, beside the right one: to be drawn beside a
    public check, never of a hidden one. Of the first sample and the first head that differ."""

    returned: Grid
    expected: Grid
    axes: tuple[str, str] = ("", "")
    """What the rows and the columns are, in a word each, where that is known."""
    cut: bool = False
    """Whether there are more rows or columns than these."""

    @property
    def difference(self) -> Grid | None:
        """What was returned less what was expected; None where the two have other shapes."""
        if [len(row) for row in self.returned] != [len(row) for row in self.expected]:
            return None
        pairs = zip(self.returned, self.expected, strict=True)
        return tuple(
            tuple(_less(left, right) for left, right in zip(*rows, strict=True)) for rows in pairs
        )


def _less(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left - right


@dataclass(frozen=True)
class Observation:
    """The record of one check."""

    check: str
    """`exercise/criterion/test`, for instance `a1.sdpa/outputs/test_matches_reference`."""
    title: str
    """The check's docstring: the line people see."""
    outcome: Outcome
    observed: str = ""
    expected: str = ""
    cause: Cause | None = None
    """A known mistake (`sdpa.unscaled`), or what was observed in words (`shape.axes_swapped`)."""
    where: Where | None = None
    notes: tuple[str, ...] = ()
    precision: str | None = None
    """`float64`, or `float32` when only the lower precision agreed."""
    duration_ms: float = field(default=0.0, compare=False)
    also: tuple[Cause, ...] = ()
    """More causes that fit as well as `cause`: nobody can tell by these numbers which it is."""
    picture: Picture | None = None
    weights: Weights | None = None

    def blocked_by(self, unmet: Sequence[str]) -> Observation:
        """This finding as no more than an echo of what it needs; what it was becomes a note."""
        finding = f"{self.outcome.replace('_', ' ')}: {self.observed}"
        return replace(
            self,
            outcome=Outcome.BLOCKED,
            observed=f"needs {' and '.join(unmet)} to pass first",
            notes=(*self.notes, finding) if self.observed else self.notes,
        )

    @property
    def exercise(self) -> str:
        return self.check.split("/", 1)[0]

    @property
    def criterion(self) -> str:
        return self.check.split("/", 2)[1]
