"""The texts of a hand-out, paragraph by paragraph, and the same hand-out in other words.

What is translated is prose: paragraphs, items, headings, and what stands on the right of a table.
Formulas, examples and code stay as they are, so that a translated hand-out holds the same program.
Pure: text in, text out.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.columns import columns, wrapped

Translate = Callable[[str], str]
"""From a paragraph, on one line, to its translation; to itself where there is none."""

_CELL = re.compile(r"\S+(?: \S+)*? {2,}(?=\S)")
_ITEM = re.compile(r"(?:\d\d?\.|[-*]) +(?=\S)")
_HEADING = re.compile(r"#{1,6} +(?=\S)")
_NO_PROSE = re.compile(r"`[^`]*`")
# Two letters are a word, a capital and one letter are a symbol such as Dh.
_WORD = r"(?<![\w.'@/])(?:[a-z]{2,}|[A-Z][a-z]{2,})(?![\w(\[/])"
_ONE_WORD = re.compile(_WORD)
_TWO_WORDS = re.compile(rf"{_WORD} {_WORD}")
_QUOTES = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")
_KEPT = ("<!--", ">>>", "```")
_MARK = "# demo"


@dataclass(frozen=True)
class _Block:
    """Lines that are translated as one, or stay as they are."""

    lines: tuple[str, ...]
    lead: str = ""
    """What stays as it is before the text: indentation, the number of an item."""
    cells: tuple[str, ...] = ()
    """Of the row of a table those before the text, with the space behind them."""
    text: str = ""
    """On one line; empty if nothing here is ever translated."""


@dataclass(frozen=True)
class _Change:
    """New text between two places of a source, each a line and a column counted from 0."""

    begin: tuple[int, int]
    end: tuple[int, int]
    text: str


def paragraphs(name: str, handout: str) -> list[str]:
    """Everything in a hand-out of which there should be a translation, each paragraph once.

    >>> paragraphs("answers.md", "# Why\\n\\nBecause two\\nlines.\\n\\n    a = b\\n")
    ['Why', 'Because two lines.']
    """
    found: dict[str, None] = {}

    def note(text: str) -> str:
        found[text] = None
        return text

    translated(name, handout, note)
    return list(found)


def translated(name: str, handout: str, translate: Translate) -> str:
    """The hand-out of that name, `.py`, `.ipynb` or `.md`, in another language."""
    match PurePosixPath(name).suffix:
        case ".py":
            return translated_python(handout, translate)
        case ".ipynb":
            return translated_notebook(handout, translate)
    return translated_text(handout, translate)


def translated_notebook(notebook: str, translate: Translate) -> str:
    """The same cells with the same ids; texts and comments in another language."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        change = translated_python if cell["cell_type"] == "code" else translated_text
        cell["source"] = change("".join(cell["source"]), translate).splitlines(keepends=True)
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def translated_python(source: str, translate: Translate) -> str:
    """The same program: only its docstrings, texts and comments change.

    >>> translated_python("x = 1  # the only one", str.upper)
    'x = 1  # THE ONLY ONE'
    """
    lines = source.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    changes = [*_texts(source, tokens, translate), *_comments(tokens, translate)]
    for change in sorted(changes, key=lambda change: change.begin, reverse=True):
        (first, start), (last, stop) = change.begin, change.end
        around = lines[first][:start] + change.text + lines[last][stop:]
        lines[first : last + 1] = around.split("\n")
    return "\n".join(lines)


def translated_text(
    text: str, translate: Translate, *, indent: int = 0, comment: bool = False
) -> str:
    """A text in another language, to be indented by so much; as a comment it is prose only if two
    words stand side by side in it."""
    blocks = _blocks(text.split("\n"))
    spoken = (_spoken(block, translate, indent, strict=comment) for block in blocks)
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


def _new(text: str, translate: Translate, *, strict: bool) -> str:
    words = _TWO_WORDS if strict or " = " in text else _ONE_WORD
    return translate(text) if words.search(_NO_PROSE.sub("", text)) else text


def _texts(
    source: str, tokens: list[tokenize.TokenInfo], translate: Translate
) -> Iterator[_Change]:
    """Docstrings, and strings that stand by themselves."""
    places = {
        ((node.lineno, node.col_offset), node.end_lineno)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
    for token in tokens:
        quotes = _QUOTES.match(token.string) if token.type == tokenize.STRING else None
        if quotes is None or (token.start, token.end[0]) not in places:
            continue
        margin = token.start[1]
        inner = token.string[quotes.end() : -len(quotes[1])]
        tail = inner[len(inner.rstrip()) :]
        first, *rest = inner.removesuffix(tail).split("\n")
        text = "\n".join([first, *(line.removeprefix(" " * margin) for line in rest)])
        # The quotes stand on the first line, too.
        new = translated_text(text, translate, indent=margin + 2 * len(quotes[1]))
        first, *rest = new.split("\n")
        shown = "\n".join([first, *(" " * margin + line if line else "" for line in rest)])
        begin = token.start[0] - 1, token.start[1] + quotes.end()
        yield _Change(begin, (token.end[0] - 1, token.end[1] - len(quotes[1])), shown + tail)


def _comments(tokens: list[tokenize.TokenInfo], translate: Translate) -> Iterator[_Change]:
    """Comments on lines of their own, those below one another as one text, and others."""
    group: list[tokenize.TokenInfo] = []
    for token in tokens:
        if token.type in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            continue
        own = token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
        follows = group and token.start == (group[-1].start[0] + 1, group[-1].start[1])
        if group and not (own and follows):
            yield _comment(group, translate)
            group = []
        if own and token.string.rstrip() != _MARK:
            group.append(token)
        elif token.type == tokenize.COMMENT:
            yield _comment([token], translate)


def _comment(group: list[tokenize.TokenInfo], translate: Translate) -> _Change:
    (first, margin), (last, stop) = group[0].start, group[-1].end
    text = "\n".join(token.string.removeprefix("#").removeprefix(" ") for token in group)
    rows = translated_text(text, translate, indent=margin + 2, comment=True).split("\n")
    shown = f"\n{' ' * margin}".join(f"# {row}".rstrip() for row in rows)
    return _Change((first - 1, margin), (last - 1, stop), shown)


def _blocks(lines: list[str]) -> Iterator[_Block]:
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
        else:
            lead, cells = _lead(line)
            start = len(lead) + sum(map(len, cells))
            end = _end_of_text(lines, at, line[:start])
            taken = tuple(lines[at:end])
            text = " ".join([line[start:].rstrip(), *(row.strip() for row in taken[1:])])
            yield _Block(taken, lead, cells, text)
        at = end


def _lead(line: str) -> tuple[str, tuple[str, ...]]:
    """What stands before the text of a line: a fixed part, and the cells of a table's row."""
    body = line.lstrip()
    indent = line[: len(line) - len(body)]
    found = _ITEM.match(body) or (None if indent else _HEADING.match(body))
    fixed = indent + (found[0] if found else "")
    return fixed, tuple(_CELL.findall(line[len(fixed) :])) if indent else ()


def _end_of_example(lines: list[str], at: int) -> int:
    fence = lines[at].lstrip().startswith("```")
    while at + 1 < len(lines):
        at += 1
        if lines[at].lstrip().startswith("```") if fence else not lines[at].strip():
            return at + fence
    return len(lines)


def _end_of_text(lines: list[str], at: int, before: str) -> int:
    """Where a text ends: prose at the next line that is indented or begins something else, an
    item or a row at the first line that does not stand below its text, a formula at once."""
    end = at + 1
    if before.isspace() or before.startswith("#"):
        return end
    while end < len(lines):
        line = lines[end]
        body = line.lstrip()
        if not body or len(line) - len(body) != len(before) or body.startswith(_KEPT):
            break
        lead, cells = _lead(line)
        if cells or lead.strip():
            break
        end += 1
    return end
