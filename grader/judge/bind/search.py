"""Which way of storing is the student's, decided by numbers: the first that computes the same.

Each group is settled for itself. While that happens the groups not settled yet hold numbers that
are alike wherever ways of storing would exchange them, so that it does not matter how they are
stored; the ways then add up and do not multiply. At the end both modules must agree on drawn
numbers alone.

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

from ...language import _
from ...wire.tensors import raw_bytes
from ..faults import StudentRaised, TimedOut
from ..handles import RemoteModule
from .plan import Choice, Kind, Plan, RightAnswer, Trial
from .roles import Roles

SCALE = 0.35
TOLERANCE = 1e-5
"""Coarse enough for float32. Whatever is found is judged by the check's own tolerance after."""
COARSE = 1e-3
"""For numbers so much alike that norms of them may be little but rounding."""
MAX_TRIALS = 160
MAX_SURVIVORS = 8
LIMIT_S = 20.0
"""For one search. An honest one takes less than one."""

Store = Callable[[Mapping[str, torch.Tensor], torch.Tensor], dict[str, torch.Tensor]]


@dataclass(frozen=True)
class Probing:
    """What is compared, and on what."""

    handle: RemoteModule
    reference: nn.Module
    roles: Roles
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    seed: str


class _Bench:
    """Both modules, and the inputs on which they are compared."""

    def __init__(self, plan: Plan, probing: Probing, store: Store) -> None:
        digest = hashlib.blake2b(probing.seed.encode(), digest_size=8).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)

        def drawn(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                return value
            like = torch.randn(value.shape, generator=generator, dtype=torch.float64)
            return like.to(value.dtype)

        self._plan, self._store, self._handle = plan, store, probing.handle
        self.numbers = torch.randn(plan.row.length, generator=generator, dtype=torch.float64)
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
        """What the reference and its alternatives compute."""
        found = []
        args, kwargs = tree_map(_double, (self.args, self.kwargs))
        for number, module in self._references:
            for name, parameter in module.named_parameters():
                parameter.copy_(numbers[self._plan.row.places[name]])
            found.append((number, module(*args, **kwargs)))
        return found

    def observed(self, choice: Choice, numbers: torch.Tensor) -> Any:
        """What the student's module computes when its parameters are stored so."""
        self.trials += 1
        if time.monotonic() > self._until:
            told = _(
                "{count} calls took more than {seconds} s",
                count=self.trials,
                seconds=round(LIMIT_S),
            )
            raise TimedOut(told, _("quick answers"))
        values = self._store(self._plan.places(choice), numbers)
        known = self._written
        changed = {n: v for n, v in values.items() if n not in known or not v.equal(known[n])}
        self._handle.write(changed)
        self._written = values
        try:
            return self._handle(*self.args, **self.kwargs)
        except StudentRaised:
            return None

    def can_agree(self, choice: Choice, orbits: Iterable[torch.Tensor]) -> bool:
        """Whether both modules agree where it does not matter how anything is stored. If they do
        not, they never will."""
        numbers = self.numbers
        for orbit in orbits:
            numbers = numbers[orbit]
        observed = self.observed(choice, numbers)
        return any(gap(observed, wanted) <= COARSE for _number, wanted in self.expected(numbers))


def _right_answers(plan: Plan, probing: Probing) -> list[RightAnswer]:
    return plan.right_answers(lambda: list(_made(probing)))


def _made(probing: Probing) -> Iterator[RightAnswer]:
    """The reference and the course's alternatives to it that apply, in double precision."""
    yield None, copy.deepcopy(probing.reference).double()
    for number, alternative in enumerate(probing.roles.alternatives):
        if alternative.applies(probing.reference):
            other = copy.deepcopy(probing.reference).double()
            alternative.change(other)
            yield number, other


def search(plan: Plan, probing: Probing, store: Store) -> Choice | None:
    """The first choice under which both modules agree, or None."""
    with torch.no_grad():
        if plan.is_one_way and len(_right_answers(plan, probing)) == 1:
            return None
        if not plan.is_one_way and not _any_can_agree(plan, probing, store):
            return None
        bench = _Bench(plan, probing, store)
        for number, storage in enumerate(plan.storages):
            # The first of each group is nearly always the one. Two that look alike while others
            # hold fewer numbers are told apart only by going on with both.
            for most in (1, MAX_SURVIVORS):
                found, stages = _settled(plan, number, storage.forms, bench, most)
                if found is not None:
                    return found
                if stages == 1:
                    break
    return None


def _any_can_agree(plan: Plan, probing: Probing, store: Store) -> bool:
    """Whether any way of storing can. Most wrong answers agree with none: one trial tells."""
    first, orbits = plan.first(), plan.common_orbits
    if first is None or orbits is None:
        return True

    def make() -> Trial:
        bench = _Bench(plan, probing, store)
        numbers = bench.numbers[orbits]
        wanted = [value for _number, value in bench.expected(numbers)]
        return Trial(bench.args, bench.kwargs, store(plan.places(first), numbers), wanted)

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
    plan: Plan, storage: int, forms: Mapping[Kind, tuple[int, ...]], bench: _Bench, most: int
) -> tuple[Choice | None, int]:
    """The choice that is left at the end, if one is, and after how many stages that was. At most
    `most` are gone on with."""
    names = list(dict.fromkeys(kind[0] for kind in plan.kinds))
    kinds = sorted(forms, key=lambda kind: names.index(kind[0]))
    pending = [kind for kind in kinds if len(forms[kind]) > 1]
    orbits = {kind: plan.orbits(kind, forms[kind]) for kind in pending}
    survivors = [Choice(storage, {kind: numbers[0] for kind, numbers in forms.items()})]
    agreed: dict[int, int | None] = {}
    several = len(plan.storages) > 1
    if pending and several and not bench.can_agree(survivors[0], orbits.values()):
        return None, 1
    for stage in itertools.count(1):
        trying, pending = pending[:1], pending[1:]
        numbers = bench.numbers
        for kind in pending:
            numbers = numbers[orbits[kind]]
        expected = bench.expected(numbers)
        candidates = [
            replace(choice, forms={**choice.forms, **dict(zip(trying, chosen, strict=True))})
            for choice in survivors
            for chosen in itertools.product(*(forms[kind] for kind in trying))
        ]
        survivors, agreed = [], {}
        for choice in candidates:
            if bench.trials >= MAX_TRIALS or len(survivors) >= most:
                break
            observed = bench.observed(choice, numbers)
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
    """The largest difference, against the largest expected number or 1."""
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
