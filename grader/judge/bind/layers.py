"""The student's parameters as layers, and which of them is to hold what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..handles import ParameterSpec
from .forms import Cell, without_ones

MAX_LAYERS = 400
MAX_NAME = 60
"""Nobody's names are longer; patterns are not tried on what a student could make them dwell on."""


@dataclass(frozen=True)
class Layer:
    """A layer with `weight` and perhaps `bias`, or a bare parameter."""

    prefix: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    raw: bool

    def fits(self, cell: Cell) -> bool:
        """Whether it has room for what the cell holds, and for no more."""
        if cell.raw is not None and cell.raw is not self.raw:
            return False
        if cell.exact and tuple(tuple(part.shape) for part in cell.parts) != self.shapes:
            return False
        return cell.shapes == self._shapes_without_ones

    @cached_property
    def _shapes_without_ones(self) -> tuple[tuple[int, ...], ...]:
        return tuple(without_ones(shape) for shape in self.shapes)

    def is_called(self, words: Sequence[str]) -> bool:
        """Whether one of the words is its name, or that of what it stands in."""
        parts = [p for p in self.prefix.lower().split(".") if not p.isdigit() and len(p) < MAX_NAME]
        return any(re.fullmatch(word, part) for part in parts[-2:] for word in words)


@dataclass(frozen=True)
class Assignment:
    """Which layer holds which cell."""

    layers: tuple[Layer, ...]
    """For each cell."""
    guessed: frozenset[int]
    """Cells whose layer was chosen by its place alone."""
    extra: tuple[str, ...]
    """Names of parameters that hold nothing."""


def layers_of(specs: Sequence[ParameterSpec]) -> tuple[Layer, ...]:
    """The parameters, put together to layers, in the order in which they were registered: the
    first of them, of a module that has more than any exercise asks for."""
    found: dict[tuple[str, bool], list[ParameterSpec]] = {}
    for spec in specs:
        prefix, _, leaf = spec.name.rpartition(".")
        in_layer = leaf in ("weight", "bias") and bool(prefix)
        found.setdefault((prefix if in_layer else spec.name, not in_layer), []).append(spec)
    layers = []
    for (prefix, raw), members in found.items():
        ordered = sorted(members, key=lambda spec: spec.name, reverse=True)  # weight, bias
        names, shapes = tuple(m.name for m in ordered), tuple(m.shape for m in ordered)
        layers.append(Layer(prefix, names, shapes, raw))
    return tuple(layers[:MAX_LAYERS])


def assign(cells: Sequence[Cell], layers: Sequence[Layer]) -> Assignment | None:
    """A layer for each cell: by the reference's own name, then by what people call it, then by the
    order of registration. None if one is left without."""
    free = list(layers)
    chosen: dict[int, Layer] = {}
    guessed: set[int] = set()

    def choose(number: int, candidates: list[Layer]) -> bool:
        if number in chosen or not candidates:
            return False
        chosen[number] = candidates[0]
        free.remove(candidates[0])
        return True

    for number, cell in enumerate(cells):
        choose(number, [la for la in free if la.prefix == cell.home and la.fits(cell)])
    for number, cell in enumerate(cells):
        choose(number, [la for la in free if la.fits(cell) and la.is_called(cell.words)])
    for number, cell in enumerate(cells):
        if choose(number, [la for la in free if la.fits(cell)]):
            guessed.add(number)
    if len(chosen) < len(cells):
        return None
    extra = tuple(name for layer in free for name in layer.names)
    ordered = tuple(chosen[number] for number in range(len(cells)))
    return Assignment(ordered, frozenset(guessed), extra)
