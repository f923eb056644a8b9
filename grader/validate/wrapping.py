"""Make submissions from the reference: blank, in another shape, drawing at random, forbidden.

The text of Python code is made here; it runs in a worker, as any submission does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

_BLANK = """

import torch as _torch


def _blank(value, given):
    if isinstance(value, (tuple, list)):
        return type(value)(_blank(item, given) for item in value)
    if isinstance(value, dict):
        return {{key: _blank(item, given) for key, item in value.items()}}
    if isinstance(value, bool) or not isinstance(value, (int, float, _torch.Tensor)):
        return value
    if not isinstance(value, _torch.Tensor):
        return {number}
    if not value.is_floating_point():
        return {other}
    return {tensor}


def _given(value, args, kwargs):
    tensors = [t for t in (*args, *kwargs.values()) if isinstance(t, _torch.Tensor)]
    alike = [t for t in tensors if t.shape == value.shape]
    return next(iter(alike or tensors), _torch.zeros_like(value))
"""
_ATTACHED = "_torch.full_like(value, {}).where(_torch.ones_like(value, dtype=_torch.bool), value)"
BLANKS = {
    "zeros": ("_torch.zeros_like(value)", "0"),
    "ones": ("_torch.ones_like(value)", "1"),
    "a constant with a gradient": (_ATTACHED.format(0.5), "2"),
    "random numbers": ("_torch.randn_like(value)", "7"),
    "its input": ("_given(value, *given)", "1"),
}
"""The code that answers in place of a floating-point tensor, and of a number.

The shape is right except in the last, which returns its first tensor if none has the shape of the
answer.
"""


def blank_source(reference: str, targets: Sequence[str], blank: str) -> str:
    """Return the reference with blank answers in place of those of the targets."""
    tensor, number = BLANKS[blank]
    other = "_torch.zeros_like(value)"
    prelude = _BLANK.format(tensor=tensor, other=other, number=f"type(value)({number})")
    return reference + prelude + "".join(_answering(reference, targets, _BLANK_CALL))


def reshaped_source(reference: str, targets: Sequence[str]) -> str:
    """Return the reference with one axis more in front of each tensor that the targets answer."""
    prelude = _BLANK.format(tensor="value[None]", other="value[None]", number="value")
    return reference + prelude + "".join(_answering(reference, targets, _BLANK_CALL))


_BLANK_CALL = "_blank({call}, (args, kwargs))"
# Another seed in each call: what must draw anew each time, as dropout does, stays right.
_DRAWN_CALL = "(_torch.manual_seed(next(_seeds)), _torch.rand(11), {call})[-1]"


def drawing_source(reference: str, targets: Sequence[str]) -> str:
    """Return the reference with other global seeds and more random draws.

    It seeds at import; it seeds and draws in each constructor and in each call of a function.
    """
    prelude = (
        "\n\nimport itertools as _itertools\nimport random as _random\nimport torch as _torch\n"
    )
    prelude += "\n_torch.manual_seed(4711)\n_random.seed(4711)\n_seeds = _itertools.count(20)\n"
    body = _answering(reference, targets, _DRAWN_CALL, constructors=True)
    return reference + prelude + "".join(body)


def forbidden_source(reference: str, target: str, code: str) -> str:
    """Return the reference with code in a target that is there to be read, and never runs."""
    body = "".join(f"        {line}\n" for line in code.splitlines())
    for node in ast.parse(reference).body:
        if isinstance(node, ast.FunctionDef) and node.name == target:
            return (
                f"{reference}\n\n_right_{target} = {target}\n\n\n"
                f"def {target}(*args, **kwargs):\n    if False:\n{body}"
                f"    return _right_{target}(*args, **kwargs)\n"
            )
        if isinstance(node, ast.ClassDef) and node.name == target:
            body = "".join(f"            {line}\n" for line in code.splitlines())
            return (
                f"{reference}\n\nclass {target}({target}):\n"
                f"    def __init__(self, *args, **kwargs):\n        if False:\n{body}"
                "        super().__init__(*args, **kwargs)\n"
            )
    return reference


def _answering(
    reference: str, targets: Sequence[str], answer: str, constructors: bool = False
) -> Iterable[str]:
    """Yield definitions that replace those of the targets and wrap the old ones in `answer`."""
    for node in ast.parse(reference).body:
        if isinstance(node, ast.FunctionDef) and node.name in targets:
            call = answer.format(call=f"_right_{node.name}(*args, **kwargs)")
            yield (
                f"\n\n_right_{node.name} = {node.name}\n\n\n"
                f"def {node.name}(*args, **kwargs):\n    return {call}\n"
            )
        elif isinstance(node, ast.ClassDef) and node.name in targets:
            yield f"\n\nclass {node.name}({node.name}):\n"
            names = ["__init__"] * constructors if constructors else list(_methods(node))
            for name in names:
                call = answer.format(call=f"super().{name}(*args, **kwargs)")
                yield f"    def {name}(self, *args, **kwargs):\n        return {call}\n\n"


def _methods(node: ast.ClassDef) -> Iterable[str]:
    for child in node.body:
        if isinstance(child, ast.FunctionDef) and not child.name.startswith("_"):
            yield child.name
