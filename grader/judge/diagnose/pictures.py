"""Draw pictures of failing public checks, as few plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
from torch.utils._pytree import tree_leaves

from ...grade.evidence import Grid, Picture, Weights
from ...text.language import _
from ..checks.check_trace import CheckTrace

MAX_LENGTH = 16
CLOSE = 1e-6


def picture_of(trace: CheckTrace) -> Picture | None:
    """Return the most telling picture of the values that a check compared."""
    if trace.leaks is not None:
        return trace.leaks.picture(_("which output (row) depends on which input (column)"))
    for observed, expected in _matrices(trace):
        if expected.dtype == torch.bool:
            if not torch.equal(observed, expected):
                return _marks(observed, expected, _("what is True (row by column)"))
        elif _are_shares(expected) and bool(observed.isfinite().all()):
            if not torch.equal(observed.abs() > CLOSE, expected > CLOSE):
                title = _("which number of a row is not zero")
                return _marks(observed.abs() > CLOSE, expected > CLOSE, title)
            sums = observed.double().sum(-1)
            if bool((sums - expected.double().sum(-1)).abs().max() > CLOSE):
                title = _("sum of each row, which should be 1")
                return Picture("row_sums", title, (tuple(round(s, 4) for s in sums.tolist()),))
    return None


def weights_of(trace: CheckTrace, words: Mapping[int, str]) -> Weights | None:
    """Return the first wrong matrix of weights, beside the right one.

    Weights should sum to 1 in every row, or be all zero. Both are cut to what can be drawn; `words`
    names axes by their lengths.
    """
    for observed, expected in _pairs(trace):
        if not (observed.is_floating_point() and expected.dim() > 1 and observed.dim() > 1):
            continue
        if not _are_shares(expected):
            continue
        left, right = _first_that_differ(observed.double(), expected.double())
        if left.shape == right.shape and not bool(_differ(left, right).any()):
            continue
        rows, columns = (words.get(length, "") for length in right.shape)
        cut = max(*left.shape, *right.shape) > MAX_LENGTH
        return Weights(_grid(left), _grid(right), (rows, columns), cut)
    return None


def _grid(matrix: torch.Tensor) -> Grid:
    # matrix: (R, C).
    few = matrix[:MAX_LENGTH, :MAX_LENGTH].tolist()
    return tuple(tuple(round(n, 4) if math.isfinite(n) else None for n in row) for row in few)


def _matrices(trace: CheckTrace) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield pairs of matrices that were compared, as small as can be drawn.

    They are of the first sample and the first head that differ.
    """
    # Both of a pair: (R, C).
    for observed, expected in _pairs(trace):
        alike = observed.shape == expected.shape and observed.dtype == expected.dtype
        if not alike or observed.dim() < 2 or max(observed.shape[-2:]) > MAX_LENGTH:
            continue
        yield _first_that_differ(observed, expected)


def _pairs(trace: CheckTrace) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield pairs of tensors that were compared and hold numbers."""
    # Both of a pair may have any shape.
    if trace.failure is None:
        return
    left, right = tree_leaves(trace.failure.observed), tree_leaves(trace.failure.expected)
    if len(left) != len(right):
        return
    for observed, expected in zip(left, right, strict=True):
        if not isinstance(observed, torch.Tensor) or not isinstance(expected, torch.Tensor):
            continue
        if observed.is_meta or expected.is_meta or not observed.numel() or not expected.numel():
            continue
        yield observed, expected


def _first_that_differ(
    observed: torch.Tensor, expected: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a matrix of each, from the first place along the leading axes where they differ.

    Each tensor has the shape `(..., rows, columns)`, each matrix `(rows, columns)`.
    """
    left = observed.flatten(0, -3) if observed.dim() > 2 else observed[None]
    right = expected.flatten(0, -3) if expected.dim() > 2 else expected[None]
    if left.shape != right.shape:
        return left[0], right[0]
    wrong = _differ(left, right).flatten(1).any(-1).nonzero()
    number = int(wrong[0]) if len(wrong) else 0
    return left[number], right[number]


def _differ(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Mark the places where two tensors of one shape differ by more than rounding."""
    if not left.is_floating_point():
        return left != right
    return ~((left - right).abs() <= CLOSE)  # NaN is close to nothing


def _are_shares(expected: torch.Tensor) -> bool:
    """Decide whether every row is a distribution, or nothing but zeros.

    One row at least must be a distribution. A row runs along the last axis.
    """
    # expected: (..., C).
    if not expected.is_floating_point() or expected.shape[-1] < 2:
        return False
    sums = expected.double().sum(-1)
    whole = ((sums - 1).abs() < CLOSE) | (sums == 0)
    return bool((expected >= 0).all() & whole.all() & (sums > 0).any())


def _marks(observed: torch.Tensor, expected: torch.Tensor, title: str) -> Picture:
    """Draw marks: 0 neither, 1 both, 2 only what was returned, 3 only what was expected."""
    # Both: (R, C).
    seen, may = observed.bool(), expected.bool()
    marks = (seen & may) * 1 + (seen & ~may) * 2 + (~seen & may) * 3
    return Picture("leaks", title, tuple(tuple(map(float, row)) for row in marks.tolist()))
