"""Reduce the values of a check to a few numbers, by which equal answers are known again."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

Sketch = list[Any]
"""[what is compared exactly, numbers that are compared as numbers]"""
LAST = 4
"""The number of values that a fingerprint is made of, the last ones: a failed check ends with the
value that was wrong, and begins with what was right."""
LEAVES = 8
"""The most tensors or numbers of a fingerprint."""


def sketch(value: Any) -> Sketch:
    """Reduce tensors of any shape to a few numbers, alike for alike tensors despite rounding."""
    exact, numbers = [], []
    for leaf in tree_leaves(value):
        if isinstance(leaf, torch.Tensor):
            exact.append(f"{leaf.dtype} {tuple(leaf.shape)} {leaf.requires_grad}")
            numbers += projections(leaf)
        else:
            plain = leaf is None or isinstance(leaf, (bool, int, float, str))
            exact.append(repr(leaf)[:80] if plain else type(leaf).__name__)
    return ["; ".join(exact), numbers]


def fingerprint(compared: Sequence[Any]) -> str:
    """Return a short text for the values (tensors of any shape) that a failed check compared.

    Two wrong programs that compute the same give the same text on the same inputs, whatever their
    names and dtype: numbers are rounded to 4 digits, so that one pair in some hundreds that stands
    at the edge of rounding does not. It tells a little of hidden answers: for staff only.
    """
    leaves = tree_leaves(list(compared[-LAST:]))[-LEAVES:]
    return f"{len(compared)} " + " ".join(map(_piece, leaves))


def _piece(leaf: Any) -> str:
    if isinstance(leaf, torch.Tensor):
        shape = "x".join(map(str, leaf.shape))
        numbers = projections(leaf)
        if not numbers:
            return f"({shape})"
        missing, size, weighted = numbers
        share = weighted / size if size else 0.0
        return f"({shape}:{missing:g}:{size:.4g}:{share + 0.0:.3f})"
    if isinstance(leaf, float):
        return f"{leaf:.4g}"
    return repr(leaf)[:40] if leaf is None or isinstance(leaf, (bool, int, str)) else "?"


def projections(tensor: torch.Tensor) -> list[float]:
    """Return, of any shape, the count of non-finite numbers, the sum of magnitudes, a weighted sum.

    In the weighted sum each number has a sign and weight of its own. Return [] for an empty,
    complex or meta tensor.
    """
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
        numbers = [missing, size, (flat @ _weights(len(flat))).item()]
    return [min(float(number), 1e300) for number in numbers]


@functools.lru_cache(64)
def _weights(length: int) -> torch.Tensor:
    # Returns (length,).
    return torch.cos(torch.arange(length, dtype=torch.float64) * 1.7 + 0.3)
