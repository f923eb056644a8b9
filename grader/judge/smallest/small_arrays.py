"""Write tensors of few numbers as people write them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from ...grade.counterexample import SmallArray


def small_array(name: str, value: torch.Tensor, axes: Sequence[str]) -> SmallArray:
    """Return a tensor of any shape, of few numbers, as it is written."""
    entries = tuple(written(number) for number in value.detach().flatten().tolist())
    return SmallArray(name, tuple(value.shape), entries, tuple(axes))


def written(number: float | bool) -> str:
    """Write a number with at most four digits behind the point.

    >>> written(0.5), written(2.0), written(True), written(1 / 3), written(-0.0)
    ('0.5', '2', 'True', '0.3333', '0')
    """
    if isinstance(number, bool):
        return str(number)
    return f"{round(number, 4) + 0.0:.10g}" if math.isfinite(number) else str(number)
