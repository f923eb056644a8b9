"""Find the few pieces of a text that matter: without any of them it computes something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Pieces = frozenset[int]
Reproduces = Callable[[Sequence[Pieces]], Sequence[bool]]
"""Tells of each set of pieces whether they alone still do it."""


def reduced(count: int, reproduces: Reproduces) -> Pieces | None:
    """Return pieces that do it, none of which can be left out; None if all together do not.

    One that does it alone is found first. Else those that can be left out go, as many at a time as
    can (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).

    >>> tried = lambda sets: [{2, 5} <= each for each in sets]
    >>> sorted(reduced(9, tried))
    [2, 5]
    """
    every = frozenset(range(count))
    alone = [frozenset({piece}) for piece in sorted(every)]
    whole, *single = reproduces([every, *alone])
    if not whole:
        return None
    for piece, does_it in zip(alone, single, strict=True):
        if does_it:
            return piece
    left = every
    while len(left) > 1:
        order = sorted(left)
        without = [left - {piece} for piece in order]
        spare = [p for p, does_it in zip(order, reproduces(without), strict=True) if does_it]
        if not spare:
            break
        fewer = [left - {*spare[:many]} for many in range(2, len(spare) + 1)]
        done = reproduces(fewer) if fewer else []
        last = max((at for at, does_it in enumerate(done) if does_it), default=-1)
        left = fewer[last] if last >= 0 else left - {spare[0]}
    return left
