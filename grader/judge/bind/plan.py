"""List the ways in which a student's layers can hold all of the reference's numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import nn

from ..calls.handles import ParameterSpec
from .forms import (
    Form,
    Instance,
    ParameterVector,
    Piece,
    forms_of,
    instances,
    is_exact,
    taken_by,
    ungrouped_pieces,
)
from .layers import Assignment, Layer, assign, layers_of
from .roles import Roles

MAX_STORAGES = 256
MAX_TRIED = 6
MAX_PLANS = 100
MAX_TRIALS_KEPT = 8
"""Of each plan: one trial for each kind of arguments that its checks give."""

Kind = tuple[str, str]
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


@dataclass(frozen=True)
class StorageChoice:
    """One binding: a storage, and the form of each kind of group."""

    storage: int
    forms: Mapping[Kind, int]
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


class Plan:
    """All ways of storing that can be tried for one student's module."""

    def __init__(
        self,
        reference: nn.Module,
        specs: Sequence[ParameterSpec],
        roles: Roles,
        vector: ParameterVector,
    ) -> None:
        self.vector = vector
        self._layers = layers_of(specs)
        grouped = instances(reference, roles, vector)
        self._plain = list(ungrouped_pieces(vector, taken_by(grouped, vector), roles))
        self.kinds: dict[Kind, list[tuple[Instance, tuple[Form, ...]]]] = {}
        for instance in grouped:
            forms = tuple(forms_of(instance, self._has_room))
            self.kinds.setdefault(instance.kind, []).append((instance, forms))
        self.storages = self._storages()
        self._right_answers: list[RightAnswer] | None = None
        self._trials: dict[Any, Trial] = {}
        self._orbits: dict[tuple[Kind, tuple[int, ...]], torch.Tensor] = {}

    def pieces(self, forms: Mapping[Kind, int]) -> list[Piece]:
        """Return all pieces, in the order in which the reference has them."""
        ordered: list[tuple[int, list[Piece]]] = [
            (int(piece.parts[0].min()), [piece]) for piece in self._plain
        ]
        for kind, members in self.kinds.items():
            for instance, each in members:
                ordered.append((int(instance.weight.min()), list(each[forms[kind]].pieces)))
        ordered.sort(key=lambda entry: entry[0])
        return [piece for _, pieces in ordered for piece in pieces]

    def places(self, choice: StorageChoice) -> dict[str, torch.Tensor]:
        """Return, for each of the student's parameters, its numbers' places in the vector: (N,)."""
        layers = self.storages[choice.storage].assignment.layers
        return {
            name: part.flatten()
            for piece, layer in zip(self.pieces(choice.forms), layers, strict=True)
            for name, part in zip(layer.names, piece.parts, strict=True)
        }

    def first(self) -> StorageChoice | None:
        """Return the choice that names and shapes suggest; None if some role has no room."""
        return self._first_of(0) if self.storages else None

    def _first_of(self, storage: int) -> StorageChoice:
        forms = self.storages[storage].forms
        return StorageChoice(storage, {kind: numbers[0] for kind, numbers in forms.items()})

    @property
    def is_one_way(self) -> bool:
        """Return True if there is only one way of storing."""
        forms = [numbers for storage in self.storages for numbers in storage.forms.values()]
        return len(self.storages) == 1 and all(len(numbers) == 1 for numbers in forms)

    def orbits(self, kind: Kind, numbers: Sequence[int]) -> torch.Tensor:
        """Return, for each place in the vector, the one that stands for all in its orbit: (N,).

        Only exchanges between the given forms of this kind count. Numbers that are alike within
        such an orbit are stored alike in every one of these forms.
        """
        key = kind, tuple(numbers)
        if key not in self._orbits:
            self._orbits[key] = self._exchanged(kind, numbers)
        return self._orbits[key]

    def _exchanged(self, kind: Kind, numbers: Sequence[int]) -> torch.Tensor:
        return _joined(self.vector.length, self._exchanges(kind, numbers))

    def _exchanges(self, kind: Kind, numbers: Sequence[int]) -> Iterator[Exchange]:
        for _, forms in self.kinds[kind]:
            first, *others = (_contents(forms[number]) for number in numbers)
            yield from ((first, other) for other in others)

    @cached_property
    def common_orbits(self) -> torch.Tensor | None:
        """Return `orbits` (N,) over all ways of storing that can be tried.

        Numbers that are alike within such an orbit are stored alike in every way. None where
        storages leave different parameters over.
        """
        held = [self.places(self._first_of(number)) for number in range(len(self.storages))]
        if any(places.keys() != held[0].keys() for places in held):
            return None
        rows = [torch.cat([places[name] for name in held[0]]) for places in held]
        exchanges = [(rows[0], vector) for vector in rows[1:]]
        for storage in self.storages:
            for kind, numbers in storage.forms.items():
                exchanges += self._exchanges(kind, numbers)
        return _joined(self.vector.length, exchanges)

    def trial(self, key: Any, make: Callable[[], Trial]) -> Trial:
        """Return the trial for this key, made only once.

        The key is all that the trial depends on. Of the student's it holds nothing but names and
        shapes.
        """
        if key not in self._trials:
            if len(self._trials) == MAX_TRIALS_KEPT:
                self._trials.clear()
            self._trials[key] = make()
        return self._trials[key]

    def right_answers(self, make: Callable[[], list[RightAnswer]]) -> list[RightAnswer]:
        """Return the modules to compare a student's with, made only once.

        They can be shared because each search writes all of their parameters anew.
        """
        if self._right_answers is None:
            self._right_answers = make()
        return self._right_answers

    def missing(self) -> list[Piece]:
        """List the pieces of the reference's own form for which no layer is left."""
        pieces = self.pieces(dict.fromkeys(self.kinds, 0))
        free: list[Layer] = list(self._layers)
        lacking = []
        for piece in pieces:
            room = [la for la in free if la.fits(piece) and la.prefix == piece.home]
            room = room or [la for la in free if la.fits(piece)]
            if room:
                free.remove(room[0])
            else:
                lacking.append(piece)
        return lacking

    # ---- inside --------------------------------------------------------------------------

    def _has_room(self, piece: Piece) -> bool:
        return any(layer.fits(piece) for layer in self._layers)

    def _storages(self) -> tuple[Storage, ...]:
        """List the storages that fit and leave the fewest parameters over, up to `MAX_TRIED`."""
        options = {kind: self._outlines(members[0][1]) for kind, members in self.kinds.items()}
        if math.prod(map(len, options.values())) > MAX_STORAGES:
            options = {kind: outlines[:2] for kind, outlines in options.items()}
        storages: list[Storage] = []
        for chosen in itertools.product(*options.values()):
            forms = dict(zip(options, chosen, strict=True))
            pieces = self.pieces({kind: numbers[0] for kind, numbers in forms.items()})
            assignment = assign(pieces, self._layers)
            if assignment is None:
                continue
            if not is_exact(pieces, self.vector.length):
                raise ValueError("roles.py: a layout does not hold every number exactly once")
            allowed = self._allowed(forms, assignment)
            storages.append(Storage(assignment, allowed))
        storages.sort(key=lambda storage: len(storage.assignment.extra))
        return tuple(s for s in storages if len(s.assignment.extra) == _fewest(storages))[
            :MAX_TRIED
        ]

    def _outlines(self, forms: Sequence[Form]) -> list[tuple[int, ...]]:
        """Group the indices of forms by outline, for the outlines that there is room for."""
        by_outline: dict[object, list[int]] = {}
        for number, form in enumerate(forms):
            if all(map(self._has_room, form.pieces)):
                outline = tuple(piece.outline for piece in form.pieces)
                by_outline.setdefault(outline, []).append(number)
        return [tuple(numbers) for numbers in by_outline.values()]

    def _allowed(
        self, forms: Mapping[Kind, tuple[int, ...]], assignment: Assignment
    ) -> dict[Kind, tuple[int, ...]]:
        """Leave out the forms that contradict the names in the student's code."""
        guessed = {id(piece.parts[0]) for piece in self._guessed(forms, assignment)}
        allowed = {}
        for kind, numbers in forms.items():
            each = self.kinds[kind][0][1]
            first = each[numbers[0]]
            open_order = any(c.several or id(c.parts[0]) in guessed for c in first.pieces)
            plain = [number for number in numbers if not each[number].exchanged]
            exchanged = [number for number in numbers if each[number].exchanged]
            allowed[kind] = (*plain, *(exchanged if open_order else ()))
        return allowed

    def _guessed(
        self, forms: Mapping[Kind, tuple[int, ...]], assignment: Assignment
    ) -> list[Piece]:
        pieces = self.pieces({kind: numbers[0] for kind, numbers in forms.items()})
        return [pieces[number] for number in assignment.guessed]


def _contents(form: Form) -> torch.Tensor:
    return torch.cat([part.flatten() for piece in form.pieces for part in piece.parts])


def _joined(length: int, exchanges: Iterable[Exchange]) -> torch.Tensor:
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


def _fewest(storages: Sequence[Storage]) -> int:
    return min((len(storage.assignment.extra) for storage in storages), default=0)


class Plans:
    """The plans of a judge, by how both modules were made, at most `MAX_PLANS`.

    They hold nothing of a student's but names and shapes, which most submissions have in common.
    """

    def __init__(self) -> None:
        self._plans: dict[Any, Plan] = {}

    def __len__(self) -> int:
        return len(self._plans)

    def get(self, key: Any, make: Callable[[], Plan]) -> Plan:
        """Return the plan for this key, made only once. Raises what `make` raises."""
        plan = self._plans.pop(key, None) or make()
        self._plans[key] = plan  # the latest is last
        if len(self._plans) > MAX_PLANS:
            del self._plans[next(iter(self._plans))]
        return plan
