"""Compare a student's module with the reference on drawn inputs and numbers, for one search."""

from __future__ import annotations

import copy
import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ...text.language import _
from ..calls.faults import NotRecorded, StudentRaised, TimedOut
from ..calls.handles import RemoteModule
from .plan import Plan
from .roles import Roles
from .storages import RightAnswer, StorageChoice

SCALE = 0.35
TOLERANCE = 1e-5
"""Coarse enough for float32. Whatever is found is judged by the check's own tolerance after."""
COARSE = 1e-3
"""For numbers so much alike that their norms may be little more than rounding."""
MAX_TRIALS = 160
MAX_BLIND_TRIALS = 1000
"""In a kit, where only the last stage of a search is known and ways cannot be told apart sooner."""
LIMIT_S = 20.0
"""For one search. An honest one takes less than one second."""

RightNumbers = tuple[int | None, Any]
"""The index of an alternative, or None, and its answer."""
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


class Comparison:
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
        self._references = right_answers(plan, probing)
        buffers = dict(probing.reference.named_buffers())
        for _number, module in self._references:
            module.train(probing.reference.training)
            for name, buffer in module.named_buffers():
                if name in buffers:
                    buffer.copy_(buffers[name])
        self.trials, self._until = 0, time.monotonic() + LIMIT_S
        self.is_blind = False
        """True in a kit, once an answer was missing."""
        self._written: dict[str, torch.Tensor] = {}

    def expected(self, numbers: torch.Tensor) -> list[RightNumbers]:
        """Compute the answers of the reference and its alternatives with these numbers (N,)."""
        answers = []
        args, kwargs = tree_map(in_double, (self.args, self.kwargs))
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
            if self.is_blind:
                raise NotRecorded
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
        try:
            numbers, expected = self.stage(orbits)
        except NotRecorded:
            return True
        observed = self.observed(choice, numbers)
        return any(gap(observed, wanted) <= COARSE for _number, wanted in expected)

    def stage(self, orbits: Iterable[torch.Tensor]) -> tuple[torch.Tensor, list[RightNumbers]]:
        """Return numbers (N,), alike within each of these orbits (N,), and the right answers.

        Raises NotRecorded in a kit.
        """
        numbers = self.numbers
        for orbit in orbits:
            numbers = numbers[orbit]
        return numbers, self.known(numbers)

    def known(self, numbers: torch.Tensor) -> list[RightNumbers]:
        """Return the right answers with these numbers (N,). Raises NotRecorded in a kit."""
        try:
            return self.expected(numbers)
        except NotRecorded:
            self.is_blind = True
            raise

    @property
    def is_over(self) -> bool:
        """True if nothing more is to be tried. Raises NotRecorded if ways are left in a kit."""
        if self.is_blind and self.trials >= MAX_BLIND_TRIALS:
            raise NotRecorded
        return not self.is_blind and self.trials >= MAX_TRIALS


def right_answers(plan: Plan, probing: Probing) -> list[RightAnswer]:
    return plan.right_answers(lambda: list(_made(probing)))


def _made(probing: Probing) -> Iterator[RightAnswer]:
    """Yield the reference and the course's alternatives that apply, in double precision."""
    yield None, copy.deepcopy(probing.reference).double()
    for number, alternative in enumerate(probing.roles.alternatives):
        if alternative.applies(probing.reference):
            other = copy.deepcopy(probing.reference).double()
            alternative.change(other)
            yield number, other


def in_double(value: Any) -> Any:
    """Return a tensor of floating-point numbers, of any shape, in double precision."""
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
