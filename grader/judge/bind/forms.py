"""A reference's numbers as one long row, and every way of the course's to store them in layers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn

from ...language import _, course_text
from .patterns import Pattern, parse, restored, stored
from .roles import Group, Home, Layout, Roles

PACKED = "packed"


@dataclass(frozen=True)
class Cell:
    """What one layer, or one bare parameter, is to hold."""

    parts: tuple[torch.Tensor, ...]
    """Places in the row of the reference's numbers: of a weight, and of its bias if it has one."""
    raw: bool | None
    """A bare parameter (True), a layer (False), or either."""
    home: str
    """The reference's own name for it; empty where the reference stores it otherwise."""
    words: tuple[str, ...]
    """Patterns of what people call it."""
    several: bool = False
    """Whether it holds several roles."""
    exact: bool = False
    """Whether axes of length 1 must be there too."""
    holds: str = ""
    """The reference's name for what is in it, which is not `home` where roles are exchanged."""

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(without_ones(part.shape) for part in self.parts)

    @property
    def outline(self) -> tuple[object, ...]:
        """All but the contents."""
        shapes = tuple(tuple(part.shape) for part in self.parts)
        return shapes, self.raw, self.home, self.words, self.several, self.exact


@dataclass(frozen=True)
class Form:
    """One way to store one instance of a group."""

    cells: tuple[Cell, ...]
    note: str
    exchanged: bool
    """Whether roles stand in another order than their names or their packing say."""


@dataclass(frozen=True)
class Instance:
    """A group as one module of the reference has it."""

    group: Group
    home: Home
    path: str
    weight: torch.Tensor
    bias: torch.Tensor | None
    bare: bool
    """Whether the reference has bare parameters and no layers."""

    @property
    def kind(self) -> tuple[str, str]:
        """Instances of a kind are all stored alike."""
        return self.group.name, self.home.pattern


class Row:
    """The reference's parameters, one after the other in one row of numbers."""

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
        """The row of these values."""
        rows = [values[name].double().flatten() for name in self.places]
        return torch.cat(rows) if rows else torch.zeros(0, dtype=torch.float64)


def instances(module: nn.Module, roles: Roles, row: Row) -> list[Instance]:
    """Every group in the reference, in the order in which the course settles them."""
    found: list[Instance] = []
    for group in roles.groups:
        for path, part in module.named_modules():
            home = group.homes.get(type(part).__name__)
            if home is not None and home.applies(part):
                found.append(_instance(group, home, path, part, row))
    return found


def _instance(group: Group, home: Home, path: str, part: nn.Module, row: Row) -> Instance:
    start = f"{path}." if path else ""
    sizes = {**home.sizes(part), "r": max(1, len(group.roles))}
    pattern = parse(home.pattern)

    def canonical(leaf: str, axes: Sequence[str], pattern: Pattern) -> torch.Tensor | None:
        names = [f"{start}{name}{leaf}" for name in home.parameters]
        if not all(name in row.places for name in names):
            return None
        return restored([row.places[name] for name in names], axes, pattern, sizes)

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


def forms_of(instance: Instance, fits: Callable[[Cell], bool]) -> Iterator[Form]:
    """Every way to store it in what fits: first, in any case, that of the reference."""
    group = instance.group
    home = Layout(instance.home.pattern, raw=None if instance.bare else False)
    others = [each for each in group.layouts if not _is_home(each, instance)]
    for layout in (home, *others):
        plain = tuple(range(max(1, len(group.roles))))
        if layout is not home and not all(map(fits, _cells(instance, layout, plain))):
            continue
        for order in _orders(group):
            exchanged = list(order) != sorted(order)
            cells = tuple(_cells(instance, layout, order))
            note = course_text(layout.note)
            if exchanged and any(cell.several for cell in cells):
                names = ", ".join(group.roles[number] for number in order)
                note = note or _("{these} are packed", these=course_text(group.name))
                note = _("{note}, in the order {names}", note=note, names=names)
            yield Form(cells, note, exchanged)


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


def _cells(instance: Instance, layout: Layout, order: Sequence[int]) -> Iterator[Cell]:
    group, pattern = instance.group, parse(layout.pattern)
    weight = _arranged(instance.weight, group.axes.split(), layout, order)
    if layout.cut is not None:
        yield from _cut_cells(weight, group, layout)
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
                yield Cell((part,), True, home, words, several)
                yield Cell((beside[1],), True, "", words, several)
            else:
                parts = (part,) if beside is None else (part, beside[1])
                yield Cell(parts, layout.raw, home, words, several, layout.exact, holds)


def _cut_cells(weight: torch.Tensor, group: Group, layout: Layout) -> Iterator[Cell]:
    cut, axes = layout.cut, group.axes.split()
    assert cut is not None
    axis = axes.index(cut.axis)
    for role, part in zip(cut.roles, weight.tensor_split([cut.at], dim=axis), strict=True):
        for _pattern, stored_part in stored(part, axes, parse(layout.pattern)):
            yield Cell((stored_part,), layout.raw, "", _words(group, (role,)))


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


def plain_cells(row: Row, taken: torch.Tensor, roles: Roles) -> Iterator[Cell]:
    """A cell for each layer and parameter that belongs to no group. `taken` says which numbers of
    the row do."""
    layers: dict[str, list[str]] = {}
    for name, places in row.places.items():
        if not bool(taken[places.flatten()[:1]].all()) or not places.numel():
            prefix, _other, leaf = name.rpartition(".")
            is_layer = leaf in ("weight", "bias") and prefix
            layers.setdefault(prefix if is_layer else name, []).append(name)
    for prefix, names in layers.items():
        own = prefix.rpartition(".")[2]
        parts = tuple(row.places[name] for name in sorted(names, reverse=True))
        raw = None if names == [prefix] else False
        words = (own.lower(), *roles.aliases.get(own, ()))
        yield Cell(parts, raw, prefix, words, holds=prefix)


def taken_by(found: Sequence[Instance], row: Row) -> torch.Tensor:
    """Which numbers of the row belong to a group."""
    taken = torch.zeros(row.length, dtype=torch.bool)
    for instance in found:
        for places in (instance.weight, instance.bias):
            if places is not None:
                taken[places.flatten()] = True
    return taken


def without_ones(shape: Sequence[int]) -> tuple[int, ...]:
    """Axes of length 1 hold nothing: (1, N, D) and (N, D) are the same table."""
    return tuple(length for length in shape if length != 1)


def is_exact(cells: Sequence[Cell], length: int) -> bool:
    """Whether every number is stored exactly once: only then no wrong answer can become right."""
    count = sum(math.prod(part.shape) for cell in cells for part in cell.parts)
    seen = torch.zeros(length, dtype=torch.bool)
    for cell in cells:
        for part in cell.parts:
            seen[part.flatten()] = True
    return count == length and bool(seen.all())
