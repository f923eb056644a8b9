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

import copy
import hashlib
import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ...text.language import _
from ...wire.tensors import raw_bytes
from ..calls.faults import StudentRaised, TimedOut
from ..calls.handles import RemoteModule
from .plan import Kind, Plan, RightAnswer, StorageChoice, Trial
from .roles import Roles

SCALE = 0.35
TOLERANCE = 1e-5
"""Coarse enough for float32. Whatever is found is judged by the check's own tolerance after."""
COARSE = 1e-3
"""For numbers so much alike that their norms may be little more than rounding."""
MAX_TRIALS = 160
MAX_SURVIVORS = 8
LIMIT_S = 20.0
"""For one search. An honest one takes less than one second."""

Store = Callable[[Mapping[str, torch.Tensor], torch.Tensor], dict[str, torch.Tensor]]


@dataclass(frozen=True)
class Probing:
    """The two modules to compare, and the arguments to compare them on."""

    handle: RemoteModule
    reference: nn.Module
    roles: Roles
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    seed: str


class _Comparison:
    """Both modules, and the drawn inputs and numbers on which they are compared."""

    def __init__(self, plan: Plan, probing: Probing, store: Store) -> None:
        digest = hashlib.blake2b(probing.seed.encode(), digest_size=8).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)

        def drawn(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                return value
            like = torch.randn(value.shape, generator=generator, dtype=torch.float64)
            return like.to(value.dtype)

        self._plan, self._store, self._handle = plan, store, probing.handle
        self.numbers = torch.randn(plan.vector.length, generator=generator, dtype=torch.float64)
        self.numbers *= SCALE
        self.args, self.kwargs = tree_map(drawn, (tuple(probing.args), dict(probing.kwargs)))
        self._references = _right_answers(plan, probing)
        buffers = dict(probing.reference.named_buffers())
        for _number, module in self._references:
            module.train(probing.reference.training)
            for name, buffer in module.named_buffers():
                if name in buffers:
                    buffer.copy_(buffers[name])
        self.trials, self._until = 0, time.monotonic() + LIMIT_S
        self._written: dict[str, torch.Tensor] = {}

    def expected(self, numbers: torch.Tensor) -> list[tuple[int | None, torch.Tensor]]:
        """Compute the answers of the reference and its alternatives with these numbers (N,)."""
        answers = []
        args, kwargs = tree_map(_double, (self.args, self.kwargs))
        for number, module in self._references:
            for name, parameter in module.named_parameters():
                parameter.copy_(numbers[self._plan.vector.places[name]])
            answers.append((number, module(*args, **kwargs)))
        return answers

    def observed(self, choice: StorageChoice, numbers: torch.Tensor) -> Any:
        """Compute the answer of the student's module with these numbers (N,) stored by `choice`.

        None if the student's code raised. Raises TimedOut after `LIMIT_S`.
        """
        self.trials += 1
        if time.monotonic() > self._until:
            message = _(
                "{count} calls took more than {seconds} s",
                count=self.trials,
                seconds=round(LIMIT_S),
            )
            raise TimedOut(message, _("quick answers"))
        values = self._store(self._plan.places(choice), numbers)
        known = self._written
        changed = {n: v for n, v in values.items() if n not in known or not v.equal(known[n])}
        self._handle.write(changed)
        self._written = values
        try:
            return self._handle(*self.args, **self.kwargs)
        except StudentRaised:
            return None

    def can_agree(self, choice: StorageChoice, orbits: Iterable[torch.Tensor]) -> bool:
        """Decide whether both modules agree where it does not matter how anything is stored.

        Each orbit is (N,), as `Plan.orbits` gives it.
        If they do not, no way of storing makes them agree.
        """
        numbers = self.numbers
        for orbit in orbits:
            numbers = numbers[orbit]
        observed = self.observed(choice, numbers)
        return any(gap(observed, wanted) <= COARSE for _number, wanted in self.expected(numbers))


def _right_answers(plan: Plan, probing: Probing) -> list[RightAnswer]:
    return plan.right_answers(lambda: list(_made(probing)))


def _made(probing: Probing) -> Iterator[RightAnswer]:
    """Yield the reference and the course's alternatives that apply, in double precision."""
    yield None, copy.deepcopy(probing.reference).double()
    for number, alternative in enumerate(probing.roles.alternatives):
        if alternative.applies(probing.reference):
            other = copy.deepcopy(probing.reference).double()
            alternative.change(other)
            yield number, other


def search(plan: Plan, probing: Probing, store: Store) -> StorageChoice | None:
    """Return the first choice under which both modules agree, or None."""
    with torch.no_grad():
        if plan.is_one_way and len(_right_answers(plan, probing)) == 1:
            return None
        if not plan.is_one_way and not _any_can_agree(plan, probing, store):
            return None
        comparison = _Comparison(plan, probing, store)
        for number, storage in enumerate(plan.storages):
            # The first of each group is nearly always the one. Two that look alike while others
            # hold fewer numbers are told apart only by going on with both.
            for most in (1, MAX_SURVIVORS):
                choice, stages = _settled(plan, number, storage.forms, comparison, most)
                if choice is not None:
                    return choice
                if stages == 1:
                    break
    return None


def _any_can_agree(plan: Plan, probing: Probing, store: Store) -> bool:
    """Decide with one trial whether any way of storing can make both modules agree.

    Most wrong answers agree under none.
    """
    first, orbits = plan.first(), plan.common_orbits
    if first is None or orbits is None:
        return True

    def make() -> Trial:
        comparison = _Comparison(plan, probing, store)
        numbers = comparison.numbers[orbits]
        wanted = [value for _number, value in comparison.expected(numbers)]
        return Trial(comparison.args, comparison.kwargs, store(plan.places(first), numbers), wanted)

    reference = probing.reference
    buffers = tuple(map(raw_bytes, reference.buffers()))
    trial = plan.trial((probing.seed, reference.training, buffers), make)
    probing.handle.write(trial.stored)
    try:
        observed = probing.handle(*trial.args, **trial.kwargs)
    except StudentRaised:
        return False
    return any(gap(observed, wanted) <= COARSE for wanted in trial.wanted)


def _settled(
    plan: Plan,
    storage: int,
    forms: Mapping[Kind, tuple[int, ...]],
    comparison: _Comparison,
    most: int,
) -> tuple[StorageChoice | None, int]:
    """Settle the groups of one storage, one kind after the other, going on with at most `most`.

    Return the choice that is left at the end, or None, and the number of stages that it took.
    """
    names = list(dict.fromkeys(kind[0] for kind in plan.kinds))
    kinds = sorted(forms, key=lambda kind: names.index(kind[0]))
    pending = [kind for kind in kinds if len(forms[kind]) > 1]
    orbits = {kind: plan.orbits(kind, forms[kind]) for kind in pending}
    survivors = [StorageChoice(storage, {kind: numbers[0] for kind, numbers in forms.items()})]
    agreed: dict[int, int | None] = {}
    several = len(plan.storages) > 1
    if pending and several and not comparison.can_agree(survivors[0], orbits.values()):
        return None, 1
    for stage in itertools.count(1):
        trying, pending = pending[:1], pending[1:]
        numbers = comparison.numbers
        for kind in pending:
            numbers = numbers[orbits[kind]]
        expected = comparison.expected(numbers)
        candidates = [
            replace(choice, forms={**choice.forms, **dict(zip(trying, chosen, strict=True))})
            for choice in survivors
            for chosen in itertools.product(*(forms[kind] for kind in trying))
        ]
        survivors, agreed = [], {}
        for choice in candidates:
            if comparison.trials >= MAX_TRIALS or len(survivors) >= most:
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


def _double(value: Any) -> Any:
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_float else value


def gap(observed: Any, expected: Any) -> float:
    """Return the largest difference, divided by the largest expected number or 1.

    Infinite if type, shape or length differ, or if a difference is not finite.
    """
    if isinstance(expected, (tuple, list)):
        if not isinstance(observed, (tuple, list)) or len(observed) != len(expected):
            return math.inf
        return max(map(gap, observed, expected), default=0.0)
    if not isinstance(expected, torch.Tensor):
        return 0.0 if type(observed) is type(expected) and observed == expected else math.inf
    if not isinstance(observed, torch.Tensor) or observed.shape != expected.shape:
        return math.inf
    if observed.is_meta or not observed.is_floating_point():
        return math.inf
    if not expected.numel():
        return 0.0
    worst = float((observed.double() - expected.double()).abs().max())
    return worst / max(1.0, float(expected.abs().max())) if math.isfinite(worst) else math.inf
