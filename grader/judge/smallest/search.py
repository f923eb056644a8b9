"""Search the smallest input on which a student's answer is clearly wrong, within few calls."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import torch

from ..calls.faults import CheckFailed, NotDefined, StudentFault, StudentRaised
from .candidates import Candidate, telling, within
from .difference import ClearDifference, agree, clear_difference
from .sides import BothAnswers, Filled, OutOfCalls, Sides
from .small_calls import Numbers, SmallCall
from .steps import Raised

MOST_CALLS = 120
"""The most calls of a search: they decide when it ends, so that a report hangs on no clock."""
FEWER_CALLS = 24
"""The most plain calls where something else is wrong already."""
MORE_CALLS = 40
"""The most calls to make what was found simpler."""
MOST_S = 3.0
"""The seconds after which a search is given up, on a machine that is that busy: it takes 0.1."""
ANOTHER_SEED = 0x0DD
REPEATED = 8
"""Times that a second process is asked: of two values by chance, one in 2⁸ shows the same each
time."""


@dataclass(frozen=True)
class WrongCall:
    """The smallest call with a clearly wrong answer."""

    filled: Filled
    answers: BothAnswers
    difference: ClearDifference


class Budget:
    """The calls and the time that one search may spend."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock, self._calls = clock, MOST_CALLS
        self._until = clock() + MOST_S

    def spend(self) -> None:
        """Take one call. Raises OutOfCalls if there is none left."""
        self._calls -= 1
        if self._calls < 0 or self.is_late:
            raise OutOfCalls

    @property
    def is_late(self) -> bool:
        """Tell whether the time is over."""
        return self._clock() > self._until

    def extend(self, calls: int = MORE_CALLS) -> None:
        """Give the calls for the next step."""
        self._calls = calls


def smallest(calls: Sequence[SmallCall], sides: Sides, budget: Budget) -> WrongCall | None:
    """Return the smallest call on which the student is clearly wrong; None if none was found.

    A second process of the submission has confirmed it.
    """
    with torch.no_grad():
        for wrong_call in _of_each_kind(calls, sides, budget):
            budget.extend()
            simple = _simplified(wrong_call, sides)
            if budget.is_late:
                return None  # how simple it got would hang on how busy the machine is
            budget.extend()
            if _is_reproduced(simple, sides):
                return simple
        return None


def _of_each_kind(calls: Sequence[SmallCall], sides: Sides, budget: Budget) -> Iterator[WrongCall]:
    """Yield what a plain call shows, and then what the steps of another one show.

    Most mistakes show in one of the first plain calls. Where none does, steps are asked before all
    the others: they are few, and whoever lacks a parameter cannot be asked for much else.
    """
    without_steps = [call for call in calls if not call.steps]
    budget.extend(FEWER_CALLS)
    early = _first(without_steps, sides, budget)
    if early is not None:
        yield early
    with_steps = [call for call in calls if call.steps]
    budget.extend(MOST_CALLS)
    stepped = _first(with_steps, sides, budget)
    if early is None:
        budget.extend(MOST_CALLS if stepped is None else FEWER_CALLS)
        plain = _first(without_steps, sides, budget)
        if plain is not None:
            yield plain
    if stepped is not None:
        yield stepped
    while stepped is not None:  # what it gives is drawn: another call may show something lasting
        with_steps.remove(stepped.filled.candidate.call)
        budget.extend(FEWER_CALLS)
        stepped = _first(with_steps, sides, budget)
        if stepped is not None:
            yield stepped


def _is_reproduced(wrong_call: WrongCall, sides: Sides) -> bool:
    """Tell whether a second process gives the same answer, each time it is asked."""
    for seed in range(ANOTHER_SEED, ANOTHER_SEED + REPEATED):
        torch.manual_seed(seed)  # what is drawn at random must not agree by its seed
        try:
            again = sides.ask_apart(wrong_call.filled)
        except (StudentFault, OutOfCalls):
            return False
        right = wrong_call.answers.right
        if isinstance(right, Raised):  # what is returned in place of an error may be drawn
            difference = clear_difference(again, right)
            if difference is None or difference.instead != wrong_call.difference.instead:
                return False
            continue
        if not agree(again, wrong_call.answers.yours):
            return False
        is_drawn = bool(wrong_call.filled.candidate.call.steps)
        if is_drawn and not agree(sides.right(wrong_call.filled), right):
            return False
    return True


def _first(calls: Sequence[SmallCall], sides: Sides, budget: Budget) -> WrongCall | None:
    """Return the smallest candidate that is clearly wrong, of the first call that shows any."""
    # Rounds and not one call after the other: one that shows nothing should not use up the time.
    rounds = zip_longest(*(telling(call) for call in calls))
    tried = (candidate for one in rounds for candidate in one if candidate is not None)
    wrong_call = _wrong(tried, sides)
    if wrong_call is None:
        return None
    budget.extend()
    return _wrong(within(wrong_call.filled.candidate), sides) or wrong_call


def _wrong(tried: Iterable[Candidate], sides: Sides) -> WrongCall | None:
    """Return the first of these candidates on which the student is clearly wrong."""
    impossible: set[tuple[Any, ...]] = set()
    for candidate in tried:
        made = (candidate.call.target, *candidate.made(), tuple(candidate.call.steps))
        if made in impossible:
            continue
        try:
            wrong_call = _wrong_call_of(sides.fill(candidate), sides)
        except (CheckFailed, NotDefined, StudentRaised):
            impossible.add(made)  # it is not made, or has no room for a parameter
        except (OutOfCalls, StudentFault):
            return None
        else:
            if wrong_call is not None:
                return wrong_call
    return None


def _wrong_call_of(filled: Filled, sides: Sides) -> WrongCall | None:
    """Return what was found if the student is clearly wrong on this call."""
    answers = sides.ask(filled)
    difference = clear_difference(answers.yours, answers.right)
    if difference is None:
        return None
    if difference.yours is not None and sides.settle(filled):
        answers = sides.ask(filled)
        difference = clear_difference(answers.yours, answers.right)
    if difference is None or not _is_settled(filled, sides, answers):
        return None
    if difference.has_numbers and sides.is_guessed(filled):
        return None
    return WrongCall(filled, answers, difference)


def _is_settled(filled: Filled, sides: Sides, answers: BothAnswers) -> bool:
    """Tell whether the right answer does not hang on how its inputs are rounded."""
    nearly = tuple(
        one * (1 + 1e-6) if isinstance(one, torch.Tensor) and one.is_floating_point() else one
        for one in filled.arguments
    )
    right = sides.right(replace(filled, arguments=nearly))
    return clear_difference(right, answers.right) is None


def _simplified(wrong_call: WrongCall, sides: Sides) -> WrongCall:
    """Return the same call with simpler numbers, as long as the answer stays clearly wrong."""
    try:
        for simpler in _simpler_weights(wrong_call.filled):
            wrong_call = _better(
                wrong_call, replace(wrong_call.filled, weights=simpler(wrong_call.filled)), sides
            )
        for place in _places(wrong_call.filled):
            wrong_call = _simpler_at(wrong_call, place, sides)
    except (OutOfCalls, StudentFault):
        pass
    return wrong_call


def _better(wrong_call: WrongCall, filled: Filled, sides: Sides) -> WrongCall:
    """Return what is found with these numbers if it shows the same kind of difference."""
    other = _wrong_call_of(filled, sides)
    if other is None or other.difference.has_numbers != wrong_call.difference.has_numbers:
        return wrong_call
    return other if other.difference.part == wrong_call.difference.part else wrong_call


def _simpler_weights(filled: Filled) -> Iterator[Callable[[Filled], dict[str, torch.Tensor]]]:
    # Each value has the shape of its parameter.
    plain = replace(filled.candidate, pattern=0)
    for name, value in filled.weights.items():
        simple = plain.weight(name, value.shape)
        if not torch.equal(simple, value):
            yield lambda now, name=name, simple=simple: {**now.weights, name: simple}  # type: ignore[misc]


Place = tuple[int, int]
"""An argument, and a number in it."""


def _places(filled: Filled) -> Iterator[Place]:
    given = filled.candidate.call.given.values()
    for number, (one, spec) in enumerate(zip(filled.arguments, given, strict=True)):
        if isinstance(spec, Numbers) and not spec.distinct:
            for at in range(math.prod(one.shape)):
                yield number, at


def _simpler_at(wrong_call: WrongCall, place: Place, sides: Sides) -> WrongCall:
    """Put the simplest number at a place that leaves the answer clearly wrong."""
    argument, at = place
    spec = list(wrong_call.filled.candidate.call.given.values())[argument]
    now = float(wrong_call.filled.arguments[argument].flatten()[at])
    for number in (0.0, 1.0):
        if number == now:
            break
        if number == 0.0 and isinstance(spec, Numbers) and spec.positive:
            continue
        better = _better(wrong_call, _with(wrong_call.filled, place, number), sides)
        if better is not wrong_call:
            return better
    return wrong_call


def _with(filled: Filled, place: Place, number: float) -> Filled:
    """Return the call with another number at a place."""
    argument, at = place
    changed = filled.arguments[argument].clone()
    changed.view(-1)[at] = number
    arguments = list(filled.arguments)
    arguments[argument] = changed
    return replace(filled, arguments=tuple(arguments))
