"""Write a definition one statement a line, each with the lines that it takes in its file."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_BLOCKS = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With)


@dataclass(frozen=True)
class StatementLine:
    """A statement that holds no others, or the head of one that does."""

    depth: int
    """How many statements it is in."""
    text: str
    """The statement without comments and annotations; of several lines if it holds others."""
    first: int
    """Its first line in the file."""
    last: int
    nodes: tuple[ast.AST, ...]
    """What it consists of."""


def definitions(tree: ast.Module) -> Mapping[str, ast.stmt]:
    """Return the functions and classes at the top of a file by their names."""
    tops = (node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    return {node.name: node for node in tops}


def start_of(node: ast.stmt) -> int:
    """Return the first line of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def lines_of(node: ast.stmt, source: str) -> tuple[StatementLine, ...]:
    """Return the lines of a definition, docstrings left out.

    `source` is its file, to find what the tree does not tell; "" where no line numbers matter.

    >>> code = "def f(x: int):\\n    if x:  # yes\\n        return 1\\n    else:\\n        return 2"
    >>> [(one.depth, one.text, one.first) for one in lines_of(ast.parse(code).body[0], code)]
    [(0, 'def f(x):', 1), (1, 'if x:', 2), (2, 'return 1', 3), (1, 'else:', 4), (2, 'return 2', 5)]
    """
    return tuple(_lines(node, 0, source.split("\n")))


def _lines(node: ast.stmt, depth: int, source: Sequence[str]) -> Iterator[StatementLine]:
    body = _body(node)
    if not isinstance(node, _BLOCKS) or not body or start_of(body[0]) == node.lineno:
        text = ast.unparse(_bare(node))
        yield StatementLine(depth, text, start_of(node), node.end_lineno or 0, (node,))
        return
    yield from _head(node, depth, source)
    for one in body:
        yield from _lines(one, depth + 1, source)
    yield from _otherwise(node, depth, source)


def _body(node: ast.stmt) -> list[ast.stmt]:
    body: list[ast.stmt] = getattr(node, "body", [])
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
        return body[1:]
    return body


def _head(
    node: ast.stmt, depth: int, source: Sequence[str], word: str = ""
) -> Iterator[StatementLine]:
    shell = copy.copy(node)
    shell.body = [ast.Pass()]  # type: ignore[attr-defined]
    if hasattr(shell, "orelse"):
        shell.orelse = []
    bare = _bare(shell)
    text = word + "\n".join(ast.unparse(bare).split("\n")[:-1])
    first = start_of(node)
    last = start_of(node.body[0]) - 1  # type: ignore[attr-defined]
    parts = [one for one in ast.iter_child_nodes(node) if one not in node.body]  # type: ignore[attr-defined]
    parts = [one for one in parts if one not in getattr(node, "orelse", [])]
    yield StatementLine(depth, text, first, _without_comments(source, first, last), tuple(parts))


def _otherwise(node: ast.stmt, depth: int, source: Sequence[str]) -> Iterator[StatementLine]:
    others: list[ast.stmt] = getattr(node, "orelse", [])
    if not others:
        return
    inner = others[0]
    is_elif = isinstance(node, ast.If) and inner.col_offset == node.col_offset
    if isinstance(inner, ast.If) and is_elif:
        yield from _head(inner, depth, source, "el")
        for one in inner.body:
            yield from _lines(one, depth + 1, source)
        yield from _otherwise(inner, depth, source)
        return
    end = node.body[-1].end_lineno or 0  # type: ignore[attr-defined]
    at = _line_of_else(source, end + 1, start_of(inner) - 1)
    yield StatementLine(depth, "else:", at, at, ())
    for one in others:
        yield from _lines(one, depth + 1, source)


def _line_of_else(source: Sequence[str], first: int, last: int) -> int:
    numbers = range(first, min(last, len(source)) + 1)
    return next((at for at in numbers if source[at - 1].strip().startswith("else")), first)


def _without_comments(source: Sequence[str], first: int, last: int) -> int:
    """Return the last line that is neither empty nor a comment."""
    while first < last <= len(source) and source[last - 1].strip()[:1] in ("", "#"):
        last -= 1
    return last


class _Bare(ast.NodeTransformer):
    """Takes annotations out: they compute nothing."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        assigned = ast.Assign([node.target], node.value)
        return ast.fix_missing_locations(ast.copy_location(assigned, node))


def _bare(node: ast.stmt) -> ast.AST:
    bare: ast.AST = _Bare().visit(copy.deepcopy(node))
    return bare
