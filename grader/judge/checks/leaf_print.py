"""Know a tensor again by a few numbers, where the tensor itself was not kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .sketch import projections

TOLERANCE = 1e-6
"""Of the sums of a print, relative to the sum of magnitudes. Other processors and versions of torch
stay far below it, and other answers far above."""


@dataclass(frozen=True)
class LeafPrint:
    """A tensor as three sums: enough to know it again, and not enough to have it."""

    dtype: str
    shape: tuple[int, ...]
    numbers: tuple[float, ...]
    distinctive: bool
    """True if it holds numbers that nobody arrives at by chance."""


def print_of(tensor: torch.Tensor, *, distinctive: bool = False) -> LeafPrint:
    """Return the print of a tensor of any shape."""
    name = str(tensor.dtype).removeprefix("torch.")
    return LeafPrint(name, tuple(tensor.shape), tuple(projections(tensor)), distinctive)


def alike(one: Any, other: Any, room: float = 0.0) -> bool:
    """Tell whether two values are the same, each with tensors (of any shape) or their prints.

    Numbers may differ by `room`, if that is more than a print allows.
    """
    near = max(TOLERANCE, room)
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        first, second = (list(v.items()) if isinstance(v, Mapping) else v for v in (one, other))
        return alike(first, second, room)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(
            alike(a, b, room) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, torch.Tensor):
        one = print_of(one)
    if isinstance(other, torch.Tensor):
        other = print_of(other)
    if isinstance(one, LeafPrint) and isinstance(other, LeafPrint):
        outlines = (one.dtype, one.shape), (other.dtype, other.shape)
        return outlines[0] == outlines[1] and distance(one.numbers, other.numbers) <= near
    if type(one) is float and type(other) is float:
        return math.isclose(one, other, rel_tol=near)
    return type(one) is type(other) and bool(one == other)


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the largest difference of the numbers of some prints, three for each tensor.

    Relative to the sum of magnitudes, or 1.
    """
    if len(one) != len(other):
        return float("inf")
    worst = 0.0
    for at in range(0, len(one), 3):
        size = max(1.0, abs(one[at + 1]), abs(other[at + 1]))
        if one[at] != other[at]:
            return float("inf")
        worst = max(worst, *(abs(one[i] - other[i]) / size for i in (at + 1, at + 2)))
    return worst
