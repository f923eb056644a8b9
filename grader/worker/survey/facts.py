"""Collect facts on one function, method or statement from its text: calls, loops, numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..loading.source.names import DEFINITIONS, FUNCTIONS, bound, own_nodes
from ..loading.source.trees import children, walk
from .bindings import Bindings, LocalNames, Ref, imported
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
"""Calls whose effect cannot be read from the text."""
MANY_NUMBERS = 16
_FUNCTIONS = (*FUNCTIONS, ast.Lambda)
_SPELLED = 80


class CodePiece(NamedTuple):
    """A piece of code: its text, and its line."""

    text: str
    line: int


@dataclass
class Facts:
    """The facts on one unit of code."""

    path: str
    cell: int | None
    uses: list[tuple[str, CodePiece]] = field(default_factory=list)
    """Dotted names from outside the submission, each with the code that uses it."""
    own: set[tuple[str, str]] = field(default_factory=set)
    """Names of the submission, as (file, name)."""
    attributes: set[str] = field(default_factory=set)
    methods: dict[str, int] = field(default_factory=dict)
    """Attribute that is called on an object other than a module, such as `x.view(1)` -> a line."""
    loops: list[CodePiece] = field(default_factory=list)
    opaque: list[CodePiece] = field(default_factory=list)
    numbers: list[tuple[int, int]] = field(default_factory=list)
    """Number of numbers written down in one literal, and its line."""
    matches: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Group of patterns -> rank of the best that fits, and its line, negative if the last line is
    meant."""


def facts_of(
    nodes: Iterable[ast.AST], binding: tuple[str, int | None], known: Bindings, terms: SearchTerms
) -> Facts:
    """Collect the facts on the nodes and everything inside them.

    `binding`: the file and cell they are in.
    """
    facts = Facts(*binding)
    _Reader(facts, known, terms).read(nodes)
    return facts


@dataclass(frozen=True)
class SearchTerms:
    """The names and patterns worth noting: everything else is most of a text."""

    names: frozenset[str]
    """Parts of dotted names: a name that has none of them is of no interest."""
    patterns: Patterns


class _Reader:
    """Reads the nodes of one unit, without recursion, so that no depth of nesting matters."""

    def __init__(self, facts: Facts, known: Bindings, terms: SearchTerms) -> None:
        self._facts, self._known, self._terms = facts, known, terms

    def read(self, nodes: Iterable[ast.AST]) -> None:
        top = LocalNames(self._facts.path)
        stack: list[tuple[ast.AST, LocalNames]] = [(node, top) for node in nodes]
        while stack:
            node, scope = stack.pop()
            alone = isinstance(node, ast.Expr)
            node = node.value if isinstance(node, ast.Expr) else node
            if self._terms.patterns.may_fit(node):
                self._match(node, alone)
            stack += self._inside(node, scope)

    def _match(self, node: ast.AST, alone: bool) -> None:
        line: int = node.lineno  # type: ignore[attr-defined]
        best = self._facts.matches
        for group, rank, is_last in self._terms.patterns.matching(node, alone):
            match = (rank, -line if is_last else line)
            if group not in best or match < best[group]:
                best[group] = match

    def _inside(self, node: ast.AST, scope: LocalNames) -> Iterator[tuple[ast.AST, LocalNames]]:
        """Note a node, and yield the nodes inside it that are to be read next."""
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
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: LocalNames
    ) -> Iterator[tuple[ast.AST, LocalNames]]:
        """Yield the parts of a function except annotations: naming a type uses nothing of it."""
        outside: list[ast.expr] = [d for d in node.args.kw_defaults if d]
        outside += node.args.defaults
        body: list[ast.AST]
        if isinstance(node, ast.Lambda):
            body = [node.body]
        else:
            outside += node.decorator_list
            body = [*node.body]
        inner = LocalNames(scope.path, _locals(node, body), scope)
        yield from ((item, scope) for item in outside)
        yield from ((item, inner) for item in body)

    def _call(self, node: ast.Call, scope: LocalNames) -> Iterator[tuple[ast.AST, LocalNames]]:
        called = {ref.name for ref in self._known.dotted(node.func, scope) if ref.path is None}
        if called & LOOPING and not ("functools.reduce" in called and _composes(node)):
            self._facts.loops.append(_code_piece(node))
        if called & OPAQUE:
            self._facts.opaque.append(_code_piece(node))
        if called & {"builtins.isinstance", "builtins.issubclass"} and node.args:
            yield node.args[0], scope
            return
        if isinstance(node.func, ast.Attribute) and not called:
            self._facts.methods.setdefault(node.func.attr, node.lineno)
        if self._used(node, scope):  # getattr(module, "name")
            return
        yield from ((child, scope) for child in children(node))

    def _used(self, node: ast.expr, scope: LocalNames) -> bool:
        """Note what an expression stands for; return whether nothing inside it is left to read."""
        if isinstance(node, ast.Attribute):
            self._facts.attributes.add(node.attr)
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return False
        refs = self._known.dotted(node, scope)
        for ref in sorted(refs, key=str) if len(refs) > 1 else refs:
            if ref.path is None:
                # Spelling code out takes longer than all the rest.
                if not self._terms.names.isdisjoint(ref.name.split(".")):
                    self._facts.uses.append((ref.name, _code_piece(node)))
            elif ref.name:
                self._facts.own.add((ref.path, ref.name.partition(".")[0]))
        return bool(refs)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, LOOPS):
            self._facts.loops.append(_code_piece(node))
        if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) >= 2:
            count = _numbers_in(node)
            if count >= MANY_NUMBERS:
                self._facts.numbers.append((count, node.lineno))


def _composes(node: ast.Call) -> bool:
    """Tell whether a call applies functions one after the other: `reduce(lambda x, f: f(x), …)`.

    It goes over functions that stand in the text, and over no numbers.
    """
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Lambda) or len(first.args.args) != 2:
        return False
    step = first.args.args[1].arg
    inside = [*walk(first.body)]
    called = [n.func for n in inside if isinstance(n, ast.Call)]
    uses = [n for n in inside if isinstance(n, ast.Name) and n.id == step]
    return bool(uses) and all(any(use is func for func in called) for use in uses)


def _locals(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, body: Iterable[ast.AST]
) -> dict[str, list[ast.expr | Ref]]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    values_of: dict[str, list[ast.expr | Ref]] = {one.arg: [] for one in every if one}
    elsewhere: set[str] = set()
    for statement in body:
        for item in own_nodes(statement):
            if isinstance(item, (ast.Global, ast.Nonlocal)):
                elsewhere.update(item.names)
            elif isinstance(item, (ast.Import, ast.ImportFrom)):
                for name in bound(item):
                    values_of.setdefault(name, []).extend(imported(item, name))
            elif isinstance(item, ast.Assign):
                for target in item.targets:
                    if isinstance(target, ast.Name):
                        values_of.setdefault(target.id, []).append(item.value)
            elif isinstance(item, ast.NamedExpr):
                values_of.setdefault(item.target.id, []).append(item.value)
            elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                values_of.setdefault(item.id, [])
            elif isinstance(item, DEFINITIONS):
                values_of.setdefault(item.name, [])
    return {name: values for name, values in values_of.items() if name not in elsewhere}


def _asks_for_type(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
            return True
    return False


def _numbers_in(node: ast.AST) -> int:
    return sum(
        isinstance(item, ast.Constant) and type(item.value) in (int, float) for item in walk(node)
    )


def _code_piece(node: ast.AST) -> CodePiece:
    """Return a node's code on one line, shortened and without the body of a loop."""
    try:
        text = _spelled(node)
    except (RecursionError, ValueError):  # too deep, or a number of too many digits
        text = type(node).__name__
    return CodePiece(" ".join(text.split())[:_SPELLED], getattr(node, "lineno", 0))


def _spelled(node: ast.AST) -> str:
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    if isinstance(node, ast.While):
        return f"while {ast.unparse(node.test)}"
    return ast.unparse(node)
