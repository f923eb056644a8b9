"""Find which outputs depend on which inputs, by changing one input at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...grade.evidence import Picture
from ..calls.faults import StudentRaised

Function = Callable[..., Any]
Map = list[list[bool]]
"""A row for each output position, a column for each input position: True for a dependence."""

MAX_POSITIONS = 12
MOVED = 1e-6
"""The least change of an output that counts, when an input changes by about a third."""
SMALL = 0.3
"""The size to which inputs are scaled down: with large scores a softmax would hide dependences."""


@dataclass(frozen=True)
class Leaks:
    """The map of a student's function beside the right one, where the two differ."""

    student: Map
    right: Map

    @property
    def first(self) -> tuple[int, int] | None:
        """Return the first output that depends on an input it must not, and that input."""
        return self._first(lambda seen, may: seen and not may)

    @property
    def first_missing(self) -> tuple[int, int] | None:
        """Return the first output that does not depend on an input it should, and that input."""
        return self._first(lambda seen, may: may and not seen)

    def _first(self, wrong: Callable[[bool, bool], bool]) -> tuple[int, int] | None:
        for output, (row, right) in enumerate(zip(self.student, self.right, strict=True)):
            for given, (seen, may) in enumerate(zip(row, right, strict=True)):
                if wrong(seen, may):
                    return output, given
        return None

    def picture(self, title: str) -> Picture:
        """Return the map as a picture, with 0, 1, 2 and 3 as `Picture.kind` says."""
        rows = tuple(
            tuple(float(_mark(seen, may)) for seen, may in zip(row, right, strict=True))
            for row, right in zip(self.student, self.right, strict=True)
        )
        return Picture("leaks", title, rows)


def _mark(seen: bool, may: bool) -> int:
    if seen:
        return 1 if may else 2
    return 3 if may else 0


def leaks(student: Function, right: Function, x: torch.Tensor) -> Leaks | None:
    """Return both maps if they differ, for functions of tokens (B, T, …) with outputs (B, T, …).

    Return None if they are the same or cannot be found.
    """
    if not _is_sequence(x) or x.shape[1] > MAX_POSITIONS:
        return None
    x = x * (SMALL / max(SMALL, float(x.std())))
    seen = dependence(student, x)
    if seen is None:
        return None
    may = dependence(right, x)
    return Leaks(seen, may) if may is not None and seen != may else None


def mixes_samples(student: Function, x: torch.Tensor) -> bool:
    """Tell whether the first sample's output changes when the last sample of `x` (B, T, …) does."""
    if not _is_sequence(x) or x.shape[0] < 2:
        return False
    before = _output(student, x)
    changed = x.clone()
    changed[-1] += _nudge(changed[-1])
    after = _output(student, changed)
    return before is not None and after is not None and _moves(before[:1], after[:1])


def dependence(function: Function, x: torch.Tensor) -> Map | None:
    """Return the map for the first sample of `x` (B, T, …).

    Return None if what comes out is no sequence of finite numbers.
    """
    outputs = _outputs(function, x, _changed(x[:1]))
    if outputs is None:
        return None
    before, *others = outputs
    columns = [[_moves(b, a) for b, a in zip(before, after, strict=True)] for after in others]
    return [list(row) for row in zip(*columns, strict=True)]


def _changed(sample: torch.Tensor) -> torch.Tensor:
    """Return a sample (1, T, …) followed by T copies, each with another position changed."""
    positions = sample.shape[1]
    changed = sample.repeat(positions + 1, *[1] * (sample.dim() - 1))
    for position in range(positions):
        changed[position + 1, position] += _nudge(sample[0, position])
    return changed


def _outputs(function: Function, x: torch.Tensor, samples: torch.Tensor) -> torch.Tensor | None:
    """Return the output for each of `samples` when it takes the place of the first of `x`.

    They go through in one call, if samples do not influence each other; otherwise one by one.
    """
    # x: (B, T, ...); samples: (N, T, ...); returns (N, T, ...).

    def among_the_others(sample: torch.Tensor) -> torch.Tensor | None:
        # sample: (T, ...); returns (T, ...).
        result = _output(function, torch.cat([sample[None], x[1:]]))
        return None if result is None else result[0]

    first, last = among_the_others(samples[0]), among_the_others(samples[-1])
    if first is None or last is None:
        return None
    result = _in_one_call(function, samples)
    if result is not None and not _moves(result[0], first) and not _moves(result[-1], last):
        return result
    between = [among_the_others(sample) for sample in samples[1:-1]]
    outputs = [one for one in (first, *between, last) if one is not None]
    return torch.stack(outputs) if len(outputs) == len(samples) else None


def _in_one_call(function: Function, samples: torch.Tensor) -> torch.Tensor | None:
    # samples: (N, T, ...); returns (N, T, ...).
    try:
        return _output(function, samples)
    except StudentRaised:  # of so large a batch
        return None


def sequence_of(args: Sequence[Any], kwargs: dict[str, Any]) -> torch.Tensor | None:
    """Return the tokens (B, T, …) of a call whose only argument they are; None for others."""
    if len(args) == 1 and not kwargs and isinstance(args[0], torch.Tensor):
        return args[0]
    return None


def _is_sequence(x: torch.Tensor) -> bool:
    # x: any shape.
    return x.dim() >= 3 and x.is_floating_point() and not x.is_meta


def _nudge(values: torch.Tensor) -> torch.Tensor:
    """Return a change of the same shape; its numbers differ, or a LayerNorm would take it away."""
    steps = torch.arange(values.numel(), dtype=values.dtype).reshape(values.shape)
    return SMALL * (1 + torch.sin(1 + 2 * steps))


def _output(function: Function, x: torch.Tensor) -> torch.Tensor | None:
    # x: (B, T, ...); returns (B, T, ...).
    with torch.no_grad():
        value = function(x)
    if not isinstance(value, torch.Tensor) or value.shape[:2] != x.shape[:2] or value.is_meta:
        return None
    return value if bool(value.isfinite().all()) else None


def _moves(before: torch.Tensor, after: torch.Tensor) -> bool:
    # Both have one shape.
    return bool((after - before).abs().max() > MOVED)
