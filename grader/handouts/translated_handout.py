"""Translate a whole hand-out: the same program, and the same cells with the same ids.

Only docstrings, texts and comments change, so that it is graded as the English one is. Pure: text
in, text out, except for `in_all_languages`, which reads catalogues.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.course.translations import handout_languages, translation
from grader.handouts import contents
from grader.text.paragraphs import Translate, translated_text

_QUOTES = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")
_MARK = "# demo"


@dataclass(frozen=True)
class _Change:
    """New text between two places of a source, each a line and a column counted from 0."""

    begin: tuple[int, int]
    end: tuple[int, int]
    text: str


def in_all_languages(root: Path, handouts: Mapping[str, str]) -> dict[str, str]:
    """Return English hand-outs by name, and each of them in every language of the course at `root`.

    The translations are in a folder of their language.
    """
    translations = dict(handouts)
    for language in handout_languages(root):
        translate = translation(root, language)
        for name, text in handouts.items():
            translations[f"{language}/{name}"] = translated(name, text, translate)
    return translations


def paragraphs(name: str, handout: str) -> list[str]:
    """Return everything in a hand-out that should be translated, each paragraph once.

    >>> paragraphs("answers.md", "# Why\\n\\nBecause two\\nlines.\\n\\n    a = b\\n")
    ['Why', 'Because two lines.']
    """
    texts: dict[str, None] = {}

    def note(text: str) -> str:
        texts[text] = None
        return text

    translated(name, handout, note)
    return list(texts)


def translated(name: str, handout: str, translate: Translate) -> str:
    """Return the hand-out of that name, `.py`, `.ipynb` or `.md`, in another language."""
    match PurePosixPath(name).suffix:
        case ".py":
            return translated_python(handout, translate)
        case ".ipynb":
            return translated_notebook(handout, translate)
    return translated_text(handout, translate)


def translated_notebook(notebook: str, translate: Translate) -> str:
    """Return the same cells with the same ids; texts and comments in another language."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        change = translated_python if cell["cell_type"] == "code" else translated_text
        source = "".join(cell["source"])
        if cell["id"] == contents.ID:  # of which only the heading is a text
            source = source.partition("\n")[0]
        cell["source"] = change(source, translate).splitlines(keepends=True)
    contents.fill(content["cells"])
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def translated_python(source: str, translate: Translate) -> str:
    """Return the same program: only its docstrings, texts and comments change.

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


def _texts(
    source: str, tokens: list[tokenize.TokenInfo], translate: Translate
) -> Iterator[_Change]:
    """Yield the changes to docstrings, and to strings that stand by themselves."""
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
        # The first line begins with the quotes, and may end with them.
        around = len(quotes[1]) * (1 if rest else 2)
        new = translated_text(text, translate, margin=margin + around)
        first, *rest = new.split("\n")
        shown = "\n".join([first, *(" " * margin + line if line else "" for line in rest)])
        begin = token.start[0] - 1, token.start[1] + quotes.end()
        yield _Change(begin, (token.end[0] - 1, token.end[1] - len(quotes[1])), shown + tail)


def _comments(tokens: list[tokenize.TokenInfo], translate: Translate) -> Iterator[_Change]:
    """Yield the changes to comments.

    Comments on lines of their own, one below another, are one text.
    """
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
    rows = translated_text(text, translate, margin=margin + 2, strict=True).split("\n")
    shown = f"\n{' ' * margin}".join(f"# {row}".rstrip() for row in rows)
    return _Change((first - 1, margin), (last - 1, stop), shown)
