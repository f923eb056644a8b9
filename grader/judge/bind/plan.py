"""List the ways in which a student's layers can hold all of the reference's numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import torch
from torch import nn

from ..calls.module_description import ParameterSpec
from .forms import Form, Outline, Piece, forms_of, is_exact
from .instances import Instance, ParameterVector, instances
from .layers import Assignment, Layer, assign, layers_of
from .moves import MoveClass, Slot, move_classes
from .patterns import numbers_in
from .roles import Roles
from .storages import Exchange, Kind, RightAnswer, Room, Storage, StorageChoice, Trial, joined

MAX_STORAGES = 256
MAX_TRIED = 6
MOST_OUTLINES = 6
MAX_PLANS = 100
MAX_TRIALS_KEPT = 8
"""Of each plan: one trial for each kind of arguments that its checks give."""


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
        self.own_layers = layers_of(specs)
        self._rooms = {(la.outline, la.raw) for la in self.own_layers}
        self.kinds: dict[Kind, list[tuple[Instance, tuple[Form, ...]]]] = {}
        for instance in instances(reference, roles, vector):
            forms = tuple(forms_of(instance, self._has_room, self._has_outline))
            self.kinds.setdefault(instance.kind, []).append((instance, forms))
        self.storages = self._storages()
        self._right_answers: list[RightAnswer] | None = None
        self._trials: dict[Any, Trial] = {}
        self._orbits: dict[tuple[Kind, tuple[int, ...]], torch.Tensor] = {}

    def pieces(self, forms: Mapping[Kind, int]) -> list[Piece]:
        """Return all pieces, in the order in which the reference has them."""
        return [piece for _slot, piece in self.slots(forms)]

    def slots(self, forms: Mapping[Kind, int]) -> list[tuple[Slot, Piece]]:
        """Return all pieces, in the order in which the reference has them, with their slots."""
        ordered: list[tuple[int, list[tuple[Slot, Piece]]]] = []
        for kind, members in self.kinds.items():
            for instance, each in members:
                pieces = enumerate(each[forms[kind]].pieces)
                listed = [((kind, number), piece) for number, piece in pieces]
                ordered.append((int(instance.weight.min()), listed))
        ordered.sort(key=lambda entry: entry[0])
        return [each for _, listed in ordered for each in listed]

    def places(self, choice: StorageChoice) -> dict[str, torch.Tensor]:
        """Return, for each of the student's parameters, its numbers' places in the vector: (N,)."""
        layers = self.layers(choice)
        return {
            name: part.flatten()
            for piece, layer in zip(self.pieces(choice.forms), layers, strict=True)
            for name, part in zip(layer.names, piece.parts, strict=True)
        }

    def layers(self, choice: StorageChoice) -> tuple[Layer, ...]:
        """Return the layer that holds each piece."""
        layers = self.storages[choice.storage].assignment.layers
        return tuple(layers[number] for number in choice.moves) if choice.moves else layers

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
        one_form = len(self.storages) == 1 and all(len(numbers) == 1 for numbers in forms)
        return one_form and not any(storage.movable for storage in self.storages)

    def orbits(self, kind: Kind, numbers: Sequence[int]) -> torch.Tensor:
        """Return, for each place in the vector, the one that stands for all in its orbit: (N,).

        Only exchanges between the given forms of this kind count. Numbers that are alike within
        such an orbit are stored alike in every one of these forms.
        """
        key = kind, tuple(numbers)
        if key not in self._orbits:
            self._orbits[key] = joined(self.vector.length, self.exchanges(kind, numbers))
        return self._orbits[key]

    def exchanges(self, kind: Kind, numbers: Sequence[int]) -> Iterator[Exchange]:
        """Yield what differs between the given forms of a kind."""
        for _, forms in self.kinds[kind]:
            first, *others = (_contents(forms[number]) for number in numbers)
            yield from ((first, other) for other in others)

    def moving(self, forms: Mapping[Kind, int], movable: Sequence[MoveClass]) -> Iterator[Exchange]:
        """Yield what an exchange of the layers of these slots would exchange."""
        held: dict[Slot, list[torch.Tensor]] = {}
        for slot, piece in self.slots(forms):
            held.setdefault(slot, []).extend(part.flatten() for part in piece.parts)
        for each in movable:
            first, *others = (torch.cat(held[slot]) for slot in each.slots)
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
                exchanges += self.exchanges(kind, numbers)
            first = {kind: numbers[0] for kind, numbers in storage.forms.items()}
            exchanges += self.moving(first, storage.movable)
        return joined(self.vector.length, exchanges)

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

    def missing(self) -> tuple[list[Piece], list[Layer]]:
        """List the pieces of the reference's own form without a layer, and the layers left over.

        As where all have one, the reference's own names decide first, then those people use; of
        layers whose names do not tell, each block has its own.
        """
        lacking = dict(enumerate(self.pieces(dict.fromkeys(self.kinds, 0))))
        free: list[Layer] = list(self.own_layers)
        for suits in (_is_home, _is_called_there, _is_there, _is_called, _is_any):
            for number, piece in tuple(lacking.items()):
                room = [la for la in free if la.fits(piece) and suits(la, piece)]
                if room:
                    free.remove(room[0])
                    del lacking[number]
        return list(lacking.values()), free

    # ---- inside --------------------------------------------------------------------------

    def _has_room(self, piece: Piece) -> bool:
        return any(layer.fits(piece) for layer in self.own_layers)

    def _has_outline(self, outline: Outline, raw: bool | None) -> bool:
        either = (True, False) if raw is None else (raw,)
        return any((outline, each) in self._rooms for each in either)

    def _storages(self) -> tuple[Storage, ...]:
        """List the storages that fit and leave the fewest parameters over, up to `MAX_TRIED`.

        Those that names suggest come first.
        """
        options = {kind: self._outlines(members[0][1]) for kind, members in self.kinds.items()}
        if math.prod(map(len, options.values())) > MAX_STORAGES:
            options = {kind: outlines[:MOST_OUTLINES] for kind, outlines in options.items()}
        room, storages = Room(self.own_layers, self.kinds), list[Storage]()
        for chosen in itertools.islice(room.combined(options), MAX_STORAGES):
            forms = dict(zip(options, chosen, strict=True))
            first = {kind: numbers[0] for kind, numbers in forms.items()}
            slots = self.slots(first)
            pieces = [piece for _slot, piece in slots]
            assignment = assign(pieces, self.own_layers)
            if assignment is None:
                continue
            if not is_exact(pieces, self.vector.length):
                raise ValueError("roles.py: a layout does not hold every number exactly once")
            allowed = self._allowed(forms, assignment)
            movable = move_classes(slots, assignment)
            storages.append(Storage(assignment, allowed, movable))
        storages.sort(key=lambda s: (len(s.assignment.extra), len(s.assignment.guessed)))
        return tuple(s for s in storages if len(s.assignment.extra) == _fewest(storages))[
            :MAX_TRIED
        ]

    def _outlines(self, forms: Sequence[Form]) -> list[tuple[int, ...]]:
        """Group the indices of forms by outline, for the outlines that there is room for.

        Of forms that hold the same numbers in the same places only the first counts.
        """
        by_outline: dict[object, dict[bytes, int]] = {}
        for number, form in enumerate(forms):
            if all(map(self._has_room, form.pieces)):
                outline = tuple(piece.outline for piece in form.pieces)
                contents = _contents(form).numpy().tobytes()
                by_outline.setdefault(outline, {}).setdefault(contents, number)
        return [tuple(numbers.values()) for numbers in by_outline.values()]

    def _allowed(
        self, forms: Mapping[Kind, tuple[int, ...]], assignment: Assignment
    ) -> dict[Kind, tuple[int, ...]]:
        """Leave out the forms that contradict the names in the student's code."""
        guessed = {id(piece.parts[0]) for piece in self._guessed(forms, assignment)}
        turned = self._is_turned(forms, assignment)
        allowed = {}
        for kind, numbers in forms.items():
            each = self.kinds[kind][0][1]
            first = each[numbers[0]]
            open_order = any(c.several or id(c.parts[0]) in guessed for c in first.pieces)
            numbers = self._storable(kind, numbers, forms, assignment)
            if turned:
                numbers = tuple(sorted(numbers, key=lambda n: _upright_squares(each[n])))
            plain = [number for number in numbers if not each[number].exchanged]
            exchanged = [number for number in numbers if each[number].exchanged]
            allowed[kind] = (*plain, *(exchanged if open_order else ()))
        return allowed

    def _is_turned(self, forms: Mapping[Kind, tuple[int, ...]], assignment: Assignment) -> bool:
        """Tell whether every oblong matrix outside of an `nn.Linear` is stored (in, out).

        Whoever writes `x @ W`, or a layer as in GPT-2, does so for square matrices as well, where
        no shape tells it.
        """
        slots = self.slots({kind: numbers[0] for kind, numbers in forms.items()})
        either = {
            kind: any(piece.turned for form in members[0][1] for piece in form.pieces)
            for kind, members in self.kinds.items()
        }
        ways = {
            piece.turned
            for ((kind, _place), piece), layer in zip(slots, assignment.layers, strict=True)
            if either[kind] and not layer.linear and _is_matrix(piece) and not _is_square(piece)
        }
        return ways == {True}

    def _storable(
        self,
        kind: Kind,
        numbers: Sequence[int],
        forms: Mapping[Kind, tuple[int, ...]],
        assignment: Assignment,
    ) -> tuple[int, ...]:
        """Leave out the forms that the chosen layers, by their kind, do not store."""
        slots = self.slots({kind: numbers[0] for kind, numbers in forms.items()})
        held: dict[Slot, list[Layer]] = {}
        for (slot, _piece), layer in zip(slots, assignment.layers, strict=True):
            held.setdefault(slot, []).append(layer)
        return tuple(
            number
            for number in numbers
            if all(
                layer.fits(piece)
                for place, piece in enumerate(self.kinds[kind][0][1][number].pieces)
                for layer in held[kind, place]
            )
        )

    def _guessed(
        self, forms: Mapping[Kind, tuple[int, ...]], assignment: Assignment
    ) -> list[Piece]:
        pieces = self.pieces({kind: numbers[0] for kind, numbers in forms.items()})
        return [pieces[number] for number in assignment.guessed]


def _is_home(layer: Layer, piece: Piece) -> bool:
    return layer.prefix == piece.home


def _is_called(layer: Layer, piece: Piece) -> bool:
    return layer.is_called(piece.words)


def _is_there(layer: Layer, piece: Piece) -> bool:
    """Tell whether a layer's path leads into the piece's own block, or into none if it has none."""
    return layer.stands_in(piece.block) if piece.block else not numbers_in(layer.prefix)


def _is_called_there(layer: Layer, piece: Piece) -> bool:
    return _is_called(layer, piece) and _is_there(layer, piece)


def _is_any(layer: Layer, piece: Piece) -> bool:
    return True


def _is_matrix(piece: Piece) -> bool:
    return piece.parts[0].dim() == 2


def _is_square(piece: Piece) -> bool:
    return len(set(piece.parts[0].shape)) == 1


def _upright_squares(form: Form) -> int:
    """Count the square matrices that a form stores (out, in)."""
    return sum(_is_matrix(p) and _is_square(p) and not p.turned for p in form.pieces)


def _contents(form: Form) -> torch.Tensor:
    # Returns (N,), the numbers of all parts one after the other.
    return torch.cat([part.flatten() for piece in form.pieces for part in piece.parts])


def _fewest(storages: Sequence[Storage]) -> int:
    return min((len(storage.assignment.extra) for storage in storages), default=0)


class Plans:
    """The plans of a judge, by how both modules were made, at most `MAX_PLANS`.

    They hold nothing of a student's but names and shapes, which most submissions have in common.
    """

    def __init__(self) -> None:
        self._plans: dict[Any, Plan] = {}
        self._vectors: dict[Any, ParameterVector] = {}

    def __len__(self) -> int:
        return len(self._plans)

    def get(self, key: Any, make: Callable[[], Plan]) -> Plan:
        """Return the plan for this key, made only once. Raises what `make` raises."""
        plan = self._plans.pop(key, None) or make()
        self._plans[key] = plan  # the latest is last
        if len(self._plans) > MAX_PLANS:
            del self._plans[next(iter(self._plans))]
        return plan

    def vector(self, module: nn.Module, values: Mapping[str, torch.Tensor]) -> ParameterVector:
        """Return the vector of a reference's parameters, made once for all that have the same.

        `values`: what they hold, by name, each in the shape of its parameter.
        """
        key = tuple((name, value.shape) for name, value in values.items())
        vector = self._vectors.pop(key, None) or ParameterVector(module)
        self._vectors[key] = vector
        if len(self._vectors) > MAX_PLANS:
            del self._vectors[next(iter(self._vectors))]
        return vector
