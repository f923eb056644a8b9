"""Fill the calls that a course declares with numbers that no two values have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ..smallest.small_calls import (
    Given,
    Mask,
    Numbers,
    Shares,
    Size,
    Sizes,
    SmallCall,
    Whole,
    length_of,
    shape_of,
)

LENGTHS = (3, 4, 5, 7, 2, 6, 8, 9)
"""Lengths for the axes, in the order of their letters: all different, so that none is taken for
another."""
Drawn = Numbers | Mask | Whole | Shares
"""The tensors whose values are drawn."""
ONE = "1"
"""A first axis that is declared as 1: of several samples, where a target takes that."""
SAMPLES = 2


def generic_sizes(call: SmallCall) -> Iterator[dict[str, int]]:
    """Yield lengths to try, the most different ones first: not every target allows all of them."""
    lengths = dict(zip(call.letters, LENGTHS * 4, strict=False))
    declared = {letter: max(sizes) for letter, sizes in call.sizes.items()}
    twice = {letter: 2 * length for letter, length in lengths.items()}
    for several in ({ONE: SAMPLES}, {}):
        yield {**lengths, **several}
        yield {**lengths, **declared, **several}
        yield {**twice, **several}


def generic_arguments(call: SmallCall, sizes: Sizes, seed: int) -> list[Any]:
    """Return the arguments of a call: tensors of the shapes of their axes, and constants."""
    draw = torch.Generator().manual_seed(seed)
    return [_argument(one, sizes, draw) for one in call.given.values()]


def _argument(given: Given, sizes: Sizes, draw: torch.Generator) -> Any:
    if isinstance(given, Drawn):
        return _tensor(given, sizes, draw)
    if isinstance(given, tuple) and not isinstance(given[0], int):
        return [_tensor(one, sizes, draw) for one in given if isinstance(one, Drawn)]
    return length_of(given.letter, sizes) if isinstance(given, Size) else given


def _tensor(given: Drawn, sizes: Sizes, draw: torch.Generator) -> torch.Tensor:
    """Return a tensor of the shape of its axes."""
    first, _space, others = given.axes.partition(" ")
    shape = shape_of(given.axes, sizes)
    if first == ONE and others and ONE in sizes:
        shape = (sizes[ONE], *shape[1:])
    if isinstance(given, Whole):
        high = length_of(given.high, sizes) if isinstance(given.high, str) else given.high
        return torch.randint(given.low, high, shape, generator=draw)
    numbers = torch.randn(shape, generator=draw)
    if isinstance(given, Mask):
        return _mask(numbers)
    if isinstance(given, Shares):
        parts = numbers.exp()  # …
        return parts / parts.sum(-1, keepdim=True)
    return numbers.abs() + 0.1 if given.positive else numbers


def _mask(numbers: torch.Tensor) -> torch.Tensor:
    """Return a mask of the shape of these numbers, in which no row hides everything, or nothing.

    Whoever ignores a mask is right where it hides nothing. Rows lie along the last axis that is
    longer than 1: of scores (3, 4, 1) along the second one.
    """
    axis = next((one for one in reversed(range(numbers.dim())) if numbers.shape[one] > 1), None)
    if axis is None:
        return torch.ones_like(numbers, dtype=torch.bool)
    may = (numbers > -0.4) & (numbers != numbers.amin(axis, keepdim=True))
    return may | (numbers == numbers.amax(axis, keepdim=True))
