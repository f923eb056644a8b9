"""Write code that reproduces a counterexample in a notebook, from torch and the student's own."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...text.language import _
from .difference import ClearDifference
from .search import WrongCall
from .sides import Filled
from .small_arrays import small_array
from .small_calls import SmallCall
from .steps import SHOWN

MODULE = "module"
WIDTH = 66
"""The most characters of a comment's line."""


def call_text(filled: Filled) -> str:
    """Return the call as it is typed: `attention_scores(query, key)`."""
    return typed(filled.candidate.call, filled.candidate.made(), filled.arguments)


def typed(call: SmallCall, made: Sequence[Any], arguments: Sequence[Any]) -> str:
    """Return a call as it is typed; `made` are the arguments that make its module."""
    if call.steps:
        return "; ".join(call.steps).replace(f"{SHOWN} = ", "")
    given = [
        name if _is_named(value) else repr(value)
        for name, value in zip(call.given, arguments, strict=True)
    ]
    options = [f"{name}={value!r}" for name, value in call.options.items()]
    if call.methods:
        pairs = zip(call.methods, given, strict=True)
        return "; ".join(f"{MODULE}.{name}({', '.join([one, *options])})" for name, one in pairs)
    called = call.target if call.made is None else _making(call, made)
    return f"{called}({', '.join([*given, *options])})"


def made_text(filled: Filled) -> str:
    """Return the call that makes the module: `CausalAttention(2, 2, 2, 0.0)`."""
    return _making(filled.candidate.call, filled.candidate.made())


def _making(call: SmallCall, made: Sequence[Any]) -> str:
    return f"{call.target}({', '.join(map(repr, made))})"


def snippet(wrong_call: WrongCall, stored: Mapping[str, torch.Tensor], part: str) -> str:
    """Return the code: the input, the call, and what should be printed.

    `stored` are a module's parameters, in the student's shapes.
    """
    filled, call = wrong_call.filled, wrong_call.filled.candidate.call
    named = zip(call.given, filled.arguments, strict=True)
    lines = ["import torch", ""]
    lines += [f"{name} = {_literal(value)}" for name, value in named if _is_named(value)]
    text = call_text(filled)
    if call.made is not None:
        lines += [f"{MODULE} = {made_text(filled)}.eval()"]
        lines += _weights(stored)
        text = text.replace(f"{made_text(filled)}(", f"{MODULE}(", 1)
    *before, last = call.steps or text.split("; ")
    last = last.removeprefix(f"{SHOWN} = ")
    is_part = (
        isinstance(wrong_call.answers.right, (tuple, list))
        and wrong_call.difference.yours is not None
    )
    piece = f"[{wrong_call.difference.part}]" if is_part else ""
    lines += [*before, f"{SHOWN} = {last}{piece}", f"print({SHOWN})"]
    return "\n".join([*lines, *_comments(wrong_call.difference, part)]) + "\n"


def _comments(difference: ClearDifference, part: str) -> list[str]:
    right = difference.error or small_array(part, difference.right, ()).text
    sentence = difference.instead
    if difference.yours is not None:
        sentence = small_array(part, difference.yours, ()).text
    yours = _("yours: {answer}", answer=" ".join(sentence.split()))
    expected = _("expected: {answer}", answer=right)
    # Lines that a terminal does not break: what is pasted from it must still be a comment.
    return [f"# {line}" for text in (yours, expected) for line in textwrap.wrap(text, WIDTH)]


def _weights(stored: Mapping[str, torch.Tensor]) -> list[str]:
    # Each value has the shape of its parameter.
    rows = [f"    {name!r}: {_literal(value)}," for name, value in stored.items()]
    return [f"{MODULE}.load_state_dict({{", *rows, "}, strict=False)"] if rows else []


def _is_named(value: Any) -> bool:
    return isinstance(value, (torch.Tensor, list))


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    rows, columns = value.shape if value.dim() == 2 else (0, 1)
    if value.is_floating_point() and rows == columns > 1 and torch.equal(value, torch.eye(rows)):
        return f"torch.eye({rows})"
    if value.is_floating_point() and columns > 1 and _are_one_hot(value):
        return f"torch.eye({columns})[{value.argmax(-1).tolist()}]"
    if value.is_floating_point() and value.numel() > 2 and not bool(value.any()):
        return f"torch.zeros({', '.join(map(str, value.shape))})"
    return f"torch.tensor({value.tolist()!r})"


def _are_one_hot(rows: torch.Tensor) -> bool:
    """Tell whether each row holds a single 1, and zeros."""
    # rows: (..., C).
    return bool(((rows == 0) | (rows == 1)).all()) and bool((rows.sum(-1) == 1).all())
