"""Edits of whole steps: in another order, twice, over other axes, or with something added."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import pairwise

from .change import Program, TextChange
from .names import body_of, both, is_made

EXCHANGES = ("transpose(0, 1)", "transpose(1, 2)", "flip(0)", "flip(1)")
"""Ways of looking at a batch of sequences that are their own opposite."""
TRIANGLES = ("tril", "triu")
ACTIVATIONS = ("relu", "tanh", "sigmoid")
NORMALISING = "softmax"


def other_way_round(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Go through a layer along another axis, or from the end: batch for tokens, last for first."""
    if isinstance(node, ast.Call) and _is_layer(node) and node.args:
        first = program.text(node.args[0])
        rest = [program.text(one) for one in node.args[1:]]
        rest += [_keyword(program, one) for one in node.keywords]
        for exchange in EXCHANGES:
            inside = ", ".join([f"({first}).{exchange}", *rest])
            text = f"{program.text(node.func)}({inside}).{exchange}"
            yield TextChange("other way round", node, text)


def another_triangle(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Begin a triangle one diagonal too high or too low, where none is named."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    is_method = ast.unparse(node.func.value).split(".")[0] != "torch" or "(" in ast.unparse(
        node.func.value
    )
    if node.func.attr in TRIANGLES and not node.keywords and len(node.args) == (not is_method):
        for offset in ("1", "-1"):
            inside = ", ".join([*(program.text(one) for one in node.args), f"diagonal={offset}"])
            yield TextChange("another triangle", node, f"{program.text(node.func)}({inside})")


def future_hidden(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Hide what comes later from a softmax, in what it is given or where that is computed."""
    if _is_normalised(node):
        assert isinstance(node, ast.Call)
        yield TextChange("future hidden", node.args[0], _hidden(program.text(node.args[0])))
    if isinstance(node, ast.FunctionDef):
        calls = [one for one in ast.walk(node) if _is_normalised(one)]
        names = {ast.unparse(one.args[0]) for one in calls if isinstance(one, ast.Call)}
        for step in body_of(node):
            if isinstance(step, ast.Assign) and {ast.unparse(one) for one in step.targets} <= names:
                yield TextChange("future hidden", step.value, _hidden(program.text(step.value)))


def _is_normalised(node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and bool(node.args)
    return is_call and ast.unparse(node.func).rpartition(".")[2] == NORMALISING  # type: ignore[attr-defined]


def _hidden(scores: str) -> str:
    hide = "t.masked_fill(torch.ones_like(t).triu(1) > 0, -torch.inf)"
    return f"(lambda t: {hide})({scores})"


def steps_exchanged(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Do two neighbouring steps in the other order."""
    for first, second in pairwise(body_of(node)):
        if isinstance(first, ast.Return) or isinstance(second, ast.Return):
            continue
        text = f"{program.text(second)}\n{' ' * first.col_offset}{program.text(first)}"
        yield TextChange("steps exchanged", both(first, second), text)


def step_done_twice(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Do a step again with what came out of it."""
    for step in body_of(node):
        if isinstance(step, ast.Assign) and len(step.targets) == 1:
            target, text = step.targets[0], program.text(step)
            used = {one.id for one in ast.walk(step.value) if isinstance(one, ast.Name)}
            if isinstance(target, ast.Name) and target.id in used:
                again = f"{text}\n{' ' * step.col_offset}{text}"
                yield TextChange("step done twice", step, again)


def loop_at_once(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Do a loop's steps once, with all that it goes through: no sum is left of it."""
    if isinstance(node, ast.For) and not node.orelse:
        passed = node.iter
        if isinstance(passed, ast.Call) and ast.unparse(passed.func) in ("zip", "enumerate"):
            every = ", ".join(program.text(one) for one in passed.args)
        else:
            every = program.text(passed)
        steps = (program.text(one) for one in node.body)
        lines = [f"{program.text(node.target)} = {every}", *steps]
        yield TextChange("loop at once", node, f"\n{' ' * node.col_offset}".join(lines))


def input_added(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Add what goes into a layer to what comes out: a residual where there is none."""
    if isinstance(node, ast.Call) and _is_layer(node) and node.args:
        text, first = program.text(node), program.text(node.args[0])
        yield TextChange("input added", node, f"{first} + {text}")


def residual_of_what_goes_in(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Add what a layer was given, in place of what it was made from: the normalised input."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, ast.Call) and _is_layer(other) and other.args:
                given, text = program.text(other.args[0]), program.text(other)
                if given != program.text(one):
                    yield TextChange("residual of what goes in", node, f"{given} + {text}")


def result_scaled(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Divide by the root of the width where nobody asks for it, or multiply."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        text, left = program.text(node), program.text(node.left)
        for sign in "/", "*":
            yield TextChange("result scaled", node, f"({text}) {sign} ({left}).shape[-1] ** 0.5")


def another_product(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Multiply element by element where matrices are multiplied."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        left, right = program.text(node.left), program.text(node.right)
        yield TextChange("another product", node, f"({left}) * ({right})")


def activation_added(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Put an activation behind a layer that has none."""
    if isinstance(node, ast.Call) and _is_layer(node) and node.args:
        text = program.text(node)
        for activation in ACTIVATIONS:
            yield TextChange("activation added", node, f"torch.{activation}({text})")
        yield TextChange("activation added", node, f"torch.{NORMALISING}({text}, -1)")


def layer_is_nothing(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Create a layer that does nothing, or one without its bias."""
    if isinstance(node, ast.Call) and is_made(node) and "super" not in program.text(node.func):
        yield TextChange("layer is nothing", node, "nn.Identity()")
        if program.text(node.func) == "nn.Linear" and len(node.args) == 2 and not node.keywords:
            inside = ", ".join(program.text(one) for one in node.args)
            yield TextChange("layer without bias", node, f"nn.Linear({inside}, bias=False)")


def _is_layer(call: ast.Call) -> bool:
    """Tell whether a call goes through a layer or function of one's own, not one of torch."""
    names = ast.unparse(call.func).split(".")
    is_own = len(names) == 1 or names[0] == "self"
    return is_own and not is_made(call) and not hasattr(builtins, names[0])


def _keyword(program: Program, keyword: ast.keyword) -> str:
    value = program.text(keyword.value)
    return f"{keyword.arg}={value}" if keyword.arg else f"**{value}"


OPERATORS = (
    other_way_round,
    another_triangle,
    future_hidden,
    steps_exchanged,
    step_done_twice,
    loop_at_once,
    input_added,
    residual_of_what_goes_in,
    result_scaled,
    another_product,
    activation_added,
    layer_is_nothing,
)
