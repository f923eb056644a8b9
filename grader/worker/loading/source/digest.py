"""Compute a digest of a definition, which is the same for everybody who typed the same code."""

from __future__ import annotations

import ast
import hashlib
from typing import NamedTuple

_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
_IGNORED = frozenset({"type_comment", "kind", "type_ignores"})


class _Mark(NamedTuple):
    text: str


def definition_digest(node: ast.AST) -> str:
    """Return the sha256 of the syntax tree without positions, comments and docstrings.

    Iterative, because a submission chooses how deep its tree is.
    """
    pieces: list[str] = []
    stack: list[object] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, _Mark):
            pieces.append(item.text)
        elif isinstance(item, ast.AST):
            pieces.append(f"({type(item).__name__}")
            stack.append(_Mark(")"))
            for name, value in reversed(_fields(item)):
                stack += (value, _Mark(f" {name}="))
        elif isinstance(item, list):
            pieces.append("[")
            stack.append(_Mark("]"))
            for value in reversed(item):
                stack += (value, _Mark(","))
        else:
            # hex: repr refuses integers of more than 4300 digits
            pieces.append(hex(item) if type(item) is int else repr(item))
    return hashlib.sha256("".join(pieces).encode()).hexdigest()


def _fields(node: ast.AST) -> list[tuple[str, object]]:
    fields: list[tuple[str, object]] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if name == "body" and isinstance(node, _DOCUMENTED) and _is_docstring(node.body):
            value = node.body[1:]
        # an absent and an empty field are the same; newer Pythons add empty ones
        if value is not None and value != [] and name not in _IGNORED:
            fields.append((name, value))
    return fields


def _is_docstring(body: list[ast.stmt]) -> bool:
    return bool(body) and is_text(body[0])


def is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a bare string, as docstrings are."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
