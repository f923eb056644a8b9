"""Store roles of several sizes by one pattern, as queries that share fewer keys and values.

A role that has several parts in each head has an axis `s` of its own that counts them, right behind
`h`: head after head, and in each head part after part. All roles' parts stand one after the other
along the axis `r`, so that (3, 1, 1) shares make an axis of five.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import torch

from .patterns import Pattern, stored

ROLE, HEAD, PART = "r", "h", "s"
Share = tuple[dict[str, int], torch.Tensor]


def shared(
    tensor: torch.Tensor, axes: Sequence[str], pattern: Pattern, shares: Sequence[int]
) -> Iterator[Share]:
    """Yield the tensors that store a tensor of the shape (*axes), as `stored` does.

    Nothing is yielded if the pattern has no place for roles of several sizes.
    """
    if len({*shares}) == 1 and shares[0] == 1:
        yield from stored(tensor, axes, pattern)
        return
    if PART in axes or ROLE not in axes:
        return
    within = [PART if axis == ROLE else axis for axis in axes]
    blocks = torch.split(tensor, list(shares), list(axes).index(ROLE))
    if ROLE in pattern.lists:
        yield from _apart(blocks, within, pattern)
        return
    yield from _joined(blocks, within, pattern)


def _apart(
    blocks: Sequence[torch.Tensor], axes: Sequence[str], pattern: Pattern
) -> Iterator[Share]:
    """Yield one tensor for each role, in the order in which the pattern counts them."""
    # Each of `blocks` has the shape (*axes).
    lists = tuple(axis for axis in pattern.lists if axis != ROLE)
    alone = Pattern(lists, _with_parts(pattern.dims, HEAD in lists))
    parts = [
        ({**at, ROLE: role}, part)
        for role, block in enumerate(blocks)
        for at, part in stored(block, axes, alone)
    ]
    yield from sorted(parts, key=lambda each: [each[0][axis] for axis in pattern.lists])


def _joined(
    blocks: Sequence[torch.Tensor], axes: Sequence[str], pattern: Pattern
) -> Iterator[Share]:
    """Put all roles' parts one after the other where the pattern has `r`, if that can be done."""
    # Each of `blocks` has the shape (*axes).
    number = next(n for n, dim in enumerate(pattern.dims) if ROLE in dim)
    dim = pattern.dims[number]
    before, after = dim[: dim.index(ROLE)], dim[dim.index(ROLE) + 1 :]
    if any(HEAD in other for other in pattern.dims[number + 1 :]):
        return
    if HEAD in after:
        after = tuple(itertools.chain(*((a, PART) if a == HEAD else (a,) for a in after)))
    else:
        after = (PART, *after)
    dims = (*pattern.dims[:number], before, after, *pattern.dims[number + 1 :])
    open_pattern = Pattern(pattern.lists, dims)
    rows = [list(stored(block, axes, open_pattern)) for block in blocks]
    for entries in zip(*rows, strict=True):
        whole = torch.cat([part for _at, part in entries], dim=number + 1)
        yield entries[0][0], whole.flatten(number, number + 1)


def _with_parts(dims: Sequence[tuple[str, ...]], heads_apart: bool) -> tuple[tuple[str, ...], ...]:
    """Put the axis of parts right behind the heads, or in front of what a head's parameter has."""
    if heads_apart:
        first = next((n for n, dim in enumerate(dims) if "d" in dim), 0)
        return tuple((PART, *dim) if n == first else dim for n, dim in enumerate(dims))
    return tuple(
        tuple(itertools.chain(*((a, PART) if a == HEAD else (a,) for a in dim))) for dim in dims
    )


def gathered(
    tensors: Sequence[torch.Tensor],
    axes: Sequence[str],
    pattern: Pattern,
    sizes: dict[str, int],
    shares: Sequence[int],
) -> torch.Tensor:
    """Put together again what `shared` stores, one tensor for each role: the shape (*axes)."""
    dims = _with_parts(pattern.dims, heads_apart=False)
    blocks = []
    for tensor, share in zip(tensors, shares, strict=True):
        known = {**sizes, PART: share}
        for dim, length in zip(dims, tensor.shape, strict=True):
            unknown = [axis for axis in dim if axis not in known]
            rest = math.prod(known[axis] for axis in dim if axis in known)
            known |= dict.fromkeys(unknown, length // rest)
        order = list(itertools.chain(*dims))
        whole = tensor.reshape([known[axis] for axis in order])
        within = [PART if axis == ROLE else axis for axis in axes]
        blocks.append(whole.permute([order.index(axis) for axis in within]))
    return torch.cat(blocks, dim=list(axes).index(ROLE))
