"""Hold the lines of a wrong program that compute what the right program computes on its way.

Pure data: the student's own lines and names, and no number.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .places import Where


class Likeness(StrEnum):
    """The ways in which a value may be stored otherwise and still be the right one."""

    TRANSPOSED = "transposed"
    RESHAPED = "reshaped"
    """Neighbouring axes are one axis, or one axis is several: heads that are split."""
    REORDERED = "reordered"
    """The places along one axis stand in another order."""
    SCALED = "scaled"
    """All numbers have one factor that is not 1."""


class RightKind(StrEnum):
    """The ways in which a line of a program holds a value."""

    NAMED = "named"
    PART = "part"
    """A part of the line computes it."""
    RETURNED = "returned"
    """The function returns it."""


@dataclass(frozen=True)
class RightValue:
    """A value that a line of the student's computes, and the right program too."""

    where: Where
    kind: RightKind
    text: str
    """The name that the line gives the value, or the part of the line; empty if there is none."""
    likeness: tuple[Likeness, ...] = ()
    """The ways in which it differs from the right one; none if it is the same."""


@dataclass(frozen=True)
class RightAnswer:
    """A call whose answer is right with random numbers, as far as it was tried."""

    call: str
    """The call as it is typed."""
    inputs: tuple[str, ...]
    """The tensors that it was given, each with its shape: `query (3, 4)`."""


@dataclass(frozen=True)
class RightLines:
    """The right values of a program whose answer is wrong, in the order of their computation."""

    values: tuple[RightValue, ...]
    """The last one is the one to tell; there is at least one."""
    nothing_from: Where | None = None
    """The line from which on nothing that was compared is the same; None if none was compared."""
    right_answer: RightAnswer | None = None
    """The call that these are the lines of, if its answer is right; None if its answer is wrong.

    The mistake then shows elsewhere: in a gradient, in an argument that was changed, or with other
    arguments."""
