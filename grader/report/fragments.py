"""Write pieces of GitHub-flavoured Markdown in which a student's text has no special meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import east_asian_width

from grader.report.cleaning import one_line

# Inside a line; no text of ours begins one.
_MARKUP = re.compile(r"([\\`*_\[\]~$])")

_INERT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "`": "&#96;", "~~~": "&#126;~~", "](": "]&#40;"}


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table whose second column holds numbers; each cell is Markdown already."""
    # A cell ends at a bar even inside a code span, unless the bar is escaped.
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    lines = [head, ("---", "--:", *["---"] * (len(head) - 2)), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def block(lines: Iterable[str]) -> str:
    """Return a block of text that shows any content as it is.

    It is a `<pre>` and not a fence: readers that know no fences, or none inside `<details>`, would
    take the content for HTML. Nothing is left in it that is HTML, a link, a picture or a fence to
    any of them.
    """
    text = "\n".join(line.rstrip() for line in lines)
    for mark, entity in _INERT.items():
        text = text.replace(mark, entity)
    return f"<pre>\n{text}\n</pre>"


def span(text: str) -> str:
    """Return a code span that shows any text as it is."""
    text = one_line(text) or " "
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def plain(text: str) -> str:
    """Escape the author's words so that they hold no Markdown and no HTML."""
    return _MARKUP.sub(r"\\\1", html(text))


def html(text: str) -> str:
    """Return one line with the characters escaped that mean something in HTML."""
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def cells(text: str) -> int:
    """Return the width of a text in a font of fixed width, where Korean letters take two cells."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
