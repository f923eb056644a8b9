"""Take back that a line is right where a cause says that the mistake is in that very line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...grade.evidence import Observation, Where

_Line = tuple[str, str, int | None, int | None]
"""The exercise, and file, cell and number of a line."""


def without_accused(observations: Sequence[Observation]) -> list[Observation]:
    """Return observations in which no right line is the likely place of a cause.

    What such a line computes may be right, and what is missing in it comes next: scores that are
    not divided yet.
    """
    accused = {_line(seen, seen.where) for seen in observations if seen.where and seen.where.likely}
    return [_cleared(seen, accused) for seen in observations]


def _cleared(seen: Observation, accused: Iterable[_Line]) -> Observation:
    lines = seen.right_lines
    if lines is None:
        return seen
    right = tuple(one for one in lines.values if _line(seen, one.where) not in accused)
    return replace(seen, right_lines=replace(lines, values=right) if right else None)


def _line(seen: Observation, where: Where) -> _Line:
    return seen.exercise, where.file, where.cell, where.line
