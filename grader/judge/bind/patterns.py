"""Read and apply layouts, which are patterns of named axes.

`r | (h d) i` stands for one tensor for each r, in which h and d share a dimension. A pattern only
rearranges, so that whatever is stored by it is stored exactly once.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Pattern:
    """A pattern of named axes, parsed."""

    lists: tuple[str, ...]
    """Axes that count separate tensors."""
    dims: tuple[tuple[str, ...], ...]
    """The axes in each dimension of a tensor."""

    def only(self, axes: Sequence[str]) -> Pattern:
        """Return the pattern of a tensor that has only these axes, as a bias beside its weight."""
        return _only(self, tuple(axes))

    @property
    def order(self) -> tuple[str, ...]:
        return (*self.lists, *itertools.chain(*self.dims))


@functools.cache
def _only(pattern: Pattern, axes: tuple[str, ...]) -> Pattern:
    dims = (tuple(axis for axis in dim if axis in axes) for dim in pattern.dims)
    return Pattern(pattern.lists, tuple(dim for dim in dims if dim))


@functools.cache
def parse(text: str) -> Pattern:
    """Parse the text of a pattern.

    >>> parse("r | (h d) i")
    Pattern(lists=('r',), dims=(('h', 'd'), ('i',)))
    """
    left, bar, right = text.rpartition("|")
    parts = re.findall(r"\(([^)]*)\)|(\w+)", right)
    dims = tuple(tuple(inner.split()) if inner else (single,) for inner, single in parts)
    return Pattern(tuple(left.split()) if bar else (), dims)


def numbers_in(path: str) -> tuple[int, ...]:
    """Return the numbers in a dotted path, which tell the block of a model.

    >>> numbers_in("encoder.blocks.1.attention")
    (1,)
    """
    return tuple(int(part) for part in path.split(".") if part.isdecimal())


def stored(
    tensor: torch.Tensor, axes: Sequence[str], pattern: Pattern
) -> Iterator[tuple[dict[str, int], torch.Tensor]]:
    """Yield the tensors that store a tensor of the shape (*axes), each with its indices.

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
    """Put the tensor of the shape (*axes) together again from the `tensors` that store it.

    `known` gives lengths of axes that the shapes do not tell.
    """
    sizes = dict(known)
    for dim, length in zip(pattern.dims, tensors[0].shape, strict=True):
        unknown = [axis for axis in dim if axis not in sizes]
        rest = math.prod(sizes[axis] for axis in dim if axis in sizes)
        sizes |= dict.fromkeys(unknown, length // rest)
    whole = torch.stack(list(tensors)) if pattern.lists else tensors[0]
    whole = whole.reshape([sizes[axis] for axis in pattern.order])
    return whole.permute([pattern.order.index(axis) for axis in axes])
