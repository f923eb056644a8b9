"""What of a statement runs: all of it, what the targets need of it, or nothing."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from types import CodeType

from .digest import is_text
from .statements import Needs, Statement, compile_statement


def select(statement: Statement, needs: Needs) -> CodeType | None:
    """The code to run: all of the statement, what is left of it, or nothing."""
    if statement.demo or is_text(statement.node):
        return None
    kept = _prune(statement.node, needs)
    if kept is None or kept is statement.node:
        return None if kept is None else statement.code
    return compile_statement(kept, statement.block, statement.flags)


def _bodies(node: ast.stmt) -> Mapping[str, list[ast.stmt]]:
    if isinstance(node, ast.If | ast.Try | ast.TryStar | ast.With | ast.AsyncWith):
        parts = ("body", "orelse", "finalbody")
        return {part: getattr(node, part) for part in parts if getattr(node, part, None)}
    return {}


def _prune(node: ast.stmt, needs: Needs) -> ast.stmt | None:
    """A container keeps its shape; statements in it that need not run become `pass`."""
    branches: Sequence[ast.ExceptHandler | ast.match_case] = ()
    if isinstance(node, ast.Try | ast.TryStar):
        branches = node.handlers
    elif isinstance(node, ast.Match):
        branches = node.cases
    bodies = _bodies(node)
    if not bodies and not branches:
        return node if needs.keeps(node) else None
    result = copy.copy(node)
    changed = False
    kept = 0
    for part, body in bodies.items():
        pruned, left = _prune_body(body, needs)
        setattr(result, part, pruned)
        changed, kept = changed or pruned != body, kept + left
    replaced = []
    for branch in branches:
        pruned, left = _prune_body(branch.body, needs)
        twin = copy.copy(branch)
        twin.body = pruned
        replaced.append(twin)
        changed, kept = changed or pruned != branch.body, kept + left
    if branches:
        setattr(result, "cases" if isinstance(node, ast.Match) else "handlers", replaced)
    if not kept and not _header_binds(node, needs):
        return None
    return result if changed else node


def _prune_body(body: list[ast.stmt], needs: Needs) -> tuple[list[ast.stmt], int]:
    pruned = [_prune(item, needs) for item in body]
    kept = sum(1 for item in pruned if item is not None and not isinstance(item, ast.Pass))
    filled = [
        item if item is not None else ast.copy_location(ast.Pass(), original)
        for item, original in zip(pruned, body, strict=True)
    ]
    return filled, kept


def _header_binds(node: ast.stmt, needs: Needs) -> bool:
    header = copy.copy(node)
    for part in ("body", "orelse", "finalbody", "handlers"):
        if hasattr(header, part):
            setattr(header, part, [])
    return bool(needs.changed(header) & needs.names)
