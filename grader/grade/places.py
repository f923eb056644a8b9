"""Name a place in a student's own files."""

from __future__ import annotations

from dataclasses import dataclass

from ..text.language import _


@dataclass(frozen=True)
class Where:
    """A place in the student's own files."""

    file: str
    line: int | None = None
    cell: int | None = None
    likely: bool = False
    """True if the place was guessed from what the code looks like."""

    def __str__(self) -> str:
        place = self.file
        if self.cell is not None:
            place = _("{file} cell {cell}", file=place, cell=self.cell)
        return place if self.line is None else f"{place}:{self.line}"
