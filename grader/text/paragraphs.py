"""Cut a text of a hand-out into paragraphs, and write the same text in another language.

Prose is translated: paragraphs, items, headings, and the right column of a table. Formulas and
examples stay as they are. Pure: text in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.text.text_width import columns, wrapped

Translate = Callable[[str], str]
"""Maps a paragraph, on one line, to its translation; to itself if there is none."""

_CELL = re.compile(r"\S+(?: \S+)*? {2,}(?=\S)")
_ITEM = re.compile(r"(?:\d\d?\.|[-*>]) +(?=\S)")
_HEADING = re.compile(r"#{1,6} +(?=\S)")
_NO_PROSE = re.compile(r"`[^`]*`|\$[^$]*\$")
# Two letters are a word, a capital and one letter are a symbol such as Dh.
_WORD = r"(?<![\w.'@/])(?:[a-z]{2,}|[A-Z][a-z]{2,})(?![\w(\[/])"
_ONE_WORD = re.compile(_WORD)
_TWO_WORDS = re.compile(rf"{_WORD} {_WORD}")
_FENCES = ("```", "$$")
_KEPT = ("<!--", ">>>", *_FENCES)
_TABLE = "|"
_RULE = re.compile(r"\|[\s:|-]+\|")
"""The line between the head of a table and its rows."""


@dataclass(frozen=True)
class _Block:
    """Lines that are translated as one, or stay as they are."""

    lines: tuple[str, ...]
    lead: str = ""
    """The part before the text that stays as it is: indentation, the number of an item."""
    cells: tuple[str, ...] = ()
    """The cells before the text in the row of a table, each with the space behind it."""
    text: str = ""
    """The text on one line; empty if nothing here is ever translated."""


@dataclass(frozen=True)
class _Row:
    """A row of a Markdown table: its head, in which all speaks, or one that begins with a name."""

    line: str
    is_head: bool


def translated_text(
    text: str, translate: Translate, *, margin: int = 0, strict: bool = False
) -> str:
    """Return a text in another language, on lines that leave `margin` columns free.

    If `strict`, as in a comment, only two words side by side count as prose.

    >>> print(translated_text("Two\\nwords\\n    x  (B, T), any\\n    y = x\\n", str.upper))
    TWO WORDS
        x  (B, T), ANY
        y = x
    <BLANKLINE>
    """
    blocks = _blocks(text.split("\n"))
    spoken = (
        _row(block, translate)
        if isinstance(block, _Row)
        else _spoken(block, translate, margin, strict=strict)
        for block in blocks
    )
    return "\n".join(line for lines in spoken for line in lines)


def _spoken(block: _Block, translate: Translate, margin: int, *, strict: bool) -> tuple[str, ...]:
    lead = block.lead
    for number, cell in enumerate(block.cells):
        # The first one is a name, unless it speaks.
        new = _new(cell.rstrip(), translate, strict=strict or number == 0)
        lead += new + " " * max(columns(cell) - columns(new), 2)
    text = _new(block.text, translate, strict=strict or not (lead.strip() or not lead))
    if not block.text or lead + text == block.lead + "".join(block.cells) + block.text:
        return block.lines
    return tuple(wrapped(text, lead, margin=margin))


def _row(row: _Row, translate: Translate) -> tuple[str, ...]:
    cells = [cell.strip() for cell in row.line.strip().strip(_TABLE).split(f" {_TABLE}")]
    new = (_new(cell, translate, strict=not (n or row.is_head)) for n, cell in enumerate(cells))
    return (f"| {' | '.join(new)} |".replace("|  |", "| |"),)


def _new(text: str, translate: Translate, *, strict: bool) -> str:
    words = _TWO_WORDS if strict or " = " in text else _ONE_WORD
    return translate(text) if words.search(_NO_PROSE.sub("", text)) else text


def rows_of(lines: list[str]) -> list[tuple[str, ...]]:
    """Return the cells of indented lines, a row for each of their texts.

    >>> rows_of(["    x    (B, T), any", "         numbers", "    y_2  (T,)"])
    [('x', '(B, T), any numbers'), ('y_2', '(T,)')]
    """
    rows: list[tuple[str, ...]] = []
    for block in _blocks(lines):
        if isinstance(block, _Block):
            first, *rest = [*block.cells, block.text]
            rows.append((f"{block.lead.strip()} {first}".strip(), *map(str.strip, rest)))
    return rows


def _blocks(lines: list[str]) -> Iterator[_Block | _Row]:
    at = 0
    while at < len(lines):
        line = lines[at]
        body = line.lstrip()
        if not body or body.startswith("<!--"):
            end = at + 1
            yield _Block((line,))
        elif body.startswith(_KEPT):
            end = _end_of_example(lines, at)
            yield _Block(tuple(lines[at:end]))
        elif line.startswith(_TABLE):
            end = at + 1
            below = lines[end] if end < len(lines) else ""
            is_rule = _RULE.fullmatch(line) is not None
            yield _Block((line,)) if is_rule else _Row(line, _RULE.fullmatch(below) is not None)
        else:
            lead, cells = _lead(line)
            start = len(lead) + sum(map(len, cells))
            end = _end_of_text(lines, at, line[:start])
            taken = tuple(lines[at:end])
            text = " ".join([line[start:].rstrip(), *(row.strip() for row in taken[1:])])
            yield _Block(taken, lead, cells, text)
        at = end


def _lead(line: str) -> tuple[str, tuple[str, ...]]:
    """Return the part before the text of a line: a fixed part, and the cells of a row."""
    body = line.lstrip()
    indent = line[: len(line) - len(body)]
    match = _ITEM.match(body) or (None if indent else _HEADING.match(body))
    fixed = indent + (match[0] if match else "")
    return fixed, tuple(_CELL.findall(line[len(fixed) :])) if indent else ()


def _end_of_example(lines: list[str], at: int) -> int:
    fence = next((mark for mark in _FENCES if lines[at].lstrip().startswith(mark)), "")
    while at + 1 < len(lines):
        at += 1
        if lines[at].lstrip().startswith(fence) if fence else not lines[at].strip():
            return at + bool(fence)
    return len(lines)


def _end_of_text(lines: list[str], at: int, before: str) -> int:
    """Return the number of the line after a text.

    Prose ends at the next line that is indented or begins something else, an item or a row at the
    first line that does not stand below its text, a formula at once.
    """
    end = at + 1
    if before.isspace() or before.startswith("#"):
        return end
    while end < len(lines):
        line = lines[end]
        body = line.lstrip()
        if not body or len(line) - len(body) != len(before) or body.startswith((*_KEPT, _TABLE)):
            break
        lead, cells = _lead(line)
        if cells or lead.strip():
            break
        end += 1
    return end
