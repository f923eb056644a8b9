"""Select the statements of a file to run: definitions, cheap ones, and those a target needs.

Loops and calls whose results nothing graded depends on (training, plots, demonstrations) are left
out, so that they can neither fail nor use up the time.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType
from typing import Any, NamedTuple

from .digest import is_text
from .names import (
    DEFINITIONS,
    FUNCTIONS,
    IMPORTS,
    bound,
    callees,
    costly,
    declared_global,
    global_reads,
    own_nodes,
    reaches_anything,
    touched,
)
from .splitting import PARSE_ERRORS
from .statements import Statement, compile_statement
from .trees import walk

_ALWAYS = (*DEFINITIONS, *IMPORTS, ast.Raise, ast.Pass, ast.Global)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BODIES = ("body", "orelse", "finalbody")
_Branch = ast.ExceptHandler | ast.match_case


class _Unit(NamedTuple):
    """A statement that runs as a whole or not at all.

    `reads` are the names that it and the headers around it read.
    """

    node: ast.stmt
    reads: set[str]


class Needs:
    """The names that the wanted names of a file depend on, followed through its statements."""

    def __init__(self, statements: Sequence[Statement], wanted: frozenset[str] | None) -> None:
        live = [s for s in statements if not s.demo and not isinstance(s.node, IMPORTS)]
        # Walking every definition costs more than looking for the word.
        self._has_globals = any("global" in s.block.text for s in live)
        self._known = {name for s in live for name in s.binds | self._globals(s.node)}
        self._own_effects: dict[str, set[str]] = {}
        self._definition_reads: dict[str, set[str]] = {}
        self._changers: set[str] = set()
        units = [unit for s in live for unit in self._units(s)]
        for unit in units:
            self._summarise(unit)
        # None: whatever the file binds is wanted
        self.names = self._close(units, self._known if wanted is None else wanted)

    def _globals(self, node: ast.AST) -> set[str]:
        return declared_global(node) if self._has_globals else set()

    def _units(self, statement: Statement) -> Iterator[_Unit]:
        if not _splits(statement.node):
            yield _Unit(statement.node, global_reads(statement.code, self._known))
            return
        for node, headers in _leaves(statement.node, ()):
            above = {
                n.id
                for header in headers
                for n in own_nodes(header)
                if isinstance(n, ast.Name) and n.id in self._known
            }
            try:
                code = compile_statement(node, statement.block, statement.flags)
            except PARSE_ERRORS:
                code = statement.code  # legal only where it stands
            yield _Unit(node, above | global_reads(code, self._known))

    def _summarise(self, unit: _Unit) -> None:
        """Record what calling a function or class may change in the module."""
        node = unit.node
        if not isinstance(node, DEFINITIONS):
            return
        inside = touched(walk(node))
        own = self._globals(node) | (inside & unit.reads)
        self._own_effects.setdefault(node.name, set()).update(own)
        self._definition_reads.setdefault(node.name, set()).update(unit.reads)
        if isinstance(node, FUNCTIONS) and inside & _parameters(node):
            self._changers.add(node.name)

    def _close(self, units: Sequence[_Unit], wanted: Iterable[str]) -> set[str]:
        by_name: dict[str, list[_Unit]] = {}
        queue = [*wanted]
        for unit in units:
            for name in self.changed(unit.node):
                by_name.setdefault(name, []).append(unit)
            if reaches_anything(unit.node):
                queue += unit.reads
        names: set[str] = set()
        while queue:
            name = queue.pop()
            if name not in names:
                names.add(name)
                for unit in by_name.get(name, ()):
                    queue += unit.reads
        return names

    def changed(self, node: ast.AST) -> set[str]:
        """Return the names that running the statement may set or change."""
        names = bound(node) | touched(own_nodes(node), self._changers)
        reached, stack = set[str](), [*callees(node)]
        while stack:
            called = stack.pop()
            if called in self._own_effects and called not in reached:
                reached.add(called)
                names |= self._own_effects[called]
                stack += self._definition_reads[called]
        return names

    def wants(self, node: ast.AST) -> bool:
        """Tell whether a name that is needed may come from the statement."""
        return bool(self.changed(node) & self.names) or reaches_anything(node)

    def keeps(self, node: ast.stmt) -> bool:
        """Tell whether a statement that is not taken apart runs."""
        if isinstance(node, _ALWAYS):
            return True
        if not isinstance(node, _LOOPS) and not costly(node):
            return True
        return self.wants(node)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {parameter.arg for parameter in every if parameter}


def _branches(node: ast.stmt) -> Sequence[_Branch]:
    if isinstance(node, ast.Try | ast.TryStar):
        return node.handlers
    return node.cases if isinstance(node, ast.Match) else ()


def _contains(node: ast.stmt) -> bool:
    containers = (ast.If, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match)
    return isinstance(node, containers)


def _splits(node: ast.stmt) -> bool:
    """Tell whether parts of a statement may run without the others.

    They may not if a handler sets names in place of the body of a `try`.
    """
    if isinstance(node, ast.Try | ast.TryStar):
        return not any(bound(part) for handler in node.handlers for part in handler.body)
    return _contains(node)


def _header(node: ast.stmt) -> ast.stmt:
    """Return a copy of the container without the statements inside."""
    header = copy.copy(node)
    for part in _BODIES:
        if hasattr(header, part):
            setattr(header, part, [ast.copy_location(ast.Pass(), node)] if part == "body" else [])
    if isinstance(header, ast.Match):
        header.cases = [_with_body(c, _empty(c)) for c in header.cases]
    elif isinstance(header, ast.Try | ast.TryStar):
        header.handlers = [_with_body(h, _empty(h)) for h in header.handlers]
    return header


def _empty(branch: _Branch) -> list[ast.stmt]:
    return [ast.copy_location(ast.Pass(), branch.body[0])]


def _with_body(branch: _Branch, body: list[ast.stmt]) -> Any:
    changed = copy.copy(branch)
    changed.body = body
    return changed


def _leaves(
    node: ast.stmt, above: tuple[ast.stmt, ...]
) -> Iterator[tuple[ast.stmt, tuple[ast.stmt, ...]]]:
    """Yield the statements of a container, each with the headers around it.

    The headers are yielded as statements too.
    """
    if not _splits(node):
        yield node, above
        return
    header = _header(node)
    yield header, above
    bodies = [getattr(node, part, []) for part in _BODIES]
    bodies += [branch.body for branch in _branches(node)]
    for body in bodies:
        for item in body:
            yield from _leaves(item, (*above, header))


def select(statement: Statement, needs: Needs) -> CodeType | None:
    """Return the code to run: all of the statement, the parts that are needed, or None."""
    if statement.demo or is_text(statement.node):
        return None
    kept = _prune(statement.node, needs)
    if kept is None or kept is statement.node:
        return None if kept is None else statement.code
    return compile_statement(kept, statement.block, statement.flags)


def _prune(node: ast.stmt, needs: Needs) -> ast.stmt | None:
    """Remove what need not run: a container keeps its shape, statements in it become `pass`.

    Return None if nothing of the statement need run.
    """
    if not _contains(node):
        return node if needs.keeps(node) else None
    if not _splits(node) and needs.wants(node):
        return node
    result = copy.copy(node)
    left = 0
    for part in _BODIES:
        if getattr(node, part, None):
            body = _prune_body(getattr(node, part), needs)
            setattr(result, part, body)
            left += _count(body)
    bodies = [_prune_body(branch.body, needs) for branch in _branches(node)]
    left += sum(_count(body) for body in bodies)
    copies = [_with_body(b, body) for b, body in zip(_branches(node), bodies, strict=True)]
    if isinstance(result, ast.Match):
        result.cases = copies
    elif isinstance(result, ast.Try | ast.TryStar):
        result.handlers = copies
    if not left and not needs.wants(_header(node)):
        return None
    return result


def _prune_body(body: list[ast.stmt], needs: Needs) -> list[ast.stmt]:
    pruned = [(_prune(item, needs), item) for item in body]
    return [kept or ast.copy_location(ast.Pass(), item) for kept, item in pruned]


def _count(body: list[ast.stmt]) -> int:
    return sum(not isinstance(item, ast.Pass) for item in body)
