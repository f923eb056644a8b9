"""Set how exactly values have to agree, by the dtype they are computed in."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_leaves

TOLERANCES = {
    torch.float64: 1e-8,
    torch.float32: 1e-5,
    torch.float16: 3e-2,
    torch.bfloat16: 3e-2,
}
"""Five equivalent correct formulations differ by 1e-15, 7e-7 and 1.3e-2 in the first three."""


def tolerance_of(expected: Any) -> float:
    """Return the tolerance of the coarsest dtype among tensors of any shape; float64's if none."""
    known = [TOLERANCES[t.dtype] for t in tree_leaves(expected) if is_float(t)]
    return max(known, default=TOLERANCES[torch.float64])


def is_float(value: Any) -> bool:
    """Tell whether a value is a floating-point tensor, of any shape."""
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def to_single(value: Any) -> Any:
    """Convert a floating-point tensor of any shape to float32; return any other value as it is."""
    return value.to(torch.float32) if is_float(value) else value


def to_double(value: Any) -> Any:
    """Convert a floating-point tensor of any shape to float64; return any other value as it is."""
    return value.to(torch.float64) if is_float(value) else value
