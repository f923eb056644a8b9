"""Pieces of GitHub-flavoured Markdown in which no text of a student's means anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import east_asian_width

from grader.report.cleaning import one_line

# Inside a line; no text of ours begins one.
_MARKUP = re.compile(r"([\\`*_\[\]~$])")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table whose second column holds numbers; each cell is Markdown already."""
    # A cell ends at a bar even inside a code span, unless the bar is escaped.
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    lines = [head, ("---", "--:", *["---"] * (len(head) - 2)), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fenced(lines: Iterable[str]) -> str:
    """A block of text, whatever is in it."""
    text = "\n".join(line.rstrip() for line in lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def span(text: str) -> str:
    """A code span, whatever is in it."""
    text = one_line(text) or " "
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def plain(text: str) -> str:
    """The author's words, with nothing in them that Markdown or HTML would take for its own."""
    return _MARKUP.sub(r"\\\1", html(text))


def html(text: str) -> str:
    """One line that is no HTML."""
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def cells(text: str) -> int:
    """How wide a text is where every letter has the same width, and Korean ones have two."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
