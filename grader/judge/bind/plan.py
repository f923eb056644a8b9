"""The ways in which a student's layers can hold all of the reference's numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import nn

from ..handles import ParameterSpec
from .forms import Cell, Form, Instance, Row, forms_of, instances, is_exact, plain_cells, taken_by
from .layers import Assignment, Layer, assign, layers_of
from .roles import Roles

MAX_STORAGES = 256
MAX_TRIED = 6
MAX_PLANS = 100
MAX_TRIALS_KEPT = 8
"""Of a plan: one for each kind of arguments that its checks give."""

Kind = tuple[str, str]
Exchange = tuple[torch.Tensor, torch.Tensor]
"""Places in the row, and those that stand there in another way of storing; none twice in either."""
RightAnswer = tuple[int | None, nn.Module]
"""Which of the course's alternatives it is, and the module; its parameters may hold anything."""


@dataclass(frozen=True)
class Storage:
    """One assignment of layers, and the forms of each kind of group that have its outline."""

    assignment: Assignment
    forms: Mapping[Kind, tuple[int, ...]]
    """Numbers of forms; they differ only in where inside a layer a number stands."""


@dataclass(frozen=True)
class Choice:
    """One binding: a storage, and the form of each kind of group."""

    storage: int
    forms: Mapping[Kind, int]
    alternative: int | None = None
    """Which other reference it equals, if it is not the first."""


@dataclass(frozen=True)
class Trial:
    """A call in which it does not matter how anything is stored."""

    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    stored: Mapping[str, torch.Tensor]
    """What each parameter of the student's holds."""
    wanted: Sequence[Any]
    """What a right answer gives: the reference, or one of the course's alternatives to it."""


class Plan:
    """Everything that can be tried for one module of a student's."""

    def __init__(
        self, reference: nn.Module, specs: Sequence[ParameterSpec], roles: Roles, row: Row
    ) -> None:
        self.row = row
        self._layers = layers_of(specs)
        found = instances(reference, roles, row)
        self._plain = list(plain_cells(row, taken_by(found, row), roles))
        self.kinds: dict[Kind, list[tuple[Instance, tuple[Form, ...]]]] = {}
        for instance in found:
            forms = tuple(forms_of(instance, self._has_room))
            self.kinds.setdefault(instance.kind, []).append((instance, forms))
        self.storages = self._storages()
        self._right_answers: list[RightAnswer] | None = None
        self._trials: dict[Any, Trial] = {}
        self._orbits: dict[tuple[Kind, tuple[int, ...]], torch.Tensor] = {}

    def cells(self, forms: Mapping[Kind, int]) -> list[Cell]:
        """All cells, in the order in which the reference has them."""
        ordered: list[tuple[int, list[Cell]]] = [
            (int(cell.parts[0].min()), [cell]) for cell in self._plain
        ]
        for kind, members in self.kinds.items():
            for instance, each in members:
                ordered.append((int(instance.weight.min()), list(each[forms[kind]].cells)))
        ordered.sort(key=lambda entry: entry[0])
        return [cell for _, cells in ordered for cell in cells]

    def places(self, choice: Choice) -> dict[str, torch.Tensor]:
        """Parameter of the student's -> the places in the row of what it holds."""
        layers = self.storages[choice.storage].assignment.layers
        return {
            name: part.flatten()
            for cell, layer in zip(self.cells(choice.forms), layers, strict=True)
            for name, part in zip(layer.names, cell.parts, strict=True)
        }

    def first(self) -> Choice | None:
        """What names and shapes say; None if there is no room for some role."""
        return self._first_of(0) if self.storages else None

    def _first_of(self, storage: int) -> Choice:
        forms = self.storages[storage].forms
        return Choice(storage, {kind: numbers[0] for kind, numbers in forms.items()})

    @property
    def is_one_way(self) -> bool:
        """Whether there is but one way of storing."""
        forms = [numbers for storage in self.storages for numbers in storage.forms.values()]
        return len(self.storages) == 1 and all(len(numbers) == 1 for numbers in forms)

    def orbits(self, kind: Kind, numbers: Sequence[int]) -> torch.Tensor:
        """For each place in the row one that stands for all places with which these forms may
        exchange it. Numbers that are alike within an orbit are stored alike in every form."""
        key = kind, tuple(numbers)
        if key not in self._orbits:
            self._orbits[key] = self._exchanged(kind, numbers)
        return self._orbits[key]

    def _exchanged(self, kind: Kind, numbers: Sequence[int]) -> torch.Tensor:
        return _joined(self.row.length, self._exchanges(kind, numbers))

    def _exchanges(self, kind: Kind, numbers: Sequence[int]) -> Iterator[Exchange]:
        for _, forms in self.kinds[kind]:
            first, *others = (_contents(forms[number]) for number in numbers)
            yield from ((first, other) for other in others)

    @cached_property
    def common_orbits(self) -> torch.Tensor | None:
        """As `orbits`, for all that can be tried: numbers that are alike within one are stored
        alike in every way. None where storages leave different parameters over."""
        held = [self.places(self._first_of(number)) for number in range(len(self.storages))]
        if any(places.keys() != held[0].keys() for places in held):
            return None
        rows = [torch.cat([places[name] for name in held[0]]) for places in held]
        exchanges = [(rows[0], row) for row in rows[1:]]
        for storage in self.storages:
            for kind, numbers in storage.forms.items():
                exchanges += self._exchanges(kind, numbers)
        return _joined(self.row.length, exchanges)

    def trial(self, key: Any, make: Callable[[], Trial]) -> Trial:
        """A trial by all that it depends on. Nothing of it is a student's but names and shapes."""
        if key not in self._trials:
            if len(self._trials) == MAX_TRIALS_KEPT:
                self._trials.clear()
            self._trials[key] = make()
        return self._trials[key]

    def right_answers(self, make: Callable[[], list[RightAnswer]]) -> list[RightAnswer]:
        """What modules made in this way are compared with, made once: each search writes all of
        their parameters anew."""
        if self._right_answers is None:
            self._right_answers = make()
        return self._right_answers

    def missing(self) -> list[Cell]:
        """Cells of the reference's own form for which no layer is left."""
        cells = self.cells(dict.fromkeys(self.kinds, 0))
        free: list[Layer] = list(self._layers)
        lacking = []
        for cell in cells:
            room = [la for la in free if la.fits(cell) and la.prefix == cell.home]
            room = room or [la for la in free if la.fits(cell)]
            if room:
                free.remove(room[0])
            else:
                lacking.append(cell)
        return lacking

    # ---- inside --------------------------------------------------------------------------

    def _has_room(self, cell: Cell) -> bool:
        return any(layer.fits(cell) for layer in self._layers)

    def _storages(self) -> tuple[Storage, ...]:
        """Every storage that fits, those first that leave the fewest parameters over."""
        options = {kind: self._outlines(members[0][1]) for kind, members in self.kinds.items()}
        if math.prod(map(len, options.values())) > MAX_STORAGES:
            options = {kind: outlines[:2] for kind, outlines in options.items()}
        found: list[Storage] = []
        for chosen in itertools.product(*options.values()):
            forms = dict(zip(options, chosen, strict=True))
            cells = self.cells({kind: numbers[0] for kind, numbers in forms.items()})
            assignment = assign(cells, self._layers)
            if assignment is None:
                continue
            if not is_exact(cells, self.row.length):
                raise ValueError("roles.py: a layout does not hold every number exactly once")
            allowed = self._allowed(forms, assignment)
            found.append(Storage(assignment, allowed))
        found.sort(key=lambda storage: len(storage.assignment.extra))
        return tuple(s for s in found if len(s.assignment.extra) == _fewest(found))[:MAX_TRIED]

    def _outlines(self, forms: Sequence[Form]) -> list[tuple[int, ...]]:
        """Numbers of forms with the same outline, for outlines that there is room for."""
        found: dict[object, list[int]] = {}
        for number, form in enumerate(forms):
            if all(map(self._has_room, form.cells)):
                outline = tuple(cell.outline for cell in form.cells)
                found.setdefault(outline, []).append(number)
        return [tuple(numbers) for numbers in found.values()]

    def _allowed(
        self, forms: Mapping[Kind, tuple[int, ...]], assignment: Assignment
    ) -> dict[Kind, tuple[int, ...]]:
        """Without the forms that contradict what the student's own names say."""
        guessed = {id(cell.parts[0]) for cell in self._guessed(forms, assignment)}
        allowed = {}
        for kind, numbers in forms.items():
            each = self.kinds[kind][0][1]
            first = each[numbers[0]]
            open_order = any(c.several or id(c.parts[0]) in guessed for c in first.cells)
            plain = [number for number in numbers if not each[number].exchanged]
            exchanged = [number for number in numbers if each[number].exchanged]
            allowed[kind] = (*plain, *(exchanged if open_order else ()))
        return allowed

    def _guessed(self, forms: Mapping[Kind, tuple[int, ...]], assignment: Assignment) -> list[Cell]:
        cells = self.cells({kind: numbers[0] for kind, numbers in forms.items()})
        return [cells[number] for number in assignment.guessed]


def _contents(form: Form) -> torch.Tensor:
    return torch.cat([part.flatten() for cell in form.cells for part in cell.parts])


def _joined(length: int, exchanges: Iterable[Exchange]) -> torch.Tensor:
    """For each place the first of all that exchanges lead to, over any number of them."""
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
    """Plans by how both modules were made. They hold nothing of a student's but names and shapes,
    which most of a class have in common."""

    def __init__(self) -> None:
        self._plans: dict[Any, Plan] = {}

    def __len__(self) -> int:
        return len(self._plans)

    def get(self, key: Any, make: Callable[[], Plan]) -> Plan:
        """Raises what `make` raises."""
        plan = self._plans.pop(key, None) or make()
        self._plans[key] = plan  # the latest is last
        if len(self._plans) > MAX_PLANS:
            del self._plans[next(iter(self._plans))]
        return plan
