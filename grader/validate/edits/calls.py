"""Edits of calls: left out, of a neighbour, with other arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .change import Program, TextChange

NEIGHBOURS = {
    "gelu": ("relu", "silu"),
    "GELU": ("ReLU", "SiLU"),
    "relu": ("gelu",),
    "softmax": ("log_softmax", "sigmoid"),
    "triu": ("tril",),
    "tril": ("triu",),
    "ones": ("zeros",),
    "zeros": ("ones", "randn"),
    "ones_like": ("zeros_like",),
    "zeros_like": ("ones_like",),
    "full": ("empty",),
    "randn": ("zeros", "rand"),
    "sum": ("mean", "amax"),
    "mean": ("sum",),
    "amax": ("amin", "mean"),
    "max": ("min",),
    "min": ("max",),
    "sin": ("cos",),
    "cos": ("sin",),
    "exp": ("exp2", "expm1"),
    "sqrt": ("square",),
    "cat": ("stack",),
    "stack": ("cat",),
    "maximum": ("minimum",),
    "minimum": ("maximum",),
    "all": ("any",),
    "any": ("all",),
    "repeat_interleave": ("repeat",),
    "repeat": ("repeat_interleave",),
    "tile": ("repeat_interleave",),
    "reshape": ("view",),
    "masked_fill": ("masked_fill_",),
    "LayerNorm": ("BatchNorm1d", "RMSNorm"),
    "argmax": ("argmin",),
    "cumsum": ("cumprod",),
}
"""Name of a function or method -> names that people write in its place."""

WORDS = (("nearest", "bilinear", "bicubic", "area"), ("ij", "xy"))
"""Words that stand for ways of doing the same thing."""
COMMUTATIVE = ("transpose", "swapaxes", "maximum", "minimum", "broadcast_shapes")


def _name(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def another_function(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Call a neighbour of what should be called."""
    if isinstance(node, ast.Call):
        for other in NEIGHBOURS.get(_name(node), ()):
            if isinstance(node.func, ast.Attribute):
                text = f"{program.text(node.func.value)}.{other}"
            else:
                text = other
            yield TextChange("another function", node.func, text)


def call_left_out(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Leave out a step, and go on with what it was given."""
    if not isinstance(node, ast.Call):
        return
    is_method = isinstance(node.func, ast.Attribute)
    module = isinstance(node.func, ast.Attribute) and _is_module(node.func.value)
    if is_method and not module and not _is_self(node.func):
        assert isinstance(node.func, ast.Attribute)
        yield TextChange("call left out", node, program.text(node.func.value))
    elif node.args and not isinstance(node.args[0], ast.Starred):
        yield TextChange("call left out", node, program.text(node.args[0]))


def _is_module(node: ast.expr) -> bool:
    text = ast.unparse(node)
    return text.split(".")[0] in ("torch", "nn", "F", "math", "functional", "init")


def _is_self(node: ast.expr) -> bool:
    return ast.unparse(node).split(".")[0] in ("self", "super()")


def argument_left_out(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Leave out an argument that has a name, or the last one without."""
    if not isinstance(node, ast.Call):
        return
    last: list[ast.expr | ast.keyword] = [*node.args[1:][-1:]]
    for gone in [*node.keywords, *last]:
        yield TextChange("argument left out", node, call_without(program, node, gone))


def arguments_exchanged(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Exchange two neighbouring arguments."""
    if isinstance(node, ast.Call) and _name(node) not in COMMUTATIVE:
        texts = [program.text(argument) for argument in node.args]
        keywords = [_keyword(program, keyword) for keyword in node.keywords]
        for at in range(len(texts) - 1):
            exchanged = [*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]
            inside = ", ".join([*exchanged, *keywords])
            yield TextChange("arguments exchanged", node, f"{program.text(node.func)}({inside})")


def argument_is_nothing(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Hand on None in place of a mask, a memory or a bias."""
    if isinstance(node, ast.Call):
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if (isinstance(value, ast.Name) and "mask" in value.id) or _is_optional(value):
                yield TextChange("argument is nothing", value, "None")


def _is_optional(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("bias", "memory", "padding", "cache")


def call_without(program: Program, node: ast.Call, without: ast.expr | ast.keyword) -> str:
    """Return a call without one of its arguments."""
    arguments = [program.text(one) for one in node.args if one is not without]
    keywords = [_keyword(program, one) for one in node.keywords if one is not without]
    return f"{program.text(node.func)}({', '.join([*arguments, *keywords])})"


def _keyword(program: Program, keyword: ast.keyword) -> str:
    value = program.text(keyword.value)
    return f"{keyword.arg}={value}" if keyword.arg else f"**{value}"


def elements_exchanged(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Exchange two neighbours of a list: what is put in front, and what behind."""
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        texts = [program.text(one) for one in node.elts]
        for at in range(len(texts) - 1):
            inside = ", ".join([*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]])
            begin, end = "[]" if isinstance(node, ast.List) else "()"
            yield TextChange("elements exchanged", node, f"{begin}{inside}{end}")


def another_word(program: Program, node: ast.AST) -> Iterator[TextChange]:
    """Ask for another way by its name: another interpolation, rows for columns."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        for words in WORDS:
            for other in words if node.value in words else ():
                if other != node.value:
                    yield TextChange("another word", node, repr(other))


OPERATORS = (
    another_function,
    call_left_out,
    argument_left_out,
    arguments_exchanged,
    argument_is_nothing,
)
WIDER_OPERATORS = (elements_exchanged, another_word)
