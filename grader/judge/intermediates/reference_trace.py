"""Record everything that the reference computes on its way to an answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from ...worker.recording import MAX_NUMBERS, Recorder

MOST_VALUES = 2000
IsOwn = Callable[[str], bool]
"""Tells by its name whether a code file is one of the reference's."""


@dataclass(frozen=True)
class ReferenceValue:
    """A tensor that the reference computed."""

    file: str
    line: int
    """The line of the reference that led to it; 0 if none is known."""
    name: str
    """The name that it got; empty for what an operator of torch gave."""
    value: torch.Tensor


@dataclass
class ReferenceTrace:
    """The values of one call of the reference: of its names, and of all of torch's operators."""

    is_own: IsOwn
    values: list[ReferenceValue] = field(default_factory=list)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what the reference computes while this context is open."""
        recorder = Recorder(lambda name: (name, None) if self.is_own(name) else None)
        with _Operators(self), recorder.recording():
            yield
        self.values += [
            ReferenceValue(row.file, row.line, row.name, row.value)
            for row in recorder.rows
            if row.name
        ]


class _Operators(TorchFunctionMode):
    """Keeps what every function and operator of torch gives.

    A TorchDispatchMode would see what these are made of, too; it imports a compiler, in a second.
    """

    def __init__(self, trace: ReferenceTrace) -> None:
        super().__init__()
        self._trace = trace

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        with torch._C.DisableTorchFunction():
            for one in (result,) if isinstance(result, torch.Tensor) else tree_leaves(result):
                self._keep(one)
        return result

    def _keep(self, one: Any) -> None:
        values = self._trace.values
        if not isinstance(one, torch.Tensor) or not one.is_floating_point():
            return
        if one.numel() <= MAX_NUMBERS and len(values) < MOST_VALUES:
            file, line = _line(self._trace.is_own)
            values.append(ReferenceValue(file, line, "", one.detach().clone()))


def _line(is_own: IsOwn) -> tuple[str, int]:
    """Return file and line of the innermost frame that is the reference's."""
    frame = sys._getframe(2)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return "", 0
