"""Layouts as patterns of named axes: `r | (h d) i` is one tensor for each r, with h and d in one.

Only rearranges, so that whatever is stored by a pattern is stored exactly once.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Pattern:
    """A pattern taken apart."""

    lists: tuple[str, ...]
    """Axes that count separate tensors."""
    dims: tuple[tuple[str, ...], ...]
    """The axes in each dimension of a tensor."""

    def only(self, axes: Sequence[str]) -> Pattern:
        """The pattern of a tensor that has only these axes, as a bias beside its weight."""
        dims = (tuple(axis for axis in dim if axis in axes) for dim in self.dims)
        return Pattern(self.lists, tuple(dim for dim in dims if dim))

    @property
    def order(self) -> tuple[str, ...]:
        return (*self.lists, *itertools.chain(*self.dims))


def parse(text: str) -> Pattern:
    """
    >>> parse("r | (h d) i")
    Pattern(lists=('r',), dims=(('h', 'd'), ('i',)))
    """
    left, bar, right = text.rpartition("|")
    parts = re.findall(r"\(([^)]*)\)|(\w+)", right)
    dims = tuple(tuple(inner.split()) if inner else (single,) for inner, single in parts)
    return Pattern(tuple(left.split()) if bar else (), dims)


def stored(
    tensor: torch.Tensor, axes: Sequence[str], pattern: Pattern
) -> Iterator[tuple[dict[str, int], torch.Tensor]]:
    """The tensors in which a tensor with these axes is stored, and which entry each is.

    >>> [(at, t.tolist()) for at, t in stored(torch.tensor([[1, 2], [3, 4]]), "rd", parse("r | d"))]
    [({'r': 0}, [1, 2]), ({'r': 1}, [3, 4])]
    """
    sizes = dict(zip(axes, tensor.shape, strict=True))
    turned = tensor.permute([list(axes).index(axis) for axis in pattern.order])
    counts = [sizes[axis] for axis in pattern.lists]
    shape = [math.prod(sizes[axis] for axis in dim) for dim in pattern.dims]
    for place in itertools.product(*map(range, counts)):
        yield dict(zip(pattern.lists, place, strict=True)), turned[place].reshape(shape)


def restored(
    tensors: Sequence[torch.Tensor], axes: Sequence[str], pattern: Pattern, known: Mapping[str, int]
) -> torch.Tensor:
    """The tensor with these axes that is stored in `tensors`; `known` are lengths of axes."""
    sizes = dict(known)
    for dim, length in zip(pattern.dims, tensors[0].shape, strict=True):
        unknown = [axis for axis in dim if axis not in sizes]
        rest = math.prod(sizes[axis] for axis in dim if axis in sizes)
        sizes |= dict.fromkeys(unknown, length // rest)
    whole = torch.stack(list(tensors)) if pattern.lists else tensors[0]
    whole = whole.reshape([sizes[axis] for axis in pattern.order])
    return whole.permute([pattern.order.index(axis) for axis in axes])
