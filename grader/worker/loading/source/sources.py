"""The source of one file, decoded: blocks of text, and the pieces that could not be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ....text.language import _

_NOT_TEXT = "\N{REPLACEMENT CHARACTER}"
_DEMO = re.compile(r"#\s*demo\s*:?\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Fault:
    """Something in the source that Python cannot read."""

    message: str
    line: int | None
    text: str = ""
    """The source that was left out, so that a missing name can be traced to it."""
    cell: int | None = None
    is_whole: bool = False
    """True if nothing of the file could be read."""


@dataclass(frozen=True)
class Block:
    """A stretch of source that is parsed on its own: a whole `.py` file or one cell."""

    text: str
    filename: str
    """The name of the block in tracebacks."""
    cell: int | None = None
    demo: bool = False
    original: str | None = None
    """The text with its magics, if it was parsed without them; line by line the same."""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @property
    def seen(self) -> str:
        """Return the text as its author sees it."""
        return self.text if self.original is None else self.original


@dataclass(frozen=True)
class SourceFile:
    """One file of the submission, decoded."""

    blocks: tuple[Block, ...]
    faults: tuple[Fault, ...]


def is_demo_line(line: str) -> bool:
    """Tell whether a line is the comment that marks what follows as a demonstration."""
    return _DEMO.match(line) is not None


def tidy(text: str) -> tuple[str, tuple[Fault, ...]]:
    """Return the text with `\\n` line ends and no byte order mark; a NUL in it is a fault."""
    text = text.removeprefix("\N{BYTE ORDER MARK}").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" not in text:
        return text, ()
    line = text.count("\n", 0, text.index("\0")) + 1
    fault = Fault(_("there is a NUL byte in this line: delete it"), line)
    return text.replace("\0", _NOT_TEXT), (fault,)


def spot(file: str, cell: int | None, line: int | None) -> str:
    """Write a place in the submission as reports do: file, cell, line."""
    place = file if cell is None else _("{file} cell {cell}", file=file, cell=cell)
    return place if line is None else f"{place}:{line}"
