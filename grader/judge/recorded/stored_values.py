"""Write the values that a check meets as JSON, and read them again."""

from __future__ import annotations

import base64
from typing import Any

import torch

from ...wire.tensors import raw_bytes
from ..checks.leaf_print import LeafPrint
from ..compare.compare import ValueKind, ValueSummary

Stored = Any
"""JSON: plain values as they are, and everything else as an object with one key."""


class NotStorable(Exception):
    """A value that cannot be written, such as a function."""


def stored(value: Any) -> Stored:
    """Return a value, with tensors of any shape, as JSON. Raises NotStorable."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, torch.Tensor) and value.device.type == "cpu":
        return {"tensor": [_name(value.dtype), list(value.shape), _text(value)]}
    if isinstance(value, LeafPrint):
        return {"print": [value.dtype, list(value.shape), list(value.numbers), value.distinctive]}
    if isinstance(value, torch.dtype):
        return {"dtype": _name(value)}
    if isinstance(value, ValueSummary):
        return {"summary": [value.kind.value, value.name, list(value.shape)]}
    if isinstance(value, tuple):
        return {"tuple": [stored(item) for item in value]}
    if isinstance(value, list):
        return [stored(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[stored(key), stored(item)] for key, item in value.items()]}
    raise NotStorable(type(value).__name__)


def restored(value: Stored) -> Any:
    """Return what `stored` was given."""
    if isinstance(value, list):
        return [restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "float":
            return float(content)
        case "tensor":
            return _tensor(*content)
        case "print":
            dtype, shape, numbers, distinctive = content
            return LeafPrint(dtype, tuple(shape), tuple(numbers), distinctive)
        case "dtype":
            return getattr(torch, content)
        case "summary":
            of, name, shape = content
            return ValueSummary(ValueKind(of), name, tuple(shape))
        case "tuple":
            return tuple(restored(item) for item in content)
    return {restored(key): restored(item) for key, item in content}


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _text(tensor: torch.Tensor) -> str:
    """Return the numbers of a tensor of any shape, as bytes in base64."""
    return base64.b64encode(raw_bytes(tensor.detach().contiguous())).decode("ascii")


def _tensor(dtype: str, shape: list[int], text: str) -> torch.Tensor:
    """Return a tensor of that shape."""
    data = bytearray(base64.b64decode(text))
    kind = getattr(torch, dtype)
    return (
        torch.frombuffer(data, dtype=kind).reshape(shape)
        if data
        else torch.empty(shape, dtype=kind)
    )
