"""Record what was observed: one `Observation` per check, the only input a score is made from.

Pure data. Imports no torch and does no I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..text.language import _, joined, marked
from .counterexample import Counterexample
from .places import Where as Where  # part of what is observed: everybody imports it from here
from .right_lines import RightLines


class Outcome(StrEnum):
    """The closed set of results that a check can have."""

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
        """Return the outcome in the reader's language."""
        return _(_IN_WORDS[self])


NOT_YOURS = marked(
    "this could not be checked, and not because of your code: whoever runs the course can see why"
)
"""The only text that a report gives for a check that could not be made.

The place of the fault would tell of hidden suites.
"""

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


FLAG = "flag"
"""The kind of a note that only staff sees: likely but not certain, and for a person to judge."""


@dataclass(frozen=True)
class Note:
    """A fact about a submission as a whole, found before any check ran."""

    kind: str
    """`problem` if it can cost points, such as a syntax error; `FLAG`; else `note`."""
    text: str
    where: Where | None = None


OBSERVED = frozenset(
    {"dtype", "error", "fit", "gradient", "infinity", "input", "kept", "layers", "leak", "memory"}
    | {"mode", "nan", "raised", "shape", "value"}
)
"""The ids of causes that say what is seen, and not which mistake caused it, begin with these."""


@dataclass(frozen=True)
class Cause:
    """A known mistake that reproduces the student's numbers, or a pattern that was seen in them.

    A mistake reproduces them on `fits` of `of` probes; a pattern was seen in `fits` of `of` checks.
    Both are 1 of what one check proves by itself.
    """

    id: str
    text: str
    fits: int
    of: int
    is_beside: bool = False
    """True if it gives the numbers only together with the cause in front of it."""
    is_kept_back: bool = field(default=False, compare=False)
    """True in a report whose reader shall look for the mistake first."""

    @property
    def is_observation(self) -> bool:
        return self.id.partition(".")[0] in OBSERVED


@dataclass(frozen=True)
class Picture:
    """Numbers to be drawn beside a public check: never of a hidden one."""

    kind: str
    """`leaks` or `row_sums`.

    `leaks`: a row for each output, a column for each input it may depend on; 0 it does not, 1 it
    does and may, 2 it does and must not, 3 it should and does not. `row_sums`: a row of numbers
    that should each be 1.
    """
    title: str
    rows: tuple[tuple[float, ...], ...]


Grid = tuple[tuple[float | None, ...], ...]
"""A small matrix of plain numbers; None stands for a number that is not finite."""


@dataclass(frozen=True)
class Weights:
    """A matrix whose rows should each add up to 1, beside the right one.

    To be drawn beside a public check, never a hidden one. It comes from the first sample and the
    first head that differ.
    """

    returned: Grid
    expected: Grid
    axes: tuple[str, str] = ("", "")
    """The meaning of the rows and of the columns, in a word each, if it is known."""
    cut: bool = False
    """True if there are more rows or columns than these."""

    @property
    def difference(self) -> Grid | None:
        """Return what was returned minus what was expected; None if their shapes differ."""
        if [len(row) for row in self.returned] != [len(row) for row in self.expected]:
            return None
        pairs = zip(self.returned, self.expected, strict=True)
        return tuple(
            tuple(_less(left, right) for left, right in zip(*rows, strict=True)) for rows in pairs
        )


def _less(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left - right


def could_not_check(check: str, title: str, staff: str) -> Observation:
    """Return an observation for a fault of ours or the author's; only the staff sees the reason."""
    message = _(NOT_YOURS)
    return Observation(check, title, Outcome.COULD_NOT_CHECK, observed=message, staff=staff)


class Tried(StrEnum):
    """Something that no submission may do, and that was refused while one was graded.

    The first two the kernel or the judge saw themselves. The others are what the submission's own
    process says of an exception: code that catches it is not seen, and code can pretend it.
    """

    CALL = "call"
    """A call of the system for which the kernel ends a process."""
    CONNECTION = "connection"
    """A reply of its own on the grader's connection, or the end of that."""
    NETWORK = "network"
    PROCESS = "process"
    FILE = "file"
    OTHER = "other"
    NOTHING = ""


@dataclass(frozen=True)
class BlockedFinding:
    """The finding of a check that was blocked afterwards."""

    outcome: Outcome
    observed: str
    notes: tuple[str, ...]


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
    """More causes that fit as well as `cause`: these numbers do not tell which one it is."""
    picture: Picture | None = None
    weights: Weights | None = None
    counterexample: Counterexample | None = field(default=None, compare=False)
    """A tiny input of our own on which the exercise's answer is clearly wrong, if one is known."""
    nothing_small: bool = field(default=False, compare=False)
    """True if such an input was looked for, and none was found."""
    right_lines: RightLines | None = field(default=None, compare=False)
    """The student's lines that are right where the exercise's answer is wrong, if any is known."""
    needs: tuple[str, ...] = ()
    """The exercises and criteria that a blocked check waits for."""
    staff: str = ""
    """The reason, for the course's staff only: a place in a suite or the grader, an exception.

    No report shows it; the records of a batch do.
    """
    fingerprint: str = field(default="", compare=False)
    """A short text for the values that a failed check compared: the same for equal wrong programs.

    For staff only, as `staff` is. Empty if the check draws inputs for each submission.
    """
    tried: Tried = field(default=Tried.NOTHING, compare=False)
    """What it tried and was refused. For staff only, as `staff` is."""
    finding: BlockedFinding | None = None
    """What was seen, if the rubric blocks this check: other requirements may let it stand."""

    def blocked_by(self, unmet: Sequence[str]) -> Observation:
        """Return this finding as blocked by what it needs; the original finding becomes a note."""
        finding = f"{self.outcome.in_words}: {self.observed}"
        return replace(
            self,
            outcome=Outcome.BLOCKED,
            observed=_("needs {others} to pass first", others=joined(unmet)),
            needs=tuple(unmet),
            notes=(*self.notes, finding) if self.observed else self.notes,
        )

    @property
    def for_staff(self) -> str:
        """Return what was observed, in words for those who may know all of it."""
        return self.staff or self.observed

    @property
    def exercise(self) -> str:
        return self.check.split("/", 1)[0]

    @property
    def criterion(self) -> str:
        return self.check.split("/", 2)[1]
