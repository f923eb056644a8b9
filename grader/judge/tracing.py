"""What `grader validate` wants to know besides observations, and a graded class never pays for.

Two edits of the reference that answer alike in every call are one mistake; a suite that writes to
its own globals makes grades depend on order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ..wire.values import Node
from .faults import StudentFault, StudentRaised
from .handles import Parameters
from .memo import digest
from .student import SubmissionClient

Sketch = list[Any]
"""[what is compared exactly, numbers that are compared as numbers]"""


class TracingClient(SubmissionClient):
    """Notes every answer, by check."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.answers: dict[str, list[Sketch]] = {}
        self._check = ""

    def note_check(self, check: str) -> None:
        self._check = check
        if check:
            self.answers[check] = []

    def absent(self, stem: str, names: Sequence[str]) -> None:
        """Nothing is taken for granted: a check that passes for a stub is to be seen doing so."""

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        try:
            value = super().invoke(target, args, kwargs, parameters)
        except StudentFault as fault:
            # not the line: an edit may stand anywhere
            told = fault.type_name if isinstance(fault, StudentRaised) else fault.observed
            self._keep([told, []])
            raise
        self._keep(sketch(value))
        return value

    def _keep(self, answer: Sketch) -> None:
        if self._check:
            self.answers[self._check].append(answer)


def sketch(value: Any) -> Sketch:
    """A value in a few numbers: alike for alike tensors, whatever the rounding."""
    exact, numbers = [], []
    for leaf in tree_leaves(value):
        if isinstance(leaf, torch.Tensor):
            exact.append(f"{leaf.dtype} {tuple(leaf.shape)} {leaf.requires_grad}")
            numbers += _projections(leaf)
        else:
            plain = leaf is None or isinstance(leaf, (bool, int, float, str))
            exact.append(repr(leaf)[:80] if plain else type(leaf).__name__)
    return ["; ".join(exact), numbers]


def _projections(tensor: torch.Tensor) -> list[float]:
    """How many are not finite, the sum of magnitudes, and a sum in which each has its own sign
    and weight."""
    if tensor.is_meta or tensor.is_complex() or not tensor.numel():
        return []
    with torch.no_grad():
        flat = tensor.detach().to("cpu", torch.float64).flatten()
        size = flat.abs().sum().item()
        missing = 0
        if not math.isfinite(size):
            finite = flat.isfinite()
            flat = torch.where(finite, flat, torch.zeros_like(flat))
            missing, size = len(flat) - int(finite.sum()), flat.abs().sum().item()
        found = [missing, size, (flat @ _weights(len(flat))).item()]
    return [min(float(number), 1e300) for number in found]


@functools.lru_cache(64)
def _weights(length: int) -> torch.Tensor:
    return torch.cos(torch.arange(length, dtype=torch.float64) * 1.7 + 0.3)


class SuiteGlobals:
    """The values at the top of suites, to see whether running their checks changed them."""

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self._modules = modules
        self._before = self._snapshot()

    def written(self) -> list[list[str]]:
        """File and name of every global that is not as it was after the import."""
        now = self._snapshot()
        return [list(key) for key in sorted({*now, *self._before}) if self._changed(key, now)]

    def _changed(self, key: tuple[str, str], now: Mapping[tuple[str, str], object]) -> bool:
        return bool(now.get(key) != self._before.get(key))

    def _snapshot(self) -> dict[tuple[str, str], object]:
        return {
            (file, name): digest(value) or repr(value)
            for file, module in self._modules.items()
            for name, value in vars(module).items()
            if not name.startswith("__")
            if not isinstance(value, (ModuleType, FunctionType, type))
        }
