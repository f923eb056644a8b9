"""Edits of numbers, arithmetic and logic, as any program has them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .change import Program, TextChange

OTHER_SIGN: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("/", "+"),
    ast.Div: ("*",),
    ast.FloorDiv: ("%",),
    ast.Mod: ("//",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
}
OTHER_COMPARISON: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
OTHER_POWERS = ("1", "2", "0.25", "-0.5")


def another_sign(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Add where one subtracts, multiply where one divides."""
    if isinstance(node, ast.BinOp):
        left, right = program.text(node.left), program.text(node.right)
        for sign in OTHER_SIGN.get(type(node.op), ()):
            yield TextChange("another sign", node, f"({left}) {sign} ({right})")


def one_operand_left_out(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Leave out a term, a factor, a bias, a scale or a residual."""
    if isinstance(node, ast.BinOp):
        for operand in (node.left, node.right):
            yield TextChange("one operand left out", node, program.text(operand))


def operands_exchanged(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Exchange what does not commute."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.MatMult, ast.Sub, ast.Div)):
        sign = {ast.MatMult: "@", ast.Sub: "-", ast.Div: "/"}[type(node.op)]
        left, right = program.text(node.left), program.text(node.right)
        yield TextChange("operands exchanged", node, f"({right}) {sign} ({left})")


def another_power(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Raise to another power: the scale of attention above all."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = program.text(node.left), program.text(node.right)
        for other in OTHER_POWERS:
            if other != power:
                yield TextChange("another power", node, f"({base}) ** ({other})")


def another_comparison(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Compare the other way round, or with the edge on the other side."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = program.text(node.left), program.text(node.comparators[0])
        for sign in OTHER_COMPARISON.get(type(node.ops[0]), ()):
            yield TextChange("another comparison", node, f"({left}) {sign} ({right})")


def inverted(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Leave out a `not` or a `~`, decide a condition beforehand, or exchange `and` and `or`."""
    if isinstance(node, ast.UnaryOp):
        yield TextChange("inverted", node, program.text(node.operand))
    if isinstance(node, ast.BoolOp):
        sign = " or " if isinstance(node.op, ast.And) else " and "
        values = [f"({program.text(value)})" for value in node.values]
        yield TextChange("inverted", node, sign.join(values))
        for value in node.values:
            yield TextChange("one operand left out", node, program.text(value))


def condition_decided(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Take one branch always."""
    if isinstance(node, ast.IfExp):
        yield TextChange("condition decided", node, program.text(node.body))
        yield TextChange("condition decided", node, program.text(node.orelse))
    if isinstance(node, (ast.If, ast.While)):
        yield TextChange("condition decided", node.test, "False")
    if isinstance(node, ast.If):
        yield TextChange("condition decided", node.test, "True")


def another_number(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Be off by one, by a power of ten, or by a sign."""
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if type(value) is bool:
        yield TextChange("another number", node, str(not value))
    elif type(value) is int:
        others = {value + 1, value - 1, 2 * value, 0} - {value}
        for other in sorted(others):
            yield TextChange("another number", node, str(other))
    elif type(value) is float:
        for other_value in (value * 10, value / 10, 0.0, -value, 1.0):
            if other_value != value:
                yield TextChange("another number", node, repr(other_value))


OPERATORS = (
    another_sign,
    one_operand_left_out,
    operands_exchanged,
    another_power,
    another_comparison,
    inverted,
    condition_decided,
    another_number,
)
