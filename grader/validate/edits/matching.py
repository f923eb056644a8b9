"""Decide whether a part of a program has the form of a pattern, and what fills its open names."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Sequence

from .difference import text_of

MODULES = frozenset({"torch", "nn", "F", "math", "functional", "self", "super", *dir(builtins)})
"""Names that mean the same in every program."""

Bound = dict[str, ast.AST]


def open_name(node: ast.AST) -> str:
    """Return the name of what a rule leaves open: a variable, a layer, a whole number; or "".

    >>> texts = ("x", "self.norm", "-1", "torch", "0.5")
    >>> [open_name(ast.parse(text, mode="eval").body) for text in texts]
    ['x', 'self.norm', '#-1', '', '']
    """
    if isinstance(node, ast.Name):
        return "" if node.id in MODULES else node.id
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        return f"self.{node.attr}"
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.Constant) and type(number.value) is int:
        is_sign = number is node or isinstance(node.op, ast.USub)  # type: ignore[attr-defined]
        return f"#{ast.unparse(node)}" if is_sign else ""
    return ""


def fit(pattern: Sequence[ast.AST], nodes: Sequence[ast.AST]) -> Bound | None:
    """Return what stands for each open name of a pattern; None if it does not fit."""
    bound: Bound = {}
    pairs = zip(pattern, nodes, strict=True)
    return bound if all(_fits(one, node, bound) for one, node in pairs) else None


def _fits(pattern: object, node: object, bound: Bound) -> bool:
    if isinstance(pattern, list) and isinstance(node, list):
        return len(pattern) == len(node) and all(
            _fits(one, other, bound) for one, other in zip(pattern, node, strict=True)
        )
    if not isinstance(pattern, ast.AST) or not isinstance(node, ast.AST):
        return pattern == node
    if key := open_name(pattern):
        return _binds(key, pattern, node, bound)
    if type(pattern) is not type(node):
        return False
    fields = [name for name in pattern._fields if name not in ("ctx", "type_comment", "kind")]
    return all(_fits(getattr(pattern, f), getattr(node, f), bound) for f in fields)


def _binds(key: str, pattern: ast.AST, node: ast.AST, bound: Bound) -> bool:
    is_number = open_name(node).startswith("#")
    if not isinstance(node, ast.expr) or key.startswith("#") != is_number:
        return False
    if is_assigned(pattern) and not open_name(node):  # type: ignore[arg-type]
        return False
    return text_of(bound.setdefault(key, node)) == text_of(node)


def is_assigned(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def with_parts(node: ast.AST, change: Callable[[ast.AST], ast.AST | None]) -> ast.AST:
    """Return a copy of a tree in which some parts are others: `change` returns None to keep one."""
    other = change(node)
    if other is not None:
        return other
    result = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            setattr(result, name, with_parts(value, change))
        elif isinstance(value, list):
            parts = [with_parts(v, change) if isinstance(v, ast.AST) else v for v in value]
            setattr(result, name, parts)
    return result
