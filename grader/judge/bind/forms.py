"""List every way in which a course allows the reference's numbers to be stored in layers.

The reference's numbers are taken as one long vector; a way of storing says which places of it each
layer holds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn

from ...text.language import _, course_text
from .patterns import Pattern, parse, restored, stored
from .roles import Group, Home, Layout, Roles

PACKED = "packed"


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
    holds: str = ""
    """The reference's name for its contents, which is not `home` where roles are exchanged."""

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


@dataclass(frozen=True)
class Instance:
    """A group as one module of the reference stores it."""

    group: Group
    home: Home
    path: str
    weight: torch.Tensor
    bias: torch.Tensor | None
    bare: bool
    """True if the reference has bare parameters and no layers."""

    @property
    def kind(self) -> tuple[str, str]:
        """Return what all instances that are stored alike have in common."""
        return self.group.name, self.home.pattern


class ParameterVector:
    """All parameters of the reference as one vector: the places (indices) of each in it."""

    def __init__(self, module: nn.Module) -> None:
        self.places: dict[str, torch.Tensor] = {}
        self.length = 0
        for name, parameter in module.named_parameters():
            count = parameter.numel()
            self.places[name] = torch.arange(self.length, self.length + count).reshape(
                parameter.shape
            )
            self.length += count

    def filled(self, values: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Return these values of any shape, by parameter name, as one vector (N,) of float64."""
        rows = [values[name].double().flatten() for name in self.places]
        return torch.cat(rows) if rows else torch.zeros(0, dtype=torch.float64)


def instances(module: nn.Module, roles: Roles, vector: ParameterVector) -> list[Instance]:
    """Find every group in the reference, in the order in which the course settles them."""
    result: list[Instance] = []
    for group in roles.groups:
        for path, part in module.named_modules():
            home = group.homes.get(type(part).__name__)
            if home is not None and home.applies(part):
                result.append(_instance(group, home, path, part, vector))
    return result


def _instance(
    group: Group, home: Home, path: str, part: nn.Module, vector: ParameterVector
) -> Instance:
    start = f"{path}." if path else ""
    sizes = {**home.sizes(part), "r": max(1, len(group.roles))}
    pattern = parse(home.pattern)

    def canonical(leaf: str, axes: Sequence[str], pattern: Pattern) -> torch.Tensor | None:
        names = [f"{start}{name}{leaf}" for name in home.parameters]
        if not all(name in vector.places for name in names):
            return None
        return restored([vector.places[name] for name in names], axes, pattern, sizes)

    axes = group.axes.split()
    weight = canonical(".weight", axes, pattern)
    bare = weight is None
    if weight is None:
        weight = canonical("", axes, pattern)
    if weight is None:
        names = ", ".join(home.parameters)
        raise ValueError(f"roles.py: {group.name}: {type(part).__name__} has no {names}")
    sizes |= dict(zip(axes, weight.shape, strict=True))
    bias_axes = group.bias_axes.split()
    bias = canonical(".bias", bias_axes, pattern.only(bias_axes)) if bias_axes else None
    return Instance(group, home, path, weight, bias, bare)


def forms_of(instance: Instance, fits: Callable[[Piece], bool]) -> Iterator[Form]:
    """Yield every way to store the group for which there is room (`fits`).

    The way of the reference comes first, whether or not there is room for it.
    """
    group = instance.group
    home = Layout(instance.home.pattern, raw=None if instance.bare else False)
    others = [each for each in group.layouts if not _is_home(each, instance)]
    for layout in (home, *others):
        plain = tuple(range(max(1, len(group.roles))))
        if layout is not home and not all(map(fits, _pieces(instance, layout, plain))):
            continue
        for order in _orders(group):
            exchanged = list(order) != sorted(order)
            pieces = tuple(_pieces(instance, layout, order))
            note = course_text(layout.note)
            if exchanged and any(piece.several for piece in pieces):
                names = ", ".join(group.roles[number] for number in order)
                note = note or _("{these} are packed", these=course_text(group.name))
                note = _("{note}, in the order {names}", note=note, names=names)
            yield Form(pieces, note, exchanged)


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
    weight = _arranged(instance.weight, group.axes.split(), layout, order)
    if layout.cut is not None:
        yield from _cut_pieces(weight, group, layout)
        return
    # Whether the parameters look like the reference's own, whatever the order inside them.
    at_home = not layout.packs and not layout.raw and _looks_like(pattern, instance)
    packs = layout.packs or (group.roles,)
    axes, bias_axes = group.axes.split(), group.bias_axes.split()
    own = instance.home.parameters
    start = f"{instance.path}." if instance.path else ""
    bias = instance.bias
    if bias is not None:
        bias = _arranged(bias, bias_axes, layout, order)
    for pack in packs:
        chosen = [group.roles.index(role) for role in pack]
        weights = stored(_chosen(weight, axes, chosen), axes, pattern)
        biases: Iterator[tuple[dict[str, int], torch.Tensor]] = iter(())
        if bias is not None:
            biases = stored(_chosen(bias, bias_axes, chosen), bias_axes, pattern.only(bias_axes))
        for number, (at, part) in enumerate(weights):
            held = (pack[at["r"]],) if "r" in at else pack
            words, several = _words(group, held), len(held) > 1
            beside = next(biases, None)
            home = start + own[number] if at_home else ""
            holds = start + own[order[number]] if at_home and not several else home
            if layout.raw and beside is not None:
                yield Piece((part,), True, home, words, several)
                yield Piece((beside[1],), True, "", words, several)
            else:
                parts = (part,) if beside is None else (part, beside[1])
                yield Piece(parts, layout.raw, home, words, several, layout.exact, holds)


def _cut_pieces(weight: torch.Tensor, group: Group, layout: Layout) -> Iterator[Piece]:
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


def _arranged(
    tensor: torch.Tensor, axes: Sequence[str], layout: Layout, order: Sequence[int]
) -> torch.Tensor:
    if layout.order is not None:
        tensor = layout.order(tensor)
    return _chosen(tensor, axes, order)


def _chosen(tensor: torch.Tensor, axes: Sequence[str], numbers: Sequence[int]) -> torch.Tensor:
    if "r" not in axes:
        return tensor
    return tensor.index_select(list(axes).index("r"), torch.tensor(numbers))


def _words(group: Group, roles: Sequence[str]) -> tuple[str, ...]:
    if len(roles) == 1:
        return group.aliases.get(roles[0], ())
    return group.aliases.get(" ".join(roles), ()) or group.aliases.get(PACKED, ())


def ungrouped_pieces(vector: ParameterVector, taken: torch.Tensor, roles: Roles) -> Iterator[Piece]:
    """Yield a piece for each layer and parameter that belongs to no group.

    `taken` (N,) is True at the places of the vector that belong to one.
    """
    layers: dict[str, list[str]] = {}
    for name, places in vector.places.items():
        if not bool(taken[places.flatten()[:1]].all()) or not places.numel():
            prefix, _other, leaf = name.rpartition(".")
            is_layer = leaf in ("weight", "bias") and prefix
            layers.setdefault(prefix if is_layer else name, []).append(name)
    for prefix, names in layers.items():
        own = prefix.rpartition(".")[2]
        parts = tuple(vector.places[name] for name in sorted(names, reverse=True))
        raw = None if names == [prefix] else False
        words = (own.lower(), *roles.aliases.get(own, ()))
        yield Piece(parts, raw, prefix, words, holds=prefix)


def taken_by(grouped: Sequence[Instance], vector: ParameterVector) -> torch.Tensor:
    """Mark the places that belong to a group: a boolean tensor (N,), as long as the vector."""
    taken = torch.zeros(vector.length, dtype=torch.bool)
    for instance in grouped:
        for places in (instance.weight, instance.bias):
            if places is not None:
                taken[places.flatten()] = True
    return taken


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
