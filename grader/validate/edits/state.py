"""Edits that keep what should be computed anew: values of the first call, and inputs ignored."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .change import Program, TextChange

PRELUDE = """

_KEPT = []


def _first(compute):
    if not _KEPT:
        _KEPT.append(compute())
    return _KEPT[0]
"""

KEPT = "kept from the first call"


def kept_from_the_first_call(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Keep a value for good: a scale, a mask, a length, a table."""
    if isinstance(node, ast.Assign) and isinstance(
        node.value, (ast.BinOp, ast.Call, ast.Attribute)
    ):
        text = program.text(node.value)
        yield TextChange(KEPT, node.value, f"_first(lambda: {text})")


OPERATORS = (kept_from_the_first_call,)
