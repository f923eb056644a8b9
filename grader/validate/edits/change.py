"""Define a change of one place in a program's text, and put it in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Node = ast.expr | ast.stmt


@dataclass(frozen=True)
class TextChange:
    """Another text for one node of a program."""

    operator: str
    """The kind of the change, such as `another axis`: one word for what people get wrong alike."""
    node: Node
    text: str
    shown: tuple[str, str] | None = None
    """What changes at each of several places, and into what; None if the whole node does."""


class Program:
    """The text of a program and its tree, in which places are found by their nodes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self._data = source.encode()
        starts = [0]
        for line in self._data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts
        self.parameters = _parameters(self.tree)
        """Names that stand for what a caller passed, and for nothing else, in the whole program."""

    def text(self, node: Node) -> str:
        """Return the text of a node, as it was written."""
        begin, end = self._span(node)
        return self._data[begin:end].decode()

    def changed(self, change: TextChange, within: Node) -> str:
        """Return the text of `within` with a change in it.

        An expression is put in parentheses, so that the tree around it stays as it was.
        """
        first, last = self._span(within)
        begin, end = self._span(change.node)
        is_bare = isinstance(change.node, (ast.stmt, ast.Slice))
        text = change.text if is_bare else f"({change.text})"
        return (self._data[first:begin] + text.encode() + self._data[end:last]).decode()

    def with_texts(self, within: Node, places: Iterable[tuple[Node, str]]) -> str:
        """Return the text of `within` with another text for each of some nodes in it."""
        first, last = self._span(within)
        data = self._data[first:last]
        spans = sorted(((*self._span(node), text) for node, text in places), reverse=True)
        for begin, end, text in spans:
            data = data[: begin - first] + text.encode() + data[end - first :]
        return data.decode()

    def replaced(self, node: Node, text: str) -> str:
        """Return the text of the whole program with another text for one node."""
        begin, end = self._span(node)
        return (self._data[:begin] + text.encode() + self._data[end:]).decode()

    def _span(self, node: Node) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        begin = self._starts[node.lineno - 1] + node.col_offset
        return begin, self._starts[node.end_lineno - 1] + node.end_col_offset


def _parameters(tree: ast.AST) -> frozenset[str]:
    passed = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return frozenset(passed - {node.id for node in names if isinstance(node.ctx, ast.Store)})


Operator = Callable[[Program, ast.AST], Iterator[TextChange]]
"""Yields the changes of one kind that a node allows: none, for most nodes."""
