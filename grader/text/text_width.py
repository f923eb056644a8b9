"""Measure lines of text in columns: a letter of Korean, Chinese or Japanese is two wide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

MAX_COLUMNS = 100
_TOGETHER = re.compile(r"(?:`[^`]*`|\([!-\'*-~ ·…√]{,30}\)|\S)+")
"""The pieces that stay on one line: words, code, and symbols in brackets."""


def columns(text: str) -> int:
    """Return the width of a text in columns.

    >>> columns("어텐션 map")
    10
    """
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def wrapped(text: str, lead: str, *, margin: int = 0) -> Iterator[str]:
    """Yield the text on lines of at most MAX_COLUMNS columns, the first one after `lead`.

    The other lines are indented by the width of `lead`.

    `margin` columns are left for what will stand around each line. Code in backticks is not cut.

    >>> list(wrapped("가나다 라마바", "1. ", margin=85))
    ['1. 가나다', '   라마바']
    """
    room = MAX_COLUMNS - margin - columns(lead)
    below = " " * columns(lead)
    if columns(text) <= room:
        yield lead + text
        return
    line = ""
    for word in _TOGETHER.findall(text):
        if line and columns(f"{line} {word}") > room:
            yield lead + line
            lead, line = below, ""
        line = f"{line} {word}" if line else word
    yield lead + line
