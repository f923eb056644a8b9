"""Which outputs depend on which inputs, found by changing one input at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..evidence import Picture
from .faults import StudentRaised

Function = Callable[..., Any]
Map = list[list[bool]]
"""A row for each output position, a column for each input position."""

MAX_POSITIONS = 12
MOVED = 1e-6
"""What an output has to move by, at least, when an input moves by about a third."""
SMALL = 0.3
"""How large inputs are made: where scores are large, a softmax hides what depends on what."""


@dataclass(frozen=True)
class Leaks:
    """Where a student's function depends on what it must not, and the other way round."""

    student: Map
    right: Map

    @property
    def first(self) -> tuple[int, int] | None:
        """The first output that depends on an input it must not, and that input."""
        return self._first(lambda seen, may: seen and not may)

    @property
    def first_missing(self) -> tuple[int, int] | None:
        """The first output that does not depend on an input it should, and that input."""
        return self._first(lambda seen, may: may and not seen)

    def _first(self, wrong: Callable[[bool, bool], bool]) -> tuple[int, int] | None:
        for output, (row, right) in enumerate(zip(self.student, self.right, strict=True)):
            for given, (seen, may) in enumerate(zip(row, right, strict=True)):
                if wrong(seen, may):
                    return output, given
        return None

    def picture(self, title: str) -> Picture:
        """With 0, 1, 2 and 3 as `Picture.kind` says."""
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
    """Both maps for a function of tokens (B, T, …) with outputs (B, T, …), where they differ."""
    if not _is_sequence(x) or x.shape[1] > MAX_POSITIONS:
        return None
    x = x * (SMALL / max(SMALL, float(x.std())))
    seen = dependence(student, x)
    if seen is None:
        return None
    may = dependence(right, x)
    return Leaks(seen, may) if may is not None and seen != may else None


def mixes_samples(student: Function, x: torch.Tensor) -> bool:
    """Whether a sample's output depends on another sample."""
    if not _is_sequence(x) or x.shape[0] < 2:
        return False
    before = _output(student, x)
    changed = x.clone()
    changed[-1] += _nudge(changed[-1])
    after = _output(student, changed)
    return before is not None and after is not None and _moves(before[:1], after[:1])


def dependence(function: Function, x: torch.Tensor) -> Map | None:
    """For the first sample; None if what comes out is no sequence of finite numbers."""
    found = _outputs(function, x, _changed(x[:1]))
    if found is None:
        return None
    before, *others = found
    columns = [[_moves(b, a) for b, a in zip(before, after, strict=True)] for after in others]
    return [list(row) for row in zip(*columns, strict=True)]


def _changed(sample: torch.Tensor) -> torch.Tensor:
    """A sample, and the same with each of its positions changed."""
    positions = sample.shape[1]
    changed = sample.repeat(positions + 1, *[1] * (sample.dim() - 1))
    for position in range(positions):
        changed[position + 1, position] += _nudge(sample[0, position])
    return changed


def _outputs(function: Function, x: torch.Tensor, samples: torch.Tensor) -> torch.Tensor | None:
    """What comes out of each sample in the place of the first of `x`: of all of them in one call,
    where samples do not meet."""

    def among_the_others(sample: torch.Tensor) -> torch.Tensor | None:
        found = _output(function, torch.cat([sample[None], x[1:]]))
        return None if found is None else found[0]

    first, last = among_the_others(samples[0]), among_the_others(samples[-1])
    if first is None or last is None:
        return None
    found = _in_one_call(function, samples)
    if found is not None and not _moves(found[0], first) and not _moves(found[-1], last):
        return found
    between = [among_the_others(sample) for sample in samples[1:-1]]
    told = [one for one in (first, *between, last) if one is not None]
    return torch.stack(told) if len(told) == len(samples) else None


def _in_one_call(function: Function, samples: torch.Tensor) -> torch.Tensor | None:
    try:
        return _output(function, samples)
    except StudentRaised:  # of so large a batch
        return None


def sequence_of(args: Sequence[Any], kwargs: dict[str, Any]) -> torch.Tensor | None:
    """The tokens of a call that gets nothing but tokens."""
    if len(args) == 1 and not kwargs and isinstance(args[0], torch.Tensor):
        return args[0]
    return None


def _is_sequence(x: torch.Tensor) -> bool:
    return x.dim() >= 3 and x.is_floating_point() and not x.is_meta


def _nudge(values: torch.Tensor) -> torch.Tensor:
    """No multiple of one number, which a LayerNorm would take away again."""
    steps = torch.arange(values.numel(), dtype=values.dtype).reshape(values.shape)
    return SMALL * (1 + torch.sin(1 + 2 * steps))


def _output(function: Function, x: torch.Tensor) -> torch.Tensor | None:
    with torch.no_grad():
        value = function(x)
    if not isinstance(value, torch.Tensor) or value.shape[:2] != x.shape[:2] or value.is_meta:
        return None
    return value if bool(value.isfinite().all()) else None


def _moves(before: torch.Tensor, after: torch.Tensor) -> bool:
    return bool((after - before).abs().max() > MOVED)
