"""Edits of names: one for another, exchanged in an assignment, inverted where they are passed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations, pairwise

from .change import Program, TextChange

MOST_NAMES = 8
"""A function with more names than this has each of them taken for its first eight only."""
NAMED = (ast.Name, ast.Attribute)
"""What a result is given as a name."""


def names_exchanged(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Exchange two of the names to which one statement assigns: rows and columns."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        if isinstance(target, ast.Tuple):
            texts = [program.text(one) for one in target.elts]
            for first, second in combinations(range(len(texts)), 2):
                other = list(texts)
                other[first], other[second] = texts[second], texts[first]
                yield TextChange("names exchanged", target, ", ".join(other))


def results_exchanged(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Give the results of two neighbouring steps each other's names: keys for values."""
    for first, second in pairwise(body_of(node)):
        if isinstance(first, ast.Assign) and isinstance(second, ast.Assign):
            (one, *more), (other, *others) = first.targets, second.targets
            is_simple = isinstance(one, NAMED) and isinstance(other, NAMED)
            if is_simple and not more and not others:
                steps = (
                    f"{program.text(other)} = {program.text(first.value)}",
                    f"{program.text(one)} = {program.text(second.value)}",
                )
                text = f"\n{' ' * first.col_offset}".join(steps)
                yield TextChange("results exchanged", both(first, second), text)


def both(first: ast.stmt, last: ast.stmt) -> ast.stmt:
    """Return a place from the beginning of one statement to the end of another."""
    return ast.Pass(
        lineno=first.lineno,
        col_offset=first.col_offset,
        end_lineno=last.end_lineno,
        end_col_offset=last.end_col_offset,
    )


def body_of(node: ast.AST) -> list[ast.stmt]:
    """Return the statements of a function or a loop, which are done one after another."""
    return node.body if isinstance(node, (ast.FunctionDef, ast.For, ast.If)) else []


def another_name(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Use another value of the same function: keys for queries, an input for a result."""
    if not isinstance(node, ast.FunctionDef):
        return
    inside = [one for statement in node.body for one in without_texts(statement)]
    passed = [one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)]
    lines = dict.fromkeys((name for name in passed if name != "self"), 0)
    uses = [one for one in inside if isinstance(one, ast.Name)]
    for one in sorted(uses, key=lambda name: name.lineno):
        if isinstance(one.ctx, ast.Store):
            lines.setdefault(one.id, one.lineno)
    for one in uses:
        known = [name for name, line in lines.items() if line < one.lineno]
        if isinstance(one.ctx, ast.Load) and one.id in lines:
            for other in known[:MOST_NAMES]:
                if other != one.id:
                    yield TextChange("another name", one, other)


def another_attribute(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Use another layer or another number of the same object: `norm2` where `norm1` belongs."""
    if not isinstance(node, ast.ClassDef):
        return
    own = [one for each in without_texts(node) for one in _of_self(each)]
    names = list(dict.fromkeys(one.attr for one in own if isinstance(one.ctx, ast.Store)))
    for one in own:
        if isinstance(one.ctx, ast.Load) and one.attr in names:
            for other in names[:MOST_NAMES]:
                if other != one.attr:
                    yield TextChange("another attribute", one, f"self.{other}")


def argument_inverted(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Hand on the opposite of a mask, its transpose, or a value without its gradient."""
    if isinstance(node, ast.Call) and not is_made(node):
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if isinstance(value, ast.Name):
                yield TextChange("argument inverted", value, f"~{value.id}")
                yield TextChange("argument transposed", value, f"{value.id}.mT")
                yield TextChange("argument detached", value, f"{value.id}.detach()")


def is_made(call: ast.Call) -> bool:
    """Tell whether a call makes an object of a class, by the way that classes are written."""
    name = ast.unparse(call.func).split(".")[-1]
    return name[:1].isupper() or name == "super"


def _of_self(node: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the node itself if it is `self.something`."""
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        yield node


def without_texts(top: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement; none of annotations or of texts with values in them."""
    yield top
    for field, value in ast.iter_fields(top):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                    yield from without_texts(child)


OPERATORS = (another_attribute,)
WIDER_OPERATORS = (names_exchanged, results_exchanged, another_name, argument_inverted)
