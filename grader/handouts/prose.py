"""Turn the text of a docstring into Markdown: tables, equations and examples as a notebook shows.

The words stay as they are, paragraph by paragraph, so that one translation serves both. Pure: text
in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from grader.text.paragraphs import rows_of

Equations = Mapping[str, str]
"""Maps a block of a docstring, as `plain` returns it, to LaTeX."""

TASK = "To write here:"
_INDENT = "    "
_LABEL = re.compile(r"\w+")
_NAMES = re.compile(r"[\w.…]+(?:, [\w.…]+)*")
_RETURNS = "returns"


def markdown_of(docstring: str, equations: Equations) -> str:
    """Return a docstring, its margin taken off, as Markdown.

    >>> docstring = "Twice.\\n\\nShapes\\n    x  (T,)\\n\\n    y = 2 x"
    >>> print(markdown_of(docstring, {"y = 2 x": "2x"}))
    Twice.
    <BLANKLINE>
    | Shapes | |
    | :--- | :--- |
    | `x` | (T,) |
    <BLANKLINE>
    $$
    2x
    $$
    """
    chunks = re.split(r"\n{2,}", docstring.strip("\n"))
    return "\n\n".join(part for chunk in chunks for part in _parts(chunk.split("\n"), equations))


def plain(lines: list[str]) -> str:
    """Return the lines of an equation without what spaces around and between them look like."""
    return "\n".join(" ".join(line.split()) for line in lines)


def _parts(lines: list[str], equations: Equations) -> Iterator[str]:
    """Yield what becomes of lines without a blank one: prose, then what is indented, then prose."""
    first = next((n for n, line in enumerate(lines) if line.startswith(_INDENT)), len(lines))
    last = next((n for n in range(first, len(lines)) if lines[n][:4].strip()), len(lines))
    label = lines[0] if first == 1 and _LABEL.fullmatch(lines[0]) else ""
    if first and not label:
        yield _prose(lines[:first])
    if first < last:
        yield _block(lines[first:last], equations, label, is_introduced=first > 0)
    if last < len(lines):
        yield from _parts(lines[last:], equations)


def _prose(lines: list[str]) -> str:
    text = "\n".join(lines)
    # A task is set off from what is told, by a bar beside it.
    return f"> {' '.join(lines)}" if text.startswith(TASK) else text


def _block(lines: list[str], equations: Equations, label: str, *, is_introduced: bool) -> str:
    latex = equations.get(plain(lines))
    if latex is not None:
        return f"$$\n{latex}\n$$"
    if lines[0].strip().startswith(">>>"):
        return "\n".join(["```python", *(line.removeprefix(_INDENT) for line in lines), "```"])
    rows = rows_of(lines)
    if _is_table(rows, is_introduced=is_introduced):
        return _table(rows, label)
    if label:
        return "\n\n".join([label, _block(lines, equations, "", is_introduced=True)])
    if is_introduced and all(len(row) == 1 for row in rows):
        return "\n".join(f"- {text}" for (text,) in rows)
    return "\n".join(lines)  # which Markdown shows as it stands


def _is_table(rows: list[tuple[str, ...]], *, is_introduced: bool) -> bool:
    """Tell a list of names from a drawing, whose columns stand for themselves."""
    widths = {len(row) for row in rows}
    if 1 in widths:
        return False
    return max(widths) < 4 if is_introduced else widths == {2} and len(rows) > 1


def _table(rows: list[tuple[str, ...]], label: str) -> str:
    width = max(map(len, rows))
    filled = [(*row, *[""] * (width - len(row))) for row in rows]
    named = [(_name(name), *(text.replace("|", "\\|") for text in rest)) for name, *rest in filled]
    table = [(label, *[""] * (width - 1)), (":---",) * width, *named]
    return "\n".join(re.sub(" +", " ", f"| {' | '.join(row)} |") for row in table)


def _name(text: str) -> str:
    return f"`{text}`" if _NAMES.fullmatch(text) and text != _RETURNS else text
