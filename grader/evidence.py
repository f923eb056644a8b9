"""What was observed: one `Observation` per check, the only input a score is made from.

Pure data. Imports no torch and does no I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from .language import _, joined, marked


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

    @property
    def in_words(self) -> str:
        """For a reader."""
        return _(_IN_WORDS[self])


_IN_WORDS = {
    Outcome.PASSED: marked("passed"),
    Outcome.FAILED: marked("failed"),
    Outcome.NOT_ATTEMPTED: marked("not attempted"),
    Outcome.STUDENT_ERROR: marked("student error"),
    Outcome.TIMED_OUT: marked("timed out"),
    Outcome.BLOCKED: marked("blocked"),
    Outcome.CARRIED: marked("carried"),
    Outcome.COULD_NOT_CHECK: marked("could not check"),
}


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
            place = _("{file} cell {cell}", file=place, cell=self.cell)
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
    needs: tuple[str, ...] = ()
    """Of a blocked check: the exercises and criteria that it waits for."""

    def blocked_by(self, unmet: Sequence[str]) -> Observation:
        """This finding as no more than an echo of what it needs; what it was becomes a note."""
        finding = f"{self.outcome.in_words}: {self.observed}"
        return replace(
            self,
            outcome=Outcome.BLOCKED,
            observed=_("needs {others} to pass first", others=joined(unmet)),
            needs=tuple(unmet),
            notes=(*self.notes, finding) if self.observed else self.notes,
        )

    @property
    def exercise(self) -> str:
        return self.check.split("/", 1)[0]

    @property
    def criterion(self) -> str:
        return self.check.split("/", 2)[1]
