"""Define what `grader doctor` says of one thing that grading needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Requirement:
    """Something that grading needs of a machine, and what this one has."""

    name: str
    actual: str
    fix: str = ""
    """The way to mend it; empty if all is well."""
    advice: str = ""
    """A possible improvement, if nothing is missing."""
