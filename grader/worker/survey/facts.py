"""What one function, method or other statement of a submission says: calls, loops, numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..loading.names import DEFINITIONS, FUNCTIONS, bound, own_nodes
from ..loading.trees import children, walk
from .bindings import Bindings, Ref, Scope, imported
from .patterns import Patterns

LOOPS = (
    ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
LOOPING = frozenset(
    {"builtins.map", "builtins.filter", "functools.reduce", "itertools.starmap"}
    | {"itertools.accumulate", "numpy.vectorize", "numpy.apply_along_axis"}
)
"""Calls that loop in Python as a comprehension does."""
OPAQUE = frozenset({"builtins.exec", "builtins.eval", "builtins.compile", "builtins.globals"})
"""Calls behind which a text cannot be read."""
MANY_NUMBERS = 16
_FUNCTIONS = (*FUNCTIONS, ast.Lambda)
_SPELLED = 80


class Said(NamedTuple):
    """A piece of code: as it is spelled, and its line."""

    text: str
    line: int


@dataclass
class Facts:
    """What stands in one unit of code."""

    path: str
    cell: int | None
    uses: list[tuple[str, Said]] = field(default_factory=list)
    """Dotted names from elsewhere."""
    own: set[tuple[str, str]] = field(default_factory=set)
    """Names of the submission, by file."""
    attributes: set[str] = field(default_factory=set)
    methods: dict[str, int] = field(default_factory=dict)
    """Attributes that are called on what is no module, and a line: `x.view(1)`."""
    loops: list[Said] = field(default_factory=list)
    opaque: list[Said] = field(default_factory=list)
    numbers: list[tuple[int, int]] = field(default_factory=list)
    """How many numbers are written down in one literal, and its line."""
    matches: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Group of patterns -> rank of the best that fits, and its line, negative for the last."""


def facts_of(
    nodes: Iterable[ast.AST], binding: tuple[str, int | None], known: Bindings, asked: Asked
) -> Facts:
    """What the nodes say, and everything inside them. `binding`: the file and cell they are in."""
    facts = Facts(*binding)
    _Reader(facts, known, asked).read(nodes)
    return facts


@dataclass(frozen=True)
class Asked:
    """What is worth noting: everything else is most of a text."""

    names: frozenset[str]
    """Parts of dotted names: a name that has none of them is of no interest."""
    patterns: Patterns


class _Reader:
    """Walks without recursion, so that no depth of nesting matters."""

    def __init__(self, facts: Facts, known: Bindings, asked: Asked) -> None:
        self._facts, self._known, self._asked = facts, known, asked

    def read(self, nodes: Iterable[ast.AST]) -> None:
        top = Scope(self._facts.path)
        stack: list[tuple[ast.AST, Scope]] = [(node, top) for node in nodes]
        while stack:
            node, scope = stack.pop()
            alone = isinstance(node, ast.Expr)
            node = node.value if isinstance(node, ast.Expr) else node
            if self._asked.patterns.may_fit(node):
                self._match(node, alone)
            stack += self._inside(node, scope)

    def _match(self, node: ast.AST, alone: bool) -> None:
        line: int = node.lineno  # type: ignore[attr-defined]
        best = self._facts.matches
        for group, rank, is_last in self._asked.patterns.matching(node, alone):
            found = (rank, -line if is_last else line)
            if group not in best or found < best[group]:
                best[group] = found

    def _inside(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        """What is to be read next, after the node itself was noted."""
        self._note(node)
        if isinstance(node, _FUNCTIONS):
            yield from self._function(node, scope)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            if not self._used(node, scope) and isinstance(node, ast.Attribute):
                yield node.value, scope
        elif isinstance(node, ast.Call):
            yield from self._call(node, scope)
        elif isinstance(node, ast.Subscript) and self._used(node, scope):
            yield node.slice, scope
        elif isinstance(node, ast.AnnAssign):
            yield from ((part, scope) for part in (node.target, node.value) if part is not None)
        elif isinstance(node, ast.Compare) and _asks_for_type(node.left):
            yield node.left, scope
        elif isinstance(node, ast.MatchClass):
            parts = (*node.patterns, *node.kwd_patterns)
            yield from ((part, scope) for part in parts)
        else:
            yield from ((child, scope) for child in children(node))

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope
    ) -> Iterator[tuple[ast.AST, Scope]]:
        """Its annotations are left out: naming a type uses nothing of it."""
        outside: list[ast.expr] = [d for d in node.args.kw_defaults if d]
        outside += node.args.defaults
        body: list[ast.AST]
        if isinstance(node, ast.Lambda):
            body = [node.body]
        else:
            outside += node.decorator_list
            body = [*node.body]
        inner = Scope(scope.path, _locals(node, body), scope)
        yield from ((item, scope) for item in outside)
        yield from ((item, inner) for item in body)

    def _call(self, node: ast.Call, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        called = {ref.name for ref in self._known.dotted(node.func, scope) if ref.path is None}
        if called & LOOPING:
            self._facts.loops.append(_said(node))
        if called & OPAQUE:
            self._facts.opaque.append(_said(node))
        if called & {"builtins.isinstance", "builtins.issubclass"} and node.args:
            yield node.args[0], scope
            return
        if isinstance(node.func, ast.Attribute) and not called:
            self._facts.methods.setdefault(node.func.attr, node.lineno)
        if self._used(node, scope):  # getattr(module, "name")
            return
        yield from ((child, scope) for child in children(node))

    def _used(self, node: ast.expr, scope: Scope) -> bool:
        """Notes what an expression stands for; whether that leaves nothing to read inside it."""
        if isinstance(node, ast.Attribute):
            self._facts.attributes.add(node.attr)
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return False
        refs = self._known.dotted(node, scope)
        for ref in sorted(refs, key=str) if len(refs) > 1 else refs:
            if ref.path is None:
                # Spelling code out takes longer than all the rest.
                if not self._asked.names.isdisjoint(ref.name.split(".")):
                    self._facts.uses.append((ref.name, _said(node)))
            elif ref.name:
                self._facts.own.add((ref.path, ref.name.partition(".")[0]))
        return bool(refs)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, LOOPS):
            self._facts.loops.append(_said(node))
        if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) >= 2:
            count = _numbers_in(node)
            if count >= MANY_NUMBERS:
                self._facts.numbers.append((count, node.lineno))


def _locals(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, body: Iterable[ast.AST]
) -> dict[str, list[ast.expr | Ref]]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    found: dict[str, list[ast.expr | Ref]] = {one.arg: [] for one in every if one}
    elsewhere: set[str] = set()
    for statement in body:
        for item in own_nodes(statement):
            if isinstance(item, (ast.Global, ast.Nonlocal)):
                elsewhere.update(item.names)
            elif isinstance(item, (ast.Import, ast.ImportFrom)):
                for name in bound(item):
                    found.setdefault(name, []).extend(imported(item, name))
            elif isinstance(item, ast.Assign):
                for target in item.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(item.value)
            elif isinstance(item, ast.NamedExpr):
                found.setdefault(item.target.id, []).append(item.value)
            elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                found.setdefault(item.id, [])
            elif isinstance(item, DEFINITIONS):
                found.setdefault(item.name, [])
    return {name: values for name, values in found.items() if name not in elsewhere}


def _asks_for_type(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
            return True
    return False


def _numbers_in(node: ast.AST) -> int:
    return sum(
        isinstance(item, ast.Constant) and type(item.value) in (int, float) for item in walk(node)
    )


def _said(node: ast.AST) -> Said:
    """The first line of a node as it is written, without what stands in a loop's body."""
    try:
        text = _spelled(node)
    except RecursionError:
        text = type(node).__name__
    return Said(" ".join(text.split())[:_SPELLED], getattr(node, "lineno", 0))


def _spelled(node: ast.AST) -> str:
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    if isinstance(node, ast.While):
        return f"while {ast.unparse(node.test)}"
    return ast.unparse(node)
