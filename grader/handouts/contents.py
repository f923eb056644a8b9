"""Keep the table of contents of a notebook: a list of its headings, in its own language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

ID = "contents"
"""The id of the cell that holds it."""
_HEADING = re.compile(r"(?m)^(?P<marks>##+) +(?P<title>\S.*)$")
_CODE_NAME = re.compile(r"`(?P<name>\w+)`")


def contents(texts: Sequence[str]) -> str:
    """Return the headings of a notebook's texts as a list of links.

    >>> print(contents(["## Two words\\n\\nMore.", "### `f`", "### `g`", "## The end"]))
    1. [Two words](#Two-words): `f`, `g`
    2. [The end](#The-end)
    """
    rows: list[str] = []
    names: list[list[str]] = []
    for title, name in _headings(texts):
        if title:
            rows.append(f"[{title}](#{title.replace(' ', '-')})")
            names.append([])
        elif names:
            names[-1].append(f"`{name}`")
    return "\n".join(
        f"{number}. {row}{': ' if under else ''}{', '.join(under)}"
        for number, (row, under) in enumerate(zip(rows, names, strict=True), start=1)
    )


def _headings(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the title of each part, and the name of each definition in it."""
    for text in texts:
        for heading in _HEADING.finditer(text):
            code = _CODE_NAME.fullmatch(heading["title"])
            if len(heading["marks"]) == 2:
                yield heading["title"].replace("`", ""), ""
            elif len(heading["marks"]) == 3 and code:
                yield "", code["name"]
