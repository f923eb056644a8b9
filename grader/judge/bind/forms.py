"""List every way in which a course allows the reference's numbers to be stored in layers.

The reference's numbers are taken as one long vector; a way of storing says which places of it each
layer holds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch

from ...text.language import _, course_text
from .derived import derived, note_of
from .instances import Instance
from .patterns import Pattern, numbers_in, parse, stored
from .roles import Group, Layout
from .shares import shared

PACKED = "packed"
Shape = tuple[int, ...]
Outline = tuple[Shape, ...]
"""The shapes of a layer's weight and bias, or of one bare parameter, without axes of length 1."""


@dataclass(frozen=True)
class Piece:
    """The contents that one layer, or one bare parameter, is to hold."""

    parts: tuple[torch.Tensor, ...]
    """Places in the vector of all numbers: of a weight, and of its bias if it has one."""
    raw: bool | None
    """True: a bare parameter. False: a layer. None: either."""
    home: str
    """The reference's own name for it; empty where the reference stores it in another way."""
    words: tuple[str, ...]
    """Patterns of the names that people give it."""
    several: bool = False
    """True if it holds several roles."""
    exact: bool = False
    """True if axes of length 1 must be there too."""
    turned: bool = False
    """True for a weight stored (in, out), as no `nn.Linear` stores it."""
    holds: str = ""
    """The reference's name for its contents, which is not `home` where roles are exchanged."""
    block: tuple[int, ...] = ()
    """The numbers in the reference's path to it: (1,) in the second block of a model."""

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(without_ones(part.shape) for part in self.parts)

    @property
    def outline(self) -> tuple[object, ...]:
        """Return all of the piece but its contents."""
        shapes = tuple(tuple(part.shape) for part in self.parts)
        return shapes, self.raw, self.home, self.words, self.several, self.exact


@dataclass(frozen=True)
class Form:
    """One way to store one instance of a group."""

    pieces: tuple[Piece, ...]
    note: str
    exchanged: bool
    """True if roles stand in another order than their names, or their packing, say."""


def forms_of(
    instance: Instance, fits: Callable[[Piece], bool], room: Callable[[Outline, bool | None], bool]
) -> Iterator[Form]:
    """Yield every way to store the group for which there is room (`fits`).

    The way of the reference comes first, whether or not there is room for it. `room` tells of the
    shapes of a layer, or of a bare parameter, whether any has them: a quick test that most ways
    fail before places are looked up.
    """
    group = instance.group
    home = Layout(instance.home.pattern, raw=None if instance.bare else False)
    listed = [each for each in group.layouts if not _is_home(each, instance)]
    others = [*listed, *_derived(instance, listed)]
    plain = tuple(range(max(1, len(group.roles))))
    for layout in (home, *others):
        if layout is not home:
            if not all(room(outline, raw) for outline, raw in outlines(instance, layout)):
                continue
            pieces = list(_pieces(instance, layout, plain))
            lacking = layout not in listed and not _holds_all(instance, pieces)
            if not pieces or lacking or not all(map(fits, pieces)):
                continue
        for order in _orders(group):
            exchanged = list(order) != sorted(order)
            stored_so = tuple(_pieces(instance, layout, order))
            note = course_text(layout.note)
            if layout not in listed and layout is not home:
                note = note_of(group, layout, instance.home.pattern)
            if exchanged and any(piece.several for piece in stored_so):
                names = ", ".join(group.roles[number] for number in order)
                note = note or _("{these} are packed", these=course_text(group.name))
                note = _("{note}, in the order {names}", note=note, names=names)
            yield Form(stored_so, note, exchanged)


def _holds_all(instance: Instance, pieces: Sequence[Piece]) -> bool:
    """Decide whether there is a place for every number: not each pattern suits each group."""
    return sum(part.numel() for piece in pieces for part in piece.parts) == instance.length


def outlines(instance: Instance, layout: Layout) -> Iterator[tuple[Outline, bool | None]]:
    """Yield the shapes that a way of storing takes, and whether a bare parameter has them.

    Nothing is yielded where more than the sizes of axes decides.
    """
    if layout.cut is not None or layout.order is not None or not instance.is_even:
        return
    group, pattern = instance.group, parse(layout.pattern)
    sizes = dict(zip(group.axes.split(), instance.weight.shape, strict=True))
    beside = pattern.only(group.bias_axes.split()) if instance.bias is not None else None
    for pack in layout.packs or (group.roles,):
        if pack and "r" in sizes:
            sizes["r"] = len(pack)
        weight = _shape(pattern, sizes)
        bias = () if beside is None else (_shape(beside, sizes),)
        if layout.raw and bias:
            yield from (((shape,), None) for shape in (weight, *bias))
        else:
            yield (weight, *bias), layout.raw


def _shape(pattern: Pattern, sizes: Mapping[str, int]) -> Shape:
    return without_ones([math.prod(sizes[axis] for axis in dim) for dim in pattern.dims])


def _derived(instance: Instance, listed: Sequence[Layout]) -> Iterator[Layout]:
    """Yield the ways that follow from the axes alone, and that the course does not list."""
    group = instance.group
    known = {(layout.pattern, layout.raw) for layout in listed if not layout.packs}
    for layout in derived(group):
        if _is_home(layout, instance):
            continue
        pattern = parse(layout.pattern)
        if (layout.pattern, layout.raw) not in known:
            yield layout
        # Nobody lists every way to pack two of three, where all three in one are listed.
        if len(group.roles) == 3 and "r" in pattern.dims[0] + pattern.dims[-1]:
            first, second, third = group.roles
            for packs in (((first,), (second, third)), ((first, second), (third,))):
                yield replace(layout, packs=packs)


def _is_home(layout: Layout, instance: Instance) -> bool:
    return (
        parse(layout.pattern) == parse(instance.home.pattern)
        and layout.raw is not True
        and layout.order is None
        and not layout.packs
        and layout.cut is None
    )


def _orders(group: Group) -> Iterator[tuple[int, ...]]:
    numbers = range(max(1, len(group.roles)))
    yield from itertools.permutations(numbers) if group.exchangeable else [tuple(numbers)]


def _pieces(instance: Instance, layout: Layout, order: Sequence[int]) -> Iterator[Piece]:
    group, pattern = instance.group, parse(layout.pattern)
    axes, bias_axes = group.axes.split(), group.bias_axes.split()
    weight = instance.weight if layout.order is None else layout.order(instance.weight)
    if layout.cut is not None:
        yield from _cut_pieces(weight, group, layout)
        return
    bias = instance.bias
    if bias is not None and layout.order is not None:
        bias = layout.order(bias)
    # Whether the parameters look like the reference's own, whatever the order inside them.
    at_home = not layout.packs and not layout.raw and _looks_like(pattern, instance)
    outside = bias_axes or axes[:1]
    turned = len(pattern.dims) == 2 and not {*pattern.dims[0]}.intersection(outside)
    own = instance.names
    start = f"{instance.path}." if instance.path else ""
    block = numbers_in(instance.path)
    for pack in layout.packs or (group.roles,):
        chosen = [order[group.roles.index(role)] for role in pack]
        shares = [instance.shares[number] for number in chosen] if chosen else [1]
        weights = shared(_chosen(weight, axes, chosen, instance), axes, pattern, shares)
        biases: Iterator[tuple[dict[str, int], torch.Tensor]] = iter(())
        if bias is not None:
            held_there = _chosen(bias, bias_axes, chosen, instance)
            biases = shared(held_there, bias_axes, pattern.only(bias_axes), shares)
        for number, (at, part) in enumerate(weights):
            held = (pack[at["r"]],) if "r" in at else pack
            words, several = _words(group, held), len(held) > 1
            beside = next(biases, None)
            home = start + own[number] if at_home else ""
            holds = (
                start + own[_number_of(instance, number, order)] if home and not several else home
            )
            if layout.raw and beside is not None:
                # Either may be the only parameter of a layer: a `weight` beside a `shift`.
                yield Piece((part,), None, home, words, several, turned=turned, block=block)
                yield Piece((beside[1],), None, "", words, several, block=block)
            else:
                parts = (part,) if beside is None else (part, beside[1])
                exact = layout.exact
                yield Piece(parts, layout.raw, home, words, several, exact, turned, holds, block)


def _number_of(instance: Instance, number: int, order: Sequence[int]) -> int:
    """Return the number of the reference's parameter whose contents are stored in this one."""
    lists = parse(instance.home.pattern).lists
    if "r" not in lists:
        return number
    step = 1
    for axis in lists[lists.index("r") + 1 :]:
        step *= instance.sizes[axis]
    role = number // step % len(order)
    return number + (order[role] - role) * step


def _cut_pieces(weight: torch.Tensor, group: Group, layout: Layout) -> Iterator[Piece]:
    # weight: the shape that the group's axes name.
    cut, axes = layout.cut, group.axes.split()
    assert cut is not None
    axis = axes.index(cut.axis)
    for role, part in zip(cut.roles, weight.tensor_split([cut.at], dim=axis), strict=True):
        for _pattern, stored_part in stored(part, axes, parse(layout.pattern)):
            yield Piece((stored_part,), layout.raw, "", _words(group, (role,)))


def _looks_like(pattern: Pattern, instance: Instance) -> bool:
    sizes = dict(zip(instance.group.axes.split(), instance.weight.shape, strict=True))
    own = parse(instance.home.pattern)

    def shape(of: Pattern) -> list[int]:
        return [math.prod(sizes[axis] for axis in dim) for dim in of.dims]

    return pattern.lists == own.lists and shape(pattern) == shape(own)


def _chosen(
    tensor: torch.Tensor, axes: Sequence[str], numbers: Sequence[int], instance: Instance
) -> torch.Tensor:
    """Return the parts of these roles, in this order, along the axis of the roles."""
    # tensor: the shape that `axes` name; the result has another length along `r`.
    if "r" not in axes or not numbers:
        return tensor
    axis = list(axes).index("r")
    parts = torch.split(tensor, list(instance.shares), axis)
    return torch.cat([parts[number] for number in numbers], dim=axis)


def _words(group: Group, roles: Sequence[str]) -> tuple[str, ...]:
    if len(roles) == 1:
        return group.aliases.get(roles[0], ())
    return group.aliases.get(" ".join(roles), ()) or group.aliases.get(PACKED, ())


def without_ones(shape: Sequence[int]) -> tuple[int, ...]:
    """Drop axes of length 1, which hold nothing: (1, N, D) and (N, D) are the same table."""
    return tuple(length for length in shape if length != 1)


def is_exact(pieces: Sequence[Piece], length: int) -> bool:
    """Decide whether the pieces store every number of the vector exactly once.

    Only then can the binding turn no wrong answer into a right one.
    """
    count = sum(math.prod(part.shape) for piece in pieces for part in piece.parts)
    seen = torch.zeros(length, dtype=torch.bool)
    for piece in pieces:
        for part in piece.parts:
            seen[part.flatten()] = True
    return count == length and bool(seen.all())
