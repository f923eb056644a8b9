"""Makes mutants of a Python module: its tree with one small mistake each.

A mutant keeps the line numbers of the original: tests that read the source see no change.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
WITHOUT = (ast.Expr, ast.AugAssign, ast.Raise, ast.Continue, ast.Break)
"""Statements that can go without leaving a name undefined."""
PASSED_OVER = (ast.Import, ast.ImportFrom, ast.JoinedStr)
NOT_SEEN = ("annotation", "returns", "decorator_list")
"""Fields in which a change is not seen, or breaks the module at once."""


@dataclass(frozen=True)
class Mutant:
    """One mistake that can be made in a module."""

    name: str
    """Where it is and what changes: the same whatever else stands in the module."""
    line: int
    number: int
    """Its number among the mutants of the module, from 0."""
    text: str = ""
    """The whole module with the mistake, where it is no other tree but other lines."""


@dataclass(frozen=True)
class _Slot:
    """A place in a tree: a field of a node, or an index of a list."""

    holder: Any
    key: Any

    @property
    def value(self) -> Any:
        return (
            self.holder[self.key] if isinstance(self.holder, list) else vars(self.holder)[self.key]
        )

    def put(self, value: object) -> None:
        if isinstance(self.holder, list):
            self.holder[self.key] = value
        else:
            setattr(self.holder, self.key, value)


@dataclass(frozen=True)
class _Change:
    """A value that takes the place of another one in a tree."""

    slot: _Slot
    value: object
    shown: _Slot
    """The place of the node that shows the change."""
    where: str = ""


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module, in the order of its source.

    >>> [mutant.name for mutant in mutants("def f(a):\\n    return a + 1")]
    ['f: `return a + 1` -> `return None`', 'f: `a + 1` -> `a - 1`', 'f: `1` -> `2`']
    """
    made: Counter[str] = Counter()
    for number, change in enumerate(_changes(ast.parse(source))):
        line, before, kept = change.shown.value.lineno, _words(change.shown), change.slot.value
        change.slot.put(change.value)
        name = f"{change.where or 'module'}: `{before}` -> `{_words(change.shown)}`"
        change.slot.put(kept)
        made[name] += 1
        nth = f" ({made[name]})" if made[name] > 1 else ""
        yield Mutant(name + nth, line, number)


def mutated(source: str, mutant: Mutant) -> ast.Module:
    """Return the tree of the module with the mutant's mistake in it."""
    if mutant.text:
        return ast.parse(mutant.text)
    tree = ast.parse(source)
    change = list(_changes(tree))[mutant.number]
    change.slot.put(change.value)
    return tree


def _changes(tree: ast.Module) -> list[_Change]:
    return [change for slot in _below(tree) for change in _anywhere(slot, "")]


def _anywhere(slot: _Slot, where: str) -> Iterator[_Change]:
    """Yield the changes of the node in the slot and of all below it."""
    node = slot.value
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        where = f"{where}.{node.name}".removeprefix(".")
    for change in (*_replaced(slot), *_inside(slot)):
        yield replace(change, where=where)
    for inner in _below(node):
        yield from _anywhere(inner, where)


def _below(node: ast.AST) -> Iterator[_Slot]:
    """Yield the slots of a node's children that may be changed."""
    for name, value in ast.iter_fields(node):
        if name in NOT_SEEN:
            continue
        slots = (
            [_Slot(value, place) for place in range(len(value))]
            if isinstance(value, list)
            else [_Slot(node, name)]
        )
        yield from (
            slot for slot in slots if isinstance(slot.value, ast.AST) and _counts(slot.value)
        )


def _counts(node: ast.AST) -> bool:
    """Return False for a docstring, an import, an f-string, `__all__` and a type's variable."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        is_variable = ast.unparse(node.value).startswith("TypeVar(")
        return not is_variable and ast.unparse(node.targets[0]) != "__all__"
    return not isinstance(node, PASSED_OVER)


def _replaced(slot: _Slot) -> Iterator[_Change]:
    """Yield the changes that put another node into the slot."""
    node = slot.value
    if isinstance(node, WITHOUT):
        yield _Change(slot, ast.copy_location(ast.Pass(), node), slot)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _Change(slot, node.operand, slot)


def _inside(slot: _Slot) -> Iterator[_Change]:
    """Yield the changes of the fields of the node in the slot."""
    node = slot.value
    match node:
        case ast.Compare(ops=ops):
            for place, operator in enumerate(ops):
                if other := COMPARED.get(type(operator)):
                    yield _Change(_Slot(ops, place), other(), slot)
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in COMPUTED:
            yield _Change(_Slot(node, "op"), COMPUTED[type(operator)](), slot)
        case ast.BoolOp(op=operator):
            opposite = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield _Change(_Slot(node, "op"), opposite, slot)
        case ast.Constant(value=value):
            for constant in _other_constants(value):
                yield _Change(_Slot(node, "value"), constant, slot)
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            nothing = ast.copy_location(ast.Constant(None), node)
            yield _Change(_Slot(node, "value"), nothing, slot)
        case ast.If() | ast.IfExp() | ast.While():
            yield from _negated(_Slot(node, "test"))
        case ast.comprehension(ifs=ifs):
            for place in range(len(ifs)):
                yield from _negated(_Slot(ifs, place))


def _negated(slot: _Slot) -> Iterator[_Change]:
    """Yield the opposite of a condition, if no other change makes it."""
    test = slot.value
    if not isinstance(test, ast.UnaryOp) and not (
        isinstance(test, ast.Compare) and len(test.ops) == 1
    ):
        yield _Change(slot, ast.copy_location(ast.UnaryOp(ast.Not(), test), test), slot)


def _other_constants(value: object) -> Iterator[object]:
    match value:
        case bool():
            yield not value
        case int() | float():
            yield value + 1
        case str():
            yield "" if value else "mutated"
        case bytes():
            yield b"" if value else b"mutated"


def _words(slot: _Slot) -> str:
    return " ".join(ast.unparse(slot.value).split())
