"""Find the smallest part in which two versions of a definition differ."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

MOST_STATEMENTS = 4
"""A change of more statements than this is a program of its own and fits nowhere else."""


@dataclass(frozen=True)
class PartChange:
    """The old and the new: one expression each, or some statements each."""

    old: tuple[ast.AST, ...]
    """Empty if statements are only added."""
    new: tuple[ast.AST, ...]

    @property
    def is_expression(self) -> bool:
        return all(isinstance(node, ast.expr) for node in (*self.old, *self.new))


def difference(old: ast.AST, new: ast.AST) -> PartChange | None:
    """Return the smallest expression or statements that differ; None if nothing or too much does.

    >>> result = difference(ast.parse("a = f(x) + y"), ast.parse("a = f(x.mT) + y"))
    >>> [ast.unparse(node) for node in (*result.old, *result.new)]
    ['x', 'x.mT']
    """
    result = _smallest(old, new)
    if result is None or max(len(result.old), len(result.new)) > MOST_STATEMENTS:
        return None
    return result


def _smallest(old: ast.AST, new: ast.AST) -> PartChange | None:
    """Descend as long as one field alone differs; None if that leads to no part of its own."""
    whole = PartChange((old,), (new,)) if _is_part(old) and _is_part(new) else None
    if type(old) is not type(new):
        return whole
    pairs = ((value, getattr(new, name)) for name, value in ast.iter_fields(old))
    differing = [(one, other) for one, other in pairs if text_of(one) != text_of(other)]
    if len(differing) != 1:
        return whole if differing else None
    one, other = differing[0]
    if isinstance(one, list) and isinstance(other, list):
        return _of_lists(one, other) or whole
    if isinstance(one, ast.AST) and isinstance(other, ast.AST):
        inside = _smallest(one, other)
        return inside if inside is not None and _says_enough(inside) else whole
    return whole


def _of_lists(old: list[Any], new: list[Any]) -> PartChange | None:
    before, after = [text_of(one) for one in old], [text_of(one) for one in new]
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    gone, come = old[first : len(old) - last], new[first : len(new) - last]
    if len(gone) == len(come) == 1 and isinstance(gone[0], ast.AST):
        inside = _smallest(gone[0], come[0])
        if inside is not None and _says_enough(inside):
            return inside
    if all(isinstance(one, ast.stmt) for one in (*gone, *come)) and (gone or come):
        return PartChange(tuple(gone), tuple(come))
    return None


def _is_part(node: ast.AST) -> bool:
    return isinstance(node, (ast.expr, ast.stmt))


def _says_enough(result: PartChange) -> bool:
    """Refuse one name or number for another: that is an edit only with what is around it."""
    if len(result.old) != 1 or not isinstance(result.old[0], (ast.Name, ast.Constant)):
        return True
    old = text_of(result.old[0])
    return any(text_of(one) == old for each in result.new for one in ast.walk(each))


def text_of(value: object) -> str:
    """Return a part of a tree as a text that says nothing of places and of who assigns."""
    if isinstance(value, list):
        return repr([text_of(one) for one in value])
    if isinstance(value, ast.AST):
        return ast.dump(value).replace("ctx=Store()", "ctx=Load()")
    return repr(value)
