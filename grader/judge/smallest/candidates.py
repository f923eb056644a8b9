"""Fill small calls with numbers, from the smallest call to the largest."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .small_calls import (
    TENSORS,
    Fixed,
    Given,
    Mask,
    Shares,
    Size,
    Sizes,
    SmallCall,
    Tensor,
    Whole,
    length_of,
    shape_of,
)

MOST_NUMBERS = 8
"""The most numbers in all arguments of a call together."""
MOST_TELLING = 16
"""The most candidates of a call that are asked before the call is given up."""
_FLOATS = (1.0, 2.0, -1.0, 3.0, 0.0, -2.0)


@dataclass(frozen=True)
class Candidate:
    """A small call at some sizes, to be filled in way number `pattern`."""

    call: SmallCall
    sizes: Sizes
    pattern: int

    def made(self) -> tuple[Any, ...]:
        """Return the arguments that make the module."""
        return tuple(_plain(one, self.sizes) for one in self.call.made or ())

    def arguments(self) -> list[Any]:
        """Return the arguments, filled: tensors of the shapes of their axes, and constants."""
        draw = random.Random(f"{self.call.target} {sorted(self.sizes.items())} {self.pattern}")
        return [_argument(one, self, draw) for one in self.call.given.values()]

    def weight(self, name: str, shape: Sequence[int]) -> torch.Tensor:
        """Return values for a parameter of this shape: the identity, or other rows with one 1."""
        if name.endswith("bias"):
            return self._bias(name, shape)
        if len(shape) == 1:
            return torch.full(tuple(shape), 2.0 if self.pattern > 3 else 1.0)
        width = int(torch.Size(shape[1:]).numel())
        draw = random.Random(f"{name} {self.pattern}")
        rows = torch.zeros(shape[0], width)
        for row in range(shape[0]):
            rows[row, row % width if self.pattern == 0 else draw.randrange(width)] = 1.0
        return rows.reshape(tuple(shape))

    def _bias(self, name: str, shape: Sequence[int]) -> torch.Tensor:
        # Returns that shape.
        values = torch.zeros(tuple(shape))
        if self.pattern > 0:
            values.view(-1)[random.Random(f"{name} {self.pattern}").randrange(values.numel())] = 1.0
        return values


def telling(call: SmallCall) -> list[Candidate]:
    """Return the richest candidates of a call, which differ if any smaller one does, nearly always.

    Asking these first saves trying all smaller ones on a right answer.
    """
    sized = [sizes for sizes in call.all_sizes() if call.count(sizes) <= MOST_NUMBERS]
    sized.sort(key=call.count, reverse=True)
    drawn = any(isinstance(one, (*TENSORS, tuple)) for one in call.given.values())
    if call.made is None and not drawn:
        return [Candidate(call, sizes, 0) for sizes in sized[:MOST_TELLING]]
    # Two axes of one length hide a mistake that takes one for the other: not only the largest.
    first = [Candidate(call, sizes, 1 + number % 2) for number, sizes in enumerate(sized)]
    more = [Candidate(call, sizes, pattern) for pattern in (3, 0, 4) for sizes in sized[:3]]
    return [*first[:MOST_TELLING], *more]


def within(wrong_call: Candidate) -> Iterator[Candidate]:
    """Yield the candidates that are smaller than one: few numbers first, plain patterns before."""
    call = wrong_call.call
    smaller = [one for one in call.all_sizes() if _is_within(one, wrong_call.sizes)]
    for sizes in sorted(smaller, key=call.count):
        for pattern in dict.fromkeys((0, 1, wrong_call.pattern, 2, 3)):
            yield Candidate(call, sizes, pattern)


def _is_within(one: Sizes, other: Sizes) -> bool:
    return one != other and all(one[letter] <= other[letter] for letter in one)


def _plain(value: Any, sizes: Sizes) -> Any:
    return length_of(value.letter, sizes) if isinstance(value, Size) else value


def _argument(given: Given, candidate: Candidate, draw: random.Random) -> Any:
    if isinstance(given, TENSORS):
        return _tensor(given, candidate, draw)
    if isinstance(given, tuple) and not isinstance(given[0], int):
        return [_tensor(one, candidate, draw) for one in given]
    return _plain(given, candidate.sizes)


def _tensor(given: Tensor, candidate: Candidate, draw: random.Random) -> torch.Tensor:
    # Returns the shape that its axes have here.
    shape = shape_of(given.axes, candidate.sizes)
    count = int(torch.Size(shape).numel())
    if isinstance(given, Fixed):
        return torch.tensor(list(map(float, given.numbers))).reshape(shape)
    if isinstance(given, Mask):
        return _mask(shape, draw)
    if isinstance(given, Whole):
        high = given.high
        end = length_of(high, candidate.sizes) if isinstance(high, str) else high
        return torch.tensor([draw.randrange(given.low, end) for _ in range(count)]).reshape(shape)
    if isinstance(given, Shares):
        return _shares(shape, draw)
    if candidate.pattern == 0:
        # All different: what only moves numbers shows where it moved them.
        numbers = [float(number) for number in range(1, count + 1)]
    elif given.distinct:
        numbers = draw.sample([float(number) for number in range(count)], count)
    else:
        numbers = [draw.choice(_FLOATS) for _ in range(count)]
    if given.positive:
        numbers = [abs(number) or 2.0 for number in numbers]
    return torch.tensor(numbers).reshape(shape)


def _mask(shape: Sequence[int], draw: random.Random) -> torch.Tensor:
    """Return a mask of that shape in which each row hides at most one entry, and never its only."""
    mask = torch.ones(tuple(shape), dtype=torch.bool)
    rows = mask.view(-1, shape[-1])
    for row in rows:
        if shape[-1] > 1 and draw.random() < 0.7:
            row[draw.randrange(shape[-1])] = False
    return mask


def _shares(shape: Sequence[int], draw: random.Random) -> torch.Tensor:
    # Returns that shape; the last axis adds up to 1.
    parts = torch.tensor([draw.choice((1.0, 3.0)) for _ in range(int(torch.Size(shape).numel()))])
    rows = parts.reshape(tuple(shape))
    return rows / rows.sum(-1, keepdim=True)
