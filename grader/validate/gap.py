"""What is missing or wrong in a course, said to its author."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Gap:
    """One thing to mend: where, what, and what to do about it."""

    file: str
    line: int
    message: str
    next: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.message}\n    next: {self.next}"


def gap_at(place: str, message: str, next: str) -> Gap:
    """
    >>> print(gap_at("rubric.yaml:3", "no points", "write them"))
    rubric.yaml:3  no points
        next: write them
    """
    file, _, line = place.rpartition(":")
    return Gap(file, int(line), message, next)


def gap_of(error: Exception, next: str) -> Gap:
    """The gap that an exception tells of, whose text starts with file:line."""
    found = re.match(r"(?s)(.+?):(\d+):\s*(.*)", str(error))
    if found is None:
        return Gap("rubric.yaml", 1, str(error), next)
    return Gap(found[1], int(found[2]), found[3], next)
