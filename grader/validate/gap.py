"""Describe what is missing or wrong in a course, for its author."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Gap:
    """One thing to mend: its place, the problem, and the next step."""

    file: str
    line: int
    message: str
    next: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.message}\n    next: {self.next}"


def gap_at(place: str, message: str, next: str) -> Gap:
    """Return the gap at a place written as file:line.

    >>> print(gap_at("rubric.yaml:3", "no points", "write them"))
    rubric.yaml:3  no points
        next: write them
    """
    file, _, line = place.rpartition(":")
    return Gap(file, int(line), message, next)


def gap_of(error: Exception, next: str) -> Gap:
    """Return the gap for an exception whose text starts with file:line."""
    match = re.match(r"(?s)(.+?):(\d+):\s*(.*)", str(error))
    if match is None:
        return Gap("rubric.yaml", 1, str(error), next)
    return Gap(match[1], int(match[2]), match[3], next)
