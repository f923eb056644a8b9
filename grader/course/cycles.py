"""Find circles in a graph of requirements."""

from __future__ import annotations

import graphlib
from collections.abc import Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


def circles(edges: Mapping[str, Mapping[str, T]]) -> Iterator[tuple[tuple[str, ...], T]]:
    """Yield circles that must be broken before nothing requires itself, each with one of its edges.

    `edges[a][b]` says that `a` requires `b`. A circle begins with the member that stands first in
    `edges`; the edge given is the one from there. Circles that share this edge come as one.

    >>> needs = {"a": {"b": "line 2"}, "b": {"c": "line 4"}, "c": {"b": "line 6", "c": "line 7"}}
    >>> list(circles(needs))
    [(('b', 'c'), 'line 4'), (('c',), 'line 7')]
    """
    left = {name: dict(required) for name, required in edges.items()}
    rank = {name: index for index, name in enumerate(left)}
    while True:
        try:
            graphlib.TopologicalSorter(left).prepare()
        except graphlib.CycleError as error:
            # Its list runs from what is required to what requires it, and ends where it began.
            circle = error.args[1][:0:-1]
            first = circle.index(min(circle, key=rank.__getitem__))
            circle = (*circle[first:], *circle[:first])
            yield circle, left[circle[0]].pop(circle[1 % len(circle)])
        else:
            return
