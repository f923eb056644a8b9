"""Decide whether two answers to a small call differ by more than any rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...text.language import _
from .steps import Raised

MARGIN = 0.02
"""The least difference of a number near 0 that counts, and of larger ones the least share."""


@dataclass(frozen=True)
class ClearDifference:
    """The first part of an answer that is clearly wrong."""

    part: int
    yours: torch.Tensor | None
    right: torch.Tensor
    wrong: int
    """The number of the first wrong entry; -1 if the shapes differ or there is no tensor."""
    instead: str = ""
    """What came instead of a tensor, in words."""
    error: str = ""
    """The error that should have been raised; there is no right tensor then."""

    @property
    def has_numbers(self) -> bool:
        return self.wrong >= 0


def clear_difference(yours: Any, right: Any) -> ClearDifference | None:
    """Return the first clear difference of an answer from the right one, None if there is none.

    There is none either where the right answer is not finite, or holds no tensor.
    """
    if isinstance(right, Raised):
        return _not_raised(yours, right)
    parts = parts_of(right)
    if parts is None or not all(bool(part.isfinite().all()) for part in parts):
        return None
    if isinstance(yours, Raised):
        return ClearDifference(0, None, parts[0], -1, yours.words)
    own = parts_of(yours)
    if own is None or len(own) != len(parts):
        return ClearDifference(0, None, parts[0], -1, _kind(yours))
    # Weights before what they mix: the arithmetic of a wrong weight says more.
    shares = [number for number, part in enumerate(parts) if are_shares(part)]
    order = [*reversed(shares), *(n for n in range(len(parts)) if n not in shares)]
    for number in order:
        left, other = own[number], parts[number]
        if left.shape != other.shape:
            return ClearDifference(number, left, other, -1)
        if other.dtype == torch.bool and left.dtype != torch.bool:
            kind = str(left.dtype).removeprefix("torch.")
            return ClearDifference(number, None, other, -1, _("a tensor of {kind}", kind=kind))
        far = _far(left, other).flatten().nonzero()
        if len(far):
            return ClearDifference(number, left, other, int(far[0]))
    return None


def _not_raised(yours: Any, right: Raised) -> ClearDifference | None:
    if isinstance(yours, Raised):
        instead = "" if yours.is_a(right.type_name) else yours.words
    else:
        instead = _("no error")
    return (
        ClearDifference(0, None, torch.empty(0), -1, instead, right.type_name) if instead else None
    )


def parts_of(answer: Any) -> list[torch.Tensor] | None:
    """Return the tensors of an answer, of any shape; None if it is neither one nor several."""
    if isinstance(answer, torch.Tensor):
        return [answer] if _is_plain(answer) else None
    if isinstance(answer, (tuple, list)) and answer and all(map(_is_plain, answer)):
        return list(answer)
    return None


def are_shares(right: torch.Tensor) -> bool:
    """Tell whether every row of a tensor `(…, rows, columns)` adds up to 1, nothing below 0."""
    if right.dim() < 2 or not right.is_floating_point():
        return False
    sums = right.double().sum(-1)
    return bool((right >= 0).all()) and bool(((sums - 1).abs() < 1e-4).all())


def agree(left: Any, right: Any) -> bool:
    """Tell whether two runs of one call gave the same answer, up to rounding."""
    if isinstance(left, Raised) or isinstance(right, Raised):
        both = isinstance(left, Raised) and isinstance(right, Raised)
        return both and left.type_name == right.type_name
    one, other = parts_of(left), parts_of(right)
    if one is None or other is None:
        return _kind(left) == _kind(right)
    return len(one) == len(other) and all(
        a.shape == b.shape and torch.allclose(a.double(), b.double(), 1e-4, 1e-4, equal_nan=True)
        for a, b in zip(one, other, strict=True)
    )


def _far(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    # Both have one shape; so has the result.
    if not left.is_floating_point() and not right.is_floating_point():
        return left.to(torch.int64) != right.to(torch.int64)  # nothing was rounded
    one, other = left.double(), right.double()
    near = (one - other).abs() <= MARGIN * (1 + other.abs())
    return ~near  # NaN is near nothing


def _is_plain(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not value.is_complex() and not value.is_meta


def _kind(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _("a {kind} of {count}", kind=type(value).__name__, count=len(value))
    if value is None:
        return "None"
    return _("a value of type {kind}", kind=type(value).__name__)
