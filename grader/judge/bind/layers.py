"""Group a student's parameters into layers, and choose the layer that holds each piece."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..calls.module_description import ParameterSpec
from .forms import Piece, without_ones
from .patterns import numbers_in

MAX_LAYERS = 400
MAX_NAME = 60
"""Nobody's names are longer. Patterns are not tried on longer ones, which a student could write so
that matching takes very long."""
MAX_NAMES_KEPT = 8192
"""Answers on names that are kept: every way of storing asks for the same ones again."""


@dataclass(frozen=True)
class Layer:
    """A layer with `weight` and perhaps `bias`, or a bare parameter."""

    prefix: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    raw: bool
    linear: bool = False
    """True for an `nn.Linear`, whose weight is (out, in) whatever its shape."""

    def fits(self, piece: Piece) -> bool:
        """Decide whether the layer has room for what the piece holds, and for no more."""
        if piece.raw is not None and piece.raw is not self.raw:
            return False
        if piece.turned and self.linear:
            return False
        if piece.exact and tuple(tuple(part.shape) for part in piece.parts) != self.shapes:
            return False
        return piece.shapes == self.outline

    def is_meant_for(self, piece: Piece) -> bool:
        """Tell by its name whether the layer is meant to hold what a piece holds."""
        is_named = self.prefix == piece.home or self.is_called(piece.words)
        return is_named and piece.raw in (None, self.raw)

    def stands_in(self, block: tuple[int, ...]) -> bool:
        """Decide whether the layer's path has the numbers of a block of the reference."""
        return numbers_in(self.prefix)[: len(block)] == block

    @cached_property
    def outline(self) -> tuple[tuple[int, ...], ...]:
        return tuple(without_ones(shape) for shape in self.shapes)

    def is_called(self, words: Sequence[str]) -> bool:
        """Decide whether a pattern matches the layer's name, or that of the module around it."""
        return _is_called(self.prefix, tuple(words))


@lru_cache(maxsize=MAX_NAMES_KEPT)
def _is_called(prefix: str, words: tuple[str, ...]) -> bool:
    parts = [p for p in prefix.lower().split(".") if not p.isdigit() and len(p) < MAX_NAME]
    return any(re.fullmatch(word, part) for part in parts[-2:] for word in words)


@dataclass(frozen=True)
class Assignment:
    """The layer chosen for each piece."""

    layers: tuple[Layer, ...]
    """One for each piece, in the order of the pieces."""
    guessed: frozenset[int]
    """Indices of the pieces whose layer was chosen by the order of registration alone."""
    at_home: frozenset[int]
    """Indices of the pieces in layers of the reference's own names."""
    extra: tuple[str, ...]
    """Names of parameters that hold nothing."""


def layers_of(specs: Sequence[ParameterSpec]) -> tuple[Layer, ...]:
    """Group parameters into layers, in the order in which they were registered.

    Those that are not trained come last: a mask has the shape of a square map.
    Only the first `MAX_LAYERS` are returned, more than any exercise asks for.
    """
    members_of: dict[tuple[str, bool], list[ParameterSpec]] = {}
    for spec in sorted(specs, key=lambda spec: not spec.requires_grad):
        prefix, _, leaf = spec.name.rpartition(".")
        in_layer = leaf in ("weight", "bias") and bool(prefix)
        members_of.setdefault((prefix if in_layer else spec.name, not in_layer), []).append(spec)
    layers = []
    for (prefix, raw), members in members_of.items():
        ordered = sorted(members, key=lambda spec: spec.name, reverse=True)  # weight, bias
        names, shapes = tuple(m.name for m in ordered), tuple(m.shape for m in ordered)
        linear = all(m.in_linear for m in members)
        layers.append(Layer(prefix, names, shapes, raw, linear))
    return tuple(layers[:MAX_LAYERS])


def _are_numbered(pieces: Sequence[Piece], layers: Sequence[Layer]) -> bool:
    """Decide whether the student numbers several blocks as the reference does.

    Then as many layers stand in each. In a Sequential of Sequentials the first number may be that
    of the whole encoder.
    """
    blocks = {piece.block for piece in pieces if piece.block}
    counts = {sum(layer.stands_in(block) for layer in layers) for block in blocks}
    return len(blocks) > 1 and len(counts) == 1 and counts != {0}


def assign(pieces: Sequence[Piece], layers: Sequence[Layer]) -> Assignment | None:
    """Choose a layer for each piece, or return None if one piece is left without.

    The reference's own name decides first, then the names that people use, then the order of
    registration. A block's own layers are taken where the student numbers blocks as the
    reference does: a name may tell something of one of two layers in each block only.
    """
    free = list(layers)
    chosen: dict[int, Layer] = {}
    guessed: set[int] = set()
    at_home: set[int] = set()

    def choose(number: int, candidates: list[Layer]) -> bool:
        if number in chosen or not candidates:
            return False
        chosen[number] = candidates[0]
        free.remove(candidates[0])
        return True

    is_numbered = _are_numbered(pieces, layers)

    def room_for(piece: Piece) -> list[Layer]:
        room = [la for la in free if la.fits(piece)]
        own = [la for la in room if is_numbered and la.stands_in(piece.block)]
        return own or room

    for number, piece in enumerate(pieces):
        if choose(number, [la for la in free if la.prefix == piece.home and la.fits(piece)]):
            at_home.add(number)
    for number, piece in enumerate(pieces):
        choose(number, [la for la in room_for(piece) if la.is_called(piece.words)])
    for number, piece in enumerate(pieces):
        if choose(number, room_for(piece)):
            guessed.add(number)
    if len(chosen) < len(pieces):
        return None
    extra = tuple(name for layer in free for name in layer.names)
    ordered = tuple(chosen[number] for number in range(len(pieces)))
    return Assignment(ordered, frozenset(guessed), frozenset(at_home), extra)
