"""Derive from its axes alone the ways in which a linear map, a norm or a table can be stored.

A course lists only what is peculiar to it. That a map may be kept as (in, out) or (out, in), in a
layer or as bare parameters, packed in any order of axes, or in a parameter for each role or head,
holds for every map.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

from ...text.language import _, course_text
from .roles import Group, Layout

Axes = tuple[str, ...]
Dims = tuple[Axes, ...]
MAX_AXES = 4
"""Groups of more axes are stored only as their course says."""


def derived(group: Group) -> tuple[Layout, ...]:
    """Return the ways to store a group, the usual ones first.

    >>> from .roles import Group
    >>> [layout.pattern for layout in derived(Group("map", "o i", {}, (), bias_axes="o"))]
    ['i o', 'i o', 'o i', 'o i']
    """
    return _derived(group.axes, group.bias_axes)


@functools.cache
def _derived(all_axes: str, bias_axes: str) -> tuple[Layout, ...]:
    return tuple(_layouts(all_axes.split(), bias_axes.split()))


def _layouts(axes: Sequence[str], bias_axes: Sequence[str]) -> Iterator[Layout]:
    bias = tuple(bias_axes or axes[:1])
    if len(axes) > MAX_AXES:
        return
    inside = tuple(axis for axis in axes if axis not in bias)
    for lists in _lists(bias) if inside else ((),):
        outside = tuple(axis for axis in bias if axis not in lists)
        for dims in sorted(dict.fromkeys(_orders(outside, inside)), key=len):
            pattern = _text(lists, dims)
            merged = len(dims) <= 2
            yield Layout(pattern, raw=True)
            yield Layout(pattern, raw=False, exact=not merged)


def note_of(group: Group, layout: Layout, own: str) -> str:
    """Return the note on a derived way to store a group; `own` is the reference's pattern.

    Empty for a group of which nothing is told, as the hand-out leaves it open.
    """
    name = group.title or course_text(group.name)
    if not group.noted:
        return ""
    if layout.raw:
        return _("{name}: bare parameters instead of a layer", name=name)
    turned = sorted(own.split()) == sorted(layout.pattern.split())
    if turned and len(own.split()) == 2:
        return _("{name}: a layer that keeps its weight as (in, out)", name=name)
    return _("{name}: stored with the axes in an order of its own", name=name)


def _lists(axes: Sequence[str]) -> Iterator[Axes]:
    """Yield the axes that may count separate parameters; the last axis of a map never does."""
    for count in range(len(axes)):
        yield from itertools.permutations(axes[:-1], count)


def _orders(outside: Axes, inside: Axes) -> Iterator[Dims]:
    """Yield every way to lay axes out in dimensions, none of which mixes inside and outside."""
    for out in _divided(outside):
        for within in _divided(inside):
            for at in range(len(out) + 1):
                yield (*out[:at], *within, *out[at:])


def _divided(axes: Axes) -> Iterator[Dims]:
    """Yield every order of the axes, divided into dimensions in every way."""
    if not axes:
        yield ()
    for order in itertools.permutations(axes):
        for cuts in itertools.product((False, True), repeat=max(0, len(order) - 1)):
            dims, start = [], 0
            for place, cut in enumerate((*cuts, True), start=1):
                if cut:
                    dims.append(order[start:place])
                    start = place
            if axes:
                yield tuple(dims)


def _text(lists: Axes, dims: Dims) -> str:
    right = " ".join(dim[0] if len(dim) == 1 else f"({' '.join(dim)})" for dim in dims)
    return f"{' '.join(lists)} | {right}" if lists else right
