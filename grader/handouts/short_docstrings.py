"""Shorten the docstrings of a definition to what its code cell needs: what it does, and shapes.

The rest stands in the notebook as text. Pure: text in, text out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from textwrap import wrap

from grader.text.paragraphs import rows_of

_COLUMNS = 100
_SHAPES = re.compile(r"(?m)^Shapes\n((?: +.*\n?)+)")
_SHAPE = re.compile(r"\((?:[^()]*,[^()]*)?\)")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def with_short_docstrings(node: Definition, lines: list[str], first: int) -> list[str]:
    """Return the lines of a definition with one short docstring, which is that of the whole.

    `first` is the number of the first of them in the file, counted from 0.
    """
    kept: list[str] = []
    at = first
    for owner, text in sorted(_docstrings(node), key=lambda pair: pair[1].lineno):
        opening = lines[text.lineno - 1 - first]
        if opening[: text.col_offset].strip() or (owner is not node and len(owner.body) == 1):
            continue  # on the line of its definition, or all there is to it
        kept += lines[at - first : text.lineno - 1 - first]
        kept += _quoted(short(_with_shapes(node)), opening[: text.col_offset], owner is node)
        at = text.end_lineno or text.lineno
    return kept + lines[at - first :]


def short(docstring: str) -> str:
    """Return the first paragraph of a docstring without its margin, and its shapes on a line.

    >>> shapes = "Shapes\\n    x        (B, T), any\\n    returns  (T,)"
    >>> print(short(f"Return it.\\n\\nMore.\\n\\n{shapes}"))
    Return it.
    <BLANKLINE>
        x (B, T) -> (T,)
    """
    summary, _, rest = docstring.partition("\n\n")
    shapes = _shapes(rest)
    return f"{summary}\n\n{shapes}" if shapes else summary


def _shapes(text: str) -> str:
    match = _SHAPES.search(text)
    rows = rows_of(match[1].rstrip("\n").split("\n")) if match else []
    taken = [f"{name} {_shape(words)}" for name, *words in rows if name != "returns"]
    given = [_shape(words) for name, *words in rows if name == "returns"]
    shown = ", ".join(one for one in taken if one.endswith(")"))
    line = f"{shown} -> {given[0]}".strip() if given and given[0] else shown
    return "\n".join(wrap(line, _COLUMNS - 12, initial_indent="    ", subsequent_indent="        "))


def _shape(words: list[str]) -> str:
    """Return the shapes that a text names, and no word of it."""
    text = " ".join(words)
    shapes = list(dict.fromkeys(_SHAPE.findall(text)))
    return (" | " if " or " in text else ", ").join(shapes)


def _docstrings(node: ast.AST) -> Iterator[tuple[Definition, ast.Constant]]:
    """Yield a definition and each of those in it, with its docstring."""
    for child in ast.walk(node):
        if not isinstance(child, _DEFINITIONS):
            continue
        match child.body[0]:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield child, text


def _with_shapes(node: Definition) -> str:
    """Return the docstring of a definition; of a class with the shapes of its methods below it."""
    parts = [one for one in node.body if isinstance(one, _DEFINITIONS)]
    shapes = [_SHAPES.search(ast.get_docstring(one) or "") for one in parts]
    texts = [match[0].rstrip("\n") for match in shapes if match is not None]
    return "\n\n".join([ast.get_docstring(node) or "", *texts[:1]])


def _quoted(text: str, indent: str, is_kept: bool) -> list[str]:
    """Return the lines of a short docstring, in quotes and at the place of the long one."""
    if not is_kept:
        return []
    rows = text.split("\n")
    prefix = "r" if "\\" in text else ""
    if len(rows) == 1 and not text.endswith('"'):
        return [f'{indent}{prefix}"""{text}"""']
    inner = [f"{indent}{row}".rstrip() for row in rows[1:]]
    return [f'{indent}{prefix}"""{rows[0]}', *inner, f'{indent}"""']
