"""Search by numbers for the way of storing under which both modules compute the same.

Each group is settled separately. While that happens, the groups not settled yet hold numbers that
are alike wherever ways of storing would exchange them, so that it does not matter how they are
stored. The numbers of ways then add up and do not multiply. At the end both modules must agree on
drawn numbers alone.

A way of storing only moves numbers, each to exactly one place. If both modules agree, the student's
function *is* the reference's, written with its parameters in other places: no wrong answer becomes
right by it. The inputs are drawn here and are never those that a check judges.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from ...wire.tensors import raw_bytes
from ..calls.faults import NotRecorded, StudentRaised
from .comparison import (
    COARSE,
    MAX_BLIND_TRIALS,
    TOLERANCE,
    Comparison,
    Probing,
    RightNumbers,
    Store,
    gap,
    right_answers,
)
from .moves import MoveClass, Slot
from .plan import Plan
from .storages import Kind, StorageChoice, Trial, joined

MAX_SURVIVORS = 8


def search(plan: Plan, probing: Probing, store: Store) -> StorageChoice | None:
    """Return the first choice under which both modules agree, or None."""
    with torch.no_grad():
        if plan.is_one_way and len(right_answers(plan, probing)) == 1:
            return None
        if not plan.is_one_way and not _any_can_agree(plan, probing, store):
            return None
        comparison = Comparison(plan, probing, store)
        for number, storage in enumerate(plan.storages):
            # The first of each group is nearly always the one. Two that look alike while others
            # hold fewer numbers are told apart only by going on with both.
            for most in (1, MAX_SURVIVORS):
                choice, stages = _settled(plan, number, storage.forms, comparison, most)
                if choice is not None:
                    return choice
                if stages == 1:
                    break
        for number, storage in enumerate(plan.storages):
            for moves in Moving(plan, number, comparison).moves() if storage.movable else ():
                choice, _stages = _settled(plan, number, storage.forms, comparison, 1, moves)
                if choice is not None:
                    return choice
    return None


class Moving:
    """The exchanges of layers of one storage under which both modules may agree."""

    def __init__(self, plan: Plan, storage: int, comparison: Comparison) -> None:
        self._plan, self._storage, self._comparison = plan, storage, comparison
        forms = plan.storages[storage].forms
        self._first = {kind: numbers[0] for kind, numbers in forms.items()}
        self._exchanges = [
            exchange
            for kind, numbers in forms.items()
            for exchange in plan.exchanges(kind, numbers)
        ]

    def moves(self) -> Iterator[tuple[int, ...]]:
        """Yield the moves that may be right, the likeliest first; it nearly always is.

        One slot is settled after the other, while all that are not settled yet hold numbers alike.
        """
        classes = self._plan.storages[self._storage].movable
        at_first = tuple(range(len(self._plan.slots(self._first))))
        survivors = [at_first]
        try:
            for number, each in enumerate(classes):
                survivors = [
                    moves
                    for before in survivors
                    for moves in self._of_class(each, classes[number + 1 :], before)
                ][:MAX_SURVIVORS]
        except NotRecorded:
            yield from _all_moves(classes, at_first)
        else:
            yield from survivors

    def _of_class(
        self, one: MoveClass, later: Sequence[MoveClass], before: tuple[int, ...]
    ) -> list[tuple[int, ...]]:
        rows: list[tuple[Slot, ...]] = [()]
        for number in range(len(one.slots) - 1):
            open_yet = replace(one, slots=one.slots[number + 1 :])
            numbers = self._alike((open_yet, *later))
            expected = self._comparison.known(numbers)
            rows = [
                (*row, source)
                for row in rows
                for source in one.slots
                if source not in row
                and self._agrees(one.moves(_filled(one, (*row, source)), before), numbers, expected)
            ][:MAX_SURVIVORS]
        sources = [_filled(one, row) for row in rows]
        return [one.moves(each, before) for each in sources if not one.contradicts(each)]

    def _alike(self, movable: Sequence[MoveClass]) -> torch.Tensor:
        # Returns (N,).
        exchanges = [*self._exchanges, *self._plan.moving(self._first, movable)]
        return self._comparison.numbers[joined(self._plan.vector.length, exchanges)]

    def _agrees(
        self, moves: tuple[int, ...], numbers: torch.Tensor, expected: Sequence[RightNumbers]
    ) -> bool:
        # numbers: (N,).
        if self._comparison.is_over:
            return False
        choice = StorageChoice(self._storage, self._first, moves)
        observed = self._comparison.observed(choice, numbers)
        return any(gap(observed, wanted) <= COARSE for _number, wanted in expected)


def _all_moves(classes: Sequence[MoveClass], before: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield every move there is, for a kit, in which no slot can be settled by itself.

    Raises NotRecorded if these are too many to be tried.
    """
    if not classes:
        yield before
        return
    one, *others = classes
    if math.factorial(len(one.slots)) > MAX_BLIND_TRIALS:
        raise NotRecorded
    for sources in itertools.permutations(one.slots):
        if not one.contradicts(sources):
            yield from _all_moves(others, one.moves(sources, before))


def _filled(one: MoveClass, row: Sequence[Slot]) -> tuple[Slot, ...]:
    """Complete a row of sources by those that are left, in order."""
    return (*row, *(slot for slot in one.slots if slot not in row))


def _any_can_agree(plan: Plan, probing: Probing, store: Store) -> bool:
    """Decide with one trial whether any way of storing can make both modules agree.

    Most wrong answers agree under none.
    """
    first, orbits = plan.first(), plan.common_orbits
    if first is None or orbits is None:
        return True
    try:
        trial = _trial_of_all(plan, probing, store, first, orbits)
    except NotRecorded:
        return True
    probing.handle.write(trial.stored)
    try:
        observed = probing.handle(*trial.args, **trial.kwargs)
    except StudentRaised:
        return False
    return any(gap(observed, wanted) <= COARSE for wanted in trial.wanted)


def _trial_of_all(
    plan: Plan, probing: Probing, store: Store, first: StorageChoice, orbits: torch.Tensor
) -> Trial:
    """Return the trial with numbers (N,) that are alike wherever any way would exchange them."""

    def make() -> Trial:
        comparison = Comparison(plan, probing, store)
        numbers = comparison.numbers[orbits]
        wanted = [value for _number, value in comparison.expected(numbers)]
        return Trial(comparison.args, comparison.kwargs, store(plan.places(first), numbers), wanted)

    reference = probing.reference
    buffers = tuple(map(raw_bytes, reference.buffers()))
    return plan.trial((probing.seed, reference.training, buffers), make)


def _settled(
    plan: Plan,
    storage: int,
    forms: Mapping[Kind, tuple[int, ...]],
    comparison: Comparison,
    most: int,
    moves: tuple[int, ...] = (),
) -> tuple[StorageChoice | None, int]:
    """Settle the groups of one storage, one kind after the other, going on with at most `most`.

    `moves` are exchanges of layers between its pieces.

    Return the choice that is left at the end, or None, and the number of stages that it took.
    """
    names = list(dict.fromkeys(kind[0] for kind in plan.kinds))
    kinds = sorted(forms, key=lambda kind: names.index(kind[0]))
    pending = [kind for kind in kinds if len(forms[kind]) > 1]
    orbits = {kind: plan.orbits(kind, forms[kind]) for kind in pending}
    first = {kind: numbers[0] for kind, numbers in forms.items()}
    survivors = [StorageChoice(storage, first, moves)]
    agreed: dict[int, int | None] = {}
    several = len(plan.storages) > 1
    several = several and not moves
    if pending and several and not comparison.can_agree(survivors[0], orbits.values()):
        return None, 1
    for stage in itertools.count(1):
        trying, pending = pending[:1], pending[1:]
        try:
            numbers, expected = comparison.stage(orbits[kind] for kind in pending)
        except NotRecorded:
            # A kit knows the last stage, and others for some ways alone: try all that is left.
            trying, pending = [*trying, *pending], []
            numbers, expected = comparison.stage(())
        candidates = [
            replace(choice, forms={**choice.forms, **dict(zip(trying, chosen, strict=True))})
            for choice in survivors
            for chosen in itertools.product(*(forms[kind] for kind in trying))
        ]
        survivors, agreed = [], {}
        for choice in candidates:
            if comparison.is_over or len(survivors) >= most:
                break
            observed = comparison.observed(choice, numbers)
            gaps = [(gap(observed, wanted), alternative) for alternative, wanted in expected]
            nearest, alternative = min(gaps, key=lambda pair: pair[0])
            if nearest <= TOLERANCE:
                agreed[len(survivors)] = alternative
                survivors.append(choice)
        if not survivors:
            return None, stage
        if not pending:
            return replace(survivors[0], alternative=agreed[0]), stage
    raise AssertionError("unreachable")
