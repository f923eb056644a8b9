"""The source of one file, decoded: blocks of text, and what in it could not be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...language import _

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
    """Whether nothing of the file could be read."""


@dataclass(frozen=True)
class Block:
    """A stretch of source that is parsed on its own: a whole `.py` file or one cell."""

    text: str
    filename: str
    """What tracebacks call it."""
    cell: int | None = None
    demo: bool = False
    original: str | None = None
    """With its magics, where that is not what is parsed; line by line the same."""

    @property
    def seen(self) -> str:
        """The text as its author sees it."""
        return self.text if self.original is None else self.original


@dataclass(frozen=True)
class Source:
    """One file of the submission, decoded."""

    blocks: tuple[Block, ...]
    faults: tuple[Fault, ...]


def is_demo_line(line: str) -> bool:
    """Whether a line is the comment that marks what follows as a demonstration."""
    return _DEMO.match(line) is not None


def tidy(text: str) -> tuple[str, tuple[Fault, ...]]:
    """The text with `\\n` line ends, without a byte order mark; a NUL in it is a fault."""
    text = text.removeprefix("\N{BYTE ORDER MARK}").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" not in text:
        return text, ()
    line = text.count("\n", 0, text.index("\0")) + 1
    fault = Fault(_("there is a NUL byte in this line: delete it"), line)
    return text.replace("\0", _NOT_TEXT), (fault,)


def spot(file: str, cell: int | None, line: int | None) -> str:
    """A place in the submission, as reports write it."""
    place = file if cell is None else _("{file} cell {cell}", file=file, cell=cell)
    return place if line is None else f"{place}:{line}"
