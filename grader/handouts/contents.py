"""Keep the table of contents of a notebook: a list of its headings, in its own language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

ID = "contents"
"""The id of the cell that holds it."""
_HEADING = re.compile(r"(?m)^(?P<marks>##+) +(?P<title>\S.*)$")
_CODE_NAME = re.compile(r"`(?P<name>\w+)`")


def fill(cells: list[dict[str, Any]]) -> None:
    """List, in the cell for it, the headings of all texts behind it."""
    for number, cell in enumerate(cells):
        if cell["id"] == ID:
            behind = [one for one in cells[number + 1 :] if one["cell_type"] == "markdown"]
            listed = contents((one["id"], "".join(one["source"])) for one in behind)
            heading = "".join(cell["source"]).partition("\n")[0]
            cell["source"] = f"{heading}\n\n{listed}".splitlines(keepends=True)


def contents(texts: Iterable[tuple[str, str]]) -> str:
    """Return the headings of texts as a list of links to their cells.

    A link to a heading would be broken by the first letter that is not English.

    >>> print(contents([("a", "## Two words\\n\\nMore."), ("b", "### `f`"), ("c", "## The end")]))
    1. [Two words](#cell-id=a): `f`
    2. [The end](#cell-id=c)
    """
    rows: list[str] = []
    names: list[list[str]] = []
    for cell_id, title, name in _headings(texts):
        if title:
            rows.append(f"[{title}](#cell-id={cell_id})")
            names.append([])
        elif names:
            names[-1].append(f"`{name}`")
    return "\n".join(
        f"{number}. {row}{': ' if under else ''}{', '.join(under)}"
        for number, (row, under) in enumerate(zip(rows, names, strict=True), start=1)
    )


def _headings(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield the cell and the title of each part, and the name of each definition in it."""
    for cell_id, text in texts:
        for heading in _HEADING.finditer(text):
            code = _CODE_NAME.fullmatch(heading["title"])
            if len(heading["marks"]) == 2:
                yield cell_id, heading["title"].replace("`", ""), ""
            elif len(heading["marks"]) == 3 and code:
                yield cell_id, "", code["name"]
