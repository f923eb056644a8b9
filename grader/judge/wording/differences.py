"""Put values and differences into the words of a check's message: observed, and expected."""

from __future__ import annotations

from typing import Any

import torch

from ...text.language import _
from ..compare.compare import (
    Difference,
    NoGradient,
    NonFinite,
    ValueKind,
    ValueSummary,
    WrongDevice,
    WrongDtype,
    WrongEntries,
    WrongNonFinite,
    WrongNumbers,
    WrongShape,
    WrongType,
    summary,
)


def describe(value: Any) -> str:
    """Describe a value in a few words: its type, its shape if it is a tensor, a number itself."""
    return summary_in_words(summary(value))


def summary_in_words(value: ValueSummary) -> str:
    """Put the summary of a value into words."""
    match value.kind:
        case ValueKind.TENSOR:
            return _("a tensor of shape {shape}", shape=value.shape)
        case ValueKind.SEQUENCE:
            return _("a {kind} of {count} items", kind=value.name, count=value.shape[0])
        case ValueKind.MAPPING:
            return _("a dict of {count} items", count=value.shape[0])
        case ValueKind.PLAIN:
            return value.name
        case ValueKind.NAMED_OBJECT:
            return _("an object of type {name}", name=value.name)
        case ValueKind.TENSOR_SUBCLASS:
            return _("a Tensor subclass")
        case ValueKind.TEXT:
            return _("a text")
        case ValueKind.MODULE:
            return _("a module")
        case ValueKind.FUNCTION:
            return _("a function")
        case ValueKind.OBJECT:
            return _("an object")


def is_instead(what: str, value: Any) -> str:
    """Say what a value is that should be something else."""
    return _("{what} is {value}", what=what, value=describe(value))


def in_words(difference: Difference, what: str = "") -> tuple[str, str]:
    """Put a difference into words, as observed and expected.

    `what` names the compared value, in the reader's language; "output" by default.
    """
    what = _name(difference, what)
    match difference.reason:
        case WrongType(observed, expected):
            wanted = summary_in_words(expected)
            wanted = f"{what}: {wanted}" if expected.kind is ValueKind.SEQUENCE else wanted
            message = _("{what} is {value}", what=what, value=summary_in_words(observed))
            return message, wanted
        case WrongShape(observed, expected):
            message = _("{what} has shape {shape}", what=what, shape=observed)
            return message, _("shape {shape}", shape=expected)
        case WrongDtype(observed, expected):
            message = _("{what} has dtype {dtype}", what=what, dtype=dtype_name(observed))
            return message, _("dtype {dtype}", dtype=dtype_name(expected))
        case WrongDevice(observed, expected):
            message = _("{what} is on device {device}", what=what, device=observed)
            return message, _("device {device}", device=expected)
        case WrongNonFinite():
            return _nonfinite(difference.reason, what)
        case WrongEntries(place, count):
            message = _(
                "{what} differs at {place}, and at {count} places in all",
                what=what,
                place=[*place],
                count=count,
            )
            return message, _("the reference's values")
        case WrongNumbers(place, worst, tolerance):
            message = _(
                "{what} differs by up to {worst}, first at {place}",
                what=what,
                worst=f"{worst:.2g}",
                place=[*place],
            )
            return message, _(
                "the reference's values within {tolerance}", tolerance=f"{tolerance:.1g}"
            )
        case NoGradient():
            name = argument_name(difference.gradient_of)
            message = _("no gradient reaches {name}", name=name)
            return message, _("a gradient of {name}", name=name)


def _name(difference: Difference, what: str) -> str:
    if difference.gradient_of is not None:
        what = _("the gradient of {name}", name=argument_name(difference.gradient_of))
    return (what or _("output")) + "".join(f"[{number}]" for number in difference.at)


def _nonfinite(wrong: WrongNonFinite, what: str) -> tuple[str, str]:
    if wrong.value is NonFinite.MISSING:
        message = _("{what} is finite at {place}", what=what, place=[*wrong.place])
        return message, _("no finite value there")
    name = _("NaN") if wrong.value is NonFinite.NAN else _("infinity")
    message = _("{what} is {value} at {place}", what=what, value=name, place=[*wrong.place])
    if wrong.count > 1:
        message = _("{these} and {count} more", these=message, count=wrong.count - 1)
    return message, _("finite values")


def argument_name(name: str | int | None) -> str:
    """Return a name as it is, and a position as "argument 1"."""
    return _("argument {number}", number=name + 1) if isinstance(name, int) else name or ""


def dtype_name(dtype: torch.dtype) -> str:
    """Return the name of a dtype without its module: `float32`."""
    return str(dtype).removeprefix("torch.")
