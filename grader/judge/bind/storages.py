"""Define what a storage of a plan is, and which outlines of its groups there are layers for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .forms import Form
from .instances import Instance
from .layers import Assignment, Layer
from .moves import MoveClass

Kind = tuple[str, str, str]
Exchange = tuple[torch.Tensor, torch.Tensor]
"""Places in the vector, and the places that another way of storing puts there; neither has a place
twice."""
RightAnswer = tuple[int | None, nn.Module]
"""The index of the course's alternative (None for the reference itself), and its module. The
module's parameters may hold anything."""


@dataclass(frozen=True)
class Storage:
    """One assignment of layers, and the forms of each kind of group that need just these layers."""

    assignment: Assignment
    forms: Mapping[Kind, tuple[int, ...]]
    """Indices of forms. They differ only in where inside a layer a number stands."""
    movable: tuple[MoveClass, ...] = ()
    """Pieces whose layers can be exchanged, as neither names nor shapes tell which is whose."""


@dataclass(frozen=True)
class StorageChoice:
    """One binding: a storage, and the form of each kind of group."""

    storage: int
    forms: Mapping[Kind, int]
    moves: tuple[int, ...] = ()
    """For each piece the one whose layer it takes, if numbers say that names and order do not."""
    alternative: int | None = None
    """Index of the course's alternative that the student's module equals, if it is not the
    reference."""


@dataclass(frozen=True)
class Trial:
    """A call whose result does not depend on how anything is stored."""

    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    stored: Mapping[str, torch.Tensor]
    """The value of each of the student's parameters."""
    wanted: Sequence[Any]
    """The right answers: those of the reference and of the course's alternatives to it."""


class Room:
    """The layers of a student's module, counted by outline, to see quickly what cannot fit."""

    def __init__(
        self,
        layers: Sequence[Layer],
        kinds: Mapping[Kind, Sequence[tuple[Instance, tuple[Form, ...]]]],
    ) -> None:
        self._room = Counter((layer.outline, layer.raw) for layer in layers)
        self._kinds = kinds
        self._counts: dict[tuple[Kind, int], Counter[Any]] = {}

    def combined(
        self, options: Mapping[Kind, Sequence[tuple[int, ...]]]
    ) -> Iterator[tuple[tuple[int, ...], ...]]:
        """Yield one outline for each kind, such that there are as many layers as pieces need."""
        kinds = list(options)

        def grown(
            number: int, chosen: tuple[tuple[int, ...], ...], used: Counter[Any]
        ) -> Iterator[tuple[tuple[int, ...], ...]]:
            if number == len(kinds):
                yield chosen
                return
            for outline in options[kinds[number]]:
                needed = used + self._needed(kinds[number], outline[0])
                if all(
                    count <= sum(self._room[shapes, r] for r in (True, False) if raw in (None, r))
                    for (shapes, raw), count in needed.items()
                ):
                    yield from grown(number + 1, (*chosen, outline), needed)

        return grown(0, (), Counter())

    def _needed(self, kind: Kind, form: int) -> Counter[Any]:
        """Count the layers of each outline that a form needs in all instances of its kind."""
        key = kind, form
        if key not in self._counts:
            pieces = (p for _, forms in self._kinds[kind] for p in forms[form].pieces)
            self._counts[key] = Counter((piece.shapes, piece.raw) for piece in pieces)
        return self._counts[key]


def joined(length: int, exchanges: Iterable[Exchange]) -> torch.Tensor:
    """Return, for each place, the lowest place that any chain of exchanges leads to: (N,)."""
    label, pairs = torch.arange(length), list(exchanges)
    before = None
    while before is None or not before.equal(label):
        before = label.clone()
        for one, other in pairs:
            lowest = torch.minimum(label[one], label[other])
            label[one] = lowest
            label[other] = torch.minimum(label[other], lowest)
    return label
