"""Keep answers by what was posed, so that they are known again on another machine.

The outline of a question (names, shapes, plain values) has to be the same. Its numbers are compared
as sums, and the nearest question is taken: other processors draw and round a little differently.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ..calls.faults import NotRecorded
from ..checks.leaf_print import TOLERANCE, distance
from ..checks.sketch import projections
from .stored_values import NotStorable, Stored, restored, stored

PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class Question:
    """A call, reduced to what is compared exactly and numbers that are compared as numbers."""

    outline: str
    numbers: tuple[float, ...]


@dataclass
class _Asking:
    check: str
    numbers: list[float] = field(default_factory=list)

    def outline(self, value: Any) -> Any:
        """Return what of a value is compared exactly; tensors (of any shape) leave numbers."""
        if isinstance(value, torch.Tensor):
            self.numbers += projections(value)
            return ["tensor", str(value.dtype), list(value.shape)]
        if isinstance(value, PLAIN):
            return [type(value).__name__, repr(value)]
        if isinstance(value, (list, tuple)):
            return [self.outline(item) for item in value]
        if isinstance(value, Mapping):
            return [[self.outline(key), self.outline(item)] for key, item in value.items()]
        if isinstance(value, torch.Generator):
            state = hashlib.blake2b(bytes(value.get_state().tolist()), digest_size=8)
            return ["generator", state.hexdigest()]
        if isinstance(value, (torch.dtype, torch.device)):
            return repr(value)
        # A function or an object: within one check its kind tells which one it is.
        return [self.check, getattr(value, "__qualname__", type(value).__qualname__)]


def question(check: str, *posed: Any) -> Question:
    """Return the question in some values, among them tensors of any shape.

    `check` names the check and draw in which it is posed.
    """
    asking = _Asking(check)
    text = json.dumps(asking.outline(posed))
    digest = hashlib.blake2b(text.encode(), digest_size=9).hexdigest()
    return Question(digest, tuple(float(f"{number:.12g}") for number in asking.numbers))


class RecordedAnswers:
    """Questions with their answers: filled from a run of the reference, or read from a kit."""

    def __init__(self, content: Mapping[str, Sequence[Any]] | None = None) -> None:
        """Take what `content` returned, or begin without any."""
        self._rows: dict[str, list[tuple[tuple[float, ...], Stored]]] = {
            outline: [(tuple(numbers), value) for numbers, value in rows]
            for outline, rows in (content or {}).items()
        }

    def add(self, posed: Question, value: Any) -> None:
        """Keep an answer (tensors of any shape), unless it cannot be written or is known."""
        try:
            own = stored(value)
        except NotStorable:
            return
        rows = self._rows.setdefault(posed.outline, [])
        if all(numbers != posed.numbers for numbers, _value in rows):
            rows.append((posed.numbers, own))

    def has(self, posed: Question) -> bool:
        """Tell whether the very same question was posed before."""
        return any(n == posed.numbers for n, _value in self._rows.get(posed.outline, ()))

    def find(self, posed: Question, name: str) -> Any:
        """Return the answer to the nearest question. Raises NotRecorded."""
        rows = self._rows.get(posed.outline, ())
        near = [(distance(numbers, posed.numbers), at) for at, (numbers, _v) in enumerate(rows)]
        worst, at = min(near, default=(float("inf"), 0))
        if worst > TOLERANCE:
            raise NotRecorded(name)
        return restored(rows[at][1])

    def content(self) -> dict[str, list[Any]]:
        """Return all as JSON, in an order that depends on nothing else."""
        return {key: [[list(n), v] for n, v in rows] for key, rows in sorted(self._rows.items())}
