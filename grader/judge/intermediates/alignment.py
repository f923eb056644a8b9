"""Decide whether two tensors hold the same numbers, stored in one of several ways.

A match of six and more different numbers, in their places, on each of two independent draws, is
none by chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, permutations
from operator import mul

import torch

from ...grade.right_lines import Likeness

LEAST_DIFFERENT = 6
"""The fewest different numbers, without 0, that are compared: fewer may agree by chance."""
TOLERANCE = 2e-5
"""The largest difference of one number, as a share of all numbers' size: float32 is rounded."""
MOST_DIMENSIONS = 5


@dataclass(frozen=True)
class Comparable:
    """A tensor with enough different numbers to be compared, without its axes of length 1."""

    value: torch.Tensor
    size: float
    """The root mean square of the numbers that are finite."""
    in_order: torch.Tensor
    """All numbers (n,), divided by that and sorted."""


@dataclass(frozen=True)
class Alignment:
    """The way in which one tensor is another: as it is for an empty tuple and a factor of 1."""

    likeness: tuple[Likeness, ...]
    factor: float
    """The number by which the other is to be multiplied; above 0."""


def comparable(value: torch.Tensor) -> Comparable | None:
    """Return a float tensor of any shape for comparison; None if a match could be chance."""
    plain = value.detach().double().squeeze()
    flat = plain.flatten()  # n
    finite = flat[flat.isfinite()]  # n
    if plain.dim() > MOST_DIMENSIONS or len(finite) < LEAST_DIFFERENT or bool(flat.isnan().any()):
        return None
    size = float(finite.square().mean().sqrt())
    if not 1e-12 < size < 1e12:
        return None
    in_order = (flat / size).sort().values  # n
    numbers = in_order[in_order.isfinite() & (in_order.abs() > 1e-3)]  # n
    different = int((numbers.diff() > 1e-3).sum()) + 1 if len(numbers) else 0
    return Comparable(plain, size, in_order) if different >= LEAST_DIFFERENT else None


def align(yours: Comparable, right: Comparable) -> Alignment | None:
    """Return the plainest way in which `yours` is `right`; None if there is none."""
    if len(yours.in_order) != len(right.in_order) or not _near(yours.in_order, right.in_order):
        return None
    factor = yours.size / right.size
    is_scaled = abs(factor - 1) > 10 * TOLERANCE
    one, other = yours.value / yours.size, right.value / right.size
    if not is_scaled:
        one, other, factor = yours.value / right.size, other, 1.0
    likeness = _likeness(one, other)
    if likeness is None:
        return None
    return Alignment((*likeness, Likeness.SCALED) if is_scaled else likeness, factor)


def _likeness(one: torch.Tensor, other: torch.Tensor) -> tuple[Likeness, ...] | None:
    # Both may have any shape.
    if one.shape == other.shape and _near(one, other):
        return ()
    for order in permutations(range(one.dim())):
        turned = one.permute(order)  # …
        if turned.shape == other.shape and _near(turned, other):
            return (Likeness.TRANSPOSED,)
    if _is_reshaped(one, other):
        return (Likeness.RESHAPED,)
    if any(_is_reshaped(turned, other) for turned in _turned(one)) or any(
        _is_reshaped(one, turned) for turned in _turned(other)
    ):
        return Likeness.TRANSPOSED, Likeness.RESHAPED
    return (Likeness.REORDERED,) if _is_reordered(one, other) else None


def _turned(value: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield a tensor with its axes in every order."""
    # value: any shape.
    for order in permutations(range(value.dim())):
        yield value.permute(order)  # …


def _is_reshaped(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Tell whether one tensor is the other with neighbouring axes merged, and nothing else.

    A `view` that cuts across axes, as in heads that are split without a transpose, is none.
    """
    # Both may have any shape.
    ends, other_ends = (set(accumulate(value.shape, mul)) for value in (one, other))
    if not (ends <= other_ends or other_ends <= ends):
        return False
    return _near(one.flatten(), other.flatten())


def _is_reordered(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Tell whether the places along a single axis stand in another order."""
    # Both may have any shape.
    if one.shape != other.shape:
        return False
    for axis in range(one.dim()):
        if one.dim() < 2 or one.shape[axis] < 2:
            continue
        rows, others = (value.movedim(axis, 0).flatten(1) for value in (one, other))  # n m
        far = (rows[:, None] - others[None]).nan_to_num(0.0).abs().amax(-1)  # n n
        nearest = far.argmin(-1)  # n
        if len(set(nearest.tolist())) == len(rows) and _near(rows, others[nearest]):
            return True
    return False


def _near(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Tell whether numbers of size 1 agree, each with its own; infinity with infinity only."""
    # Both have one shape.
    return bool(((one - other).abs().le(TOLERANCE) | (one == other)).all())
