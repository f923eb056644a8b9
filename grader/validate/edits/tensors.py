"""Edits of what attention is made of: axes, shapes, masks, fill values, dtypes and gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from .change import Program, TextChange

AXIS_ARGUMENTS = ("dim", "axis", "dims", "start_dim", "diagonal", "dim0", "dim1")
AXES_FROM_THE_FRONT = (0, 1, 2, 3, -1)
AXES_FROM_THE_BACK = (-1, -2, -3, 1)
"""Other axes for one that is counted from that end: few are the same axis in other words."""
OF_AXES = (
    "softmax",
    "sum",
    "mean",
    "amax",
    "cat",
    "stack",
    "transpose",
    "flatten",
    "unsqueeze",
)
FILLS = (
    "-1e9",
    "-1e4",
    "-100.0",
    "0.0",
    "float('inf')",
    "torch.finfo(torch.float32).min",
)


def another_axis(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Sum, normalise, transpose or join over another axis."""
    for value, number in _axes(node):
        for axis in AXES_FROM_THE_FRONT if number >= 0 else AXES_FROM_THE_BACK:
            if axis != number:
                yield TextChange("another axis", value, str(axis))


def axis_from_the_other_end(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Take an axis that is counted from the other end: the batch in place of the last one."""
    for value, number in _axes(node):
        for axis in AXES_FROM_THE_BACK if number >= 0 else AXES_FROM_THE_FRONT:
            if axis not in (number, 1, -1):
                yield TextChange("axis from the other end", value, str(axis))


def _axes(node: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """Yield the arguments of a call that are axes, each with its number."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        values = [k.value for k in node.keywords if k.arg in AXIS_ARGUMENTS]
        values += node.args if name in OF_AXES else []
        for value in values:
            number = _number(value)
            if number is not None:
                yield value, number


def _number(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def another_fill(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Hide scores by a finite penalty, by zero, or by the wrong infinity."""
    text = program.text(node) if isinstance(node, ast.expr) else ""
    if text in ("float('-inf')", 'float("-inf")', "-torch.inf", "-math.inf"):
        for fill in FILLS:
            yield TextChange("another fill", _as_expression(node), fill)


def _as_expression(node: ast.AST) -> ast.expr:
    assert isinstance(node, ast.expr)
    return node


def transposed(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Transpose an operand of a product, or forget to."""
    if isinstance(node, ast.Attribute) and node.attr in ("mT", "T"):
        yield TextChange("transposed", node, program.text(node.value))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        left, right = program.text(node.left), program.text(node.right)
        yield TextChange("transposed", node, f"({left}).mT @ ({right})")
        yield TextChange("transposed", node, f"({left}) @ ({right}).mT")
        yield TextChange("transposed", node, f"(({left}) @ ({right})).mT")


def reshaped_for_transposed(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Reshape into the shape that a transposition gives: the numbers are mixed up."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    if node.func.attr in ("transpose", "permute", "swapaxes", "movedim"):
        inside = program.text(node.func.value)
        moved = program.text(node)
        yield TextChange("reshaped for transposed", node, f"({inside}).reshape(({moved}).shape)")


def partly_reshaped(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Move axes, but two of them by a shape alone: heads are split without moving the tokens."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    order = [_number(one) for one in node.args] if node.func.attr == "permute" else []
    inside, moved = program.text(node.func.value), program.text(node)
    for first, second in combinations(range(len(order)), 2):
        other = list(order)
        other[first], other[second] = order[second], order[first]
        if None not in order:
            numbers = ", ".join(map(str, other))
            text = f"({inside}).permute({numbers}).reshape(({moved}).shape)"
            yield TextChange("partly reshaped", node, text)


def mask_handled(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Invert, transpose or crop a mask, take it after the softmax, or take its opposite."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "masked_fill" and len(node.args) == 2:
            scores = program.text(node.func.value)
            mask, fill = (program.text(one) for one in node.args)
            yield TextChange("mask handled", node.args[0], f"~({mask})")
            yield TextChange("mask handled", node.args[0], f"({mask}).mT")
            yield TextChange("mask handled", node, f"({scores}) + ({mask}) * -1e9")
            if "inf" in fill:
                yield TextChange("mask handled", node, f"({scores}) * ~({mask})")
            if scores in program.parameters:
                yield TextChange("mask handled", node, f"({scores}).masked_fill_({mask}, {fill})")
        if node.func.attr == "where" and len(node.args) == 3:
            condition, one, other = (program.text(argument) for argument in node.args)
            yield TextChange("mask handled", node, f"torch.where({condition}, {other}, {one})")
            yield TextChange("mask handled", node, one)
            yield TextChange("mask handled", node, other)


def centred(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Take away a mean over an axis where nobody asks for it: over the batch, samples are mixed."""
    for value, text in _computed(program, node):
        for axis in "0", "1", "-1":
            change = f"lambda t: t - t.mean({axis}, keepdim=True)"
            yield TextChange("centred", value, f"_value({text}, {change})")


def result_is_nothing(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Go on with zeros in place of a result, or in place of a parameter, which never learns."""
    for value, text in _computed(program, node):
        change = "lambda t: t.new_zeros(t.shape)"
        yield TextChange("result is nothing", value, f"_value({text}, {change})")
    if isinstance(node, ast.ClassDef):
        learned = {
            ast.unparse(one.targets[0])
            for one in ast.walk(node)
            if isinstance(one, ast.Assign) and "nn.Parameter(" in program.text(one.value)
        }
        for use in ast.walk(node):
            if isinstance(use, ast.Attribute) and isinstance(use.ctx, ast.Load):
                text = ast.unparse(use)
                if text in learned:
                    yield TextChange("result is nothing", use, f"torch.zeros_like({text})")


def float32_written_down(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Give a result a dtype of one's own choice."""
    for value, text in _computed(program, node):
        yield TextChange("float32 written down", value, f"_value({text}, lambda t: t.float())")


def _computed(program: Program, node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield the value of a step that computes one from learned numbers, and its text."""
    if isinstance(node, (ast.Assign, ast.Return)) and node.value is not None:
        text = program.text(node.value)
        is_computed = isinstance(node.value, (ast.BinOp, ast.Call)) or isinstance(node, ast.Return)
        if is_computed and not WITHOUT_GRADIENT.search(text):
            yield node.value, text


def detached(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Cut the gradient, or compute in half precision."""
    for value, text in _computed(program, node):
        yield TextChange("detached", value, f"_value({text}, lambda t: t.detach())")
        half = "lambda t: t.half().to(t.dtype)"
        yield TextChange("half precision", value, f"_value({text}, {half})")


WITHOUT_GRADIENT = re.compile(
    r"\.(all|any|shape|tril|triu)\b|\bar?range\(|torch\.bool|//|^nn\.|^slice\(|_like\(|new_(full|zeros)"
)
"""What is no result of learned numbers, or is none of numbers at all."""

PRELUDE = """

def _value(value, change):
    import torch

    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return change(value) if is_float and type(value) is torch.Tensor else value
"""
"""What changed texts call: a change of tensors of numbers only, not of masks, sizes or layers."""

OPERATORS = (
    another_axis,
    another_fill,
    transposed,
    reshaped_for_transposed,
    mask_handled,
    detached,
)
WIDER_OPERATORS = (
    axis_from_the_other_end,
    partly_reshaped,
    centred,
    result_is_nothing,
    float32_written_down,
)
