"""Edits of statements: left out, in another order, in place; slices, loops, errors and results."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .change import Program, TextChange

IN_PLACE: dict[type[ast.operator], str] = {
    ast.Add: "add_",
    ast.Sub: "sub_",
    ast.Mult: "mul_",
    ast.Div: "div_",
}


def statement_left_out(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Forget a step."""
    gone = isinstance(node, (ast.AugAssign, ast.Raise))
    gone |= isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    gone |= isinstance(node, ast.Assign) and _is_assigned_again(node)
    if gone and isinstance(node, ast.stmt):
        yield TextChange("statement left out", node, "pass")


def _is_assigned_again(node: ast.Assign) -> bool:
    """Decide whether the value is made from an earlier one of the same name."""
    names = {one.id for one in node.targets if isinstance(one, ast.Name)}
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node.value))


def in_place(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """TextChange a value in place, which may be the caller's."""
    if (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.value, ast.BinOp)
    ):
        name, value = node.targets[0], node.value
        signs = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}
        sign = signs.get(type(value.op))
        if sign and isinstance(name, ast.Name) and isinstance(value.left, ast.Name):
            left, right = program.text(value.left), program.text(value.right)
            text = f"{left} {sign} {right}; {name.id} = {left}"
            yield TextChange("in place", node, text)


def computed_in_place(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Compute in what the caller passed, where a new tensor belongs."""
    if isinstance(node, ast.BinOp) and type(node.op) in IN_PLACE:
        left, right = program.text(node.left), program.text(node.right)
        if left in program.parameters:
            text = f"{left}.{IN_PLACE[type(node.op)]}({right})"
            yield TextChange("computed in place", node, text)


def another_slice(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Begin or end a slice one off, or take all of it."""
    if isinstance(node, ast.Slice):
        lower = program.text(node.lower) if node.lower else ""
        upper = program.text(node.upper) if node.upper else ""
        others = {f"{lower}:", f":{upper}", ":", f"{upper}:"}
        if lower:
            others |= {f"{lower} + 1:{upper}", f"{lower} - 1:{upper}"}
        if upper:
            others |= {f"{lower}:{upper} - 1", f"{lower}:{upper} + 1"}
        for other in sorted(others - {f"{lower}:{upper}"}):
            yield TextChange("another slice", node, other)


def another_range(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Begin a loop late, end it early, or go once only."""
    if isinstance(node, (ast.For, ast.comprehension)):
        text = program.text(node.iter)
        for other in (f"list({text})[1:]", f"list({text})[:-1]", f"list({text})[:1]"):
            yield TextChange("another range", node.iter, other)
        if isinstance(node, ast.For):
            yield TextChange("another range", node.iter, f"list({text})[::-1]")


def layers_shared(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Make one layer and use it for all."""
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and "(" in program.text(node.elt):
        first, every = program.text(node.elt), program.text(node.generators[0].iter)
        variables = {
            n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
        }
        used = {n.id for n in ast.walk(node.elt) if isinstance(n, ast.Name)}
        if not variables & used:
            yield TextChange("layers shared", node, f"[{first}] * len(list({every}))")


def another_error(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Raise an error of another kind, or one that says nothing."""
    if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
        return
    if ast.unparse(node.exc.func) == "ValueError":
        yield TextChange("another error", node.exc.func, "RuntimeError")
        yield TextChange("another error", node.exc, "ValueError('wrong')")


def another_result(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Return results in another order, only some, or one of another step."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        texts = [program.text(one) for one in node.value.elts]
        yield TextChange("another result", node.value, ", ".join(texts[::-1]))
        for text in texts:
            yield TextChange("another result", node.value, text)


OPERATORS = (
    statement_left_out,
    in_place,
    another_slice,
    another_range,
    layers_shared,
    another_error,
    another_result,
)
WIDER_OPERATORS = (computed_in_place,)
