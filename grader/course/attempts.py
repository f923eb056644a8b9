"""Define the rule of a course for students who hand in several times: `attempts` in a rubric."""

from __future__ import annotations

from enum import StrEnum


class AttemptRule(StrEnum):
    """The rules for which of a student's hand-ins counts."""

    BEST = "best"
    """The one with the most points, after what lateness takes; of equal ones the earliest."""
    LAST = "last"
    FIRST = "first"
