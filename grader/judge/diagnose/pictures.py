"""What can be drawn of a failing public check: plain numbers, and few of them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.utils._pytree import tree_leaves

from ...evidence import Picture
from ...language import _
from ..sight import Sight

MAX_LENGTH = 16
CLOSE = 1e-6


def picture_of(sight: Sight) -> Picture | None:
    """The most telling picture of what a check was given."""
    if sight.leaks is not None:
        return sight.leaks.picture(_("which output (row) depends on which input (column)"))
    for observed, expected in _matrices(sight):
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


def _matrices(sight: Sight) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Matrices that were compared, of the first sample and the first head that differ."""
    if sight.pair is None:
        return
    left, right = tree_leaves(sight.pair.observed), tree_leaves(sight.pair.expected)
    if len(left) != len(right):
        return
    for observed, expected in zip(left, right, strict=True):
        if not isinstance(observed, torch.Tensor) or not isinstance(expected, torch.Tensor):
            continue
        alike = observed.shape == expected.shape and observed.dtype == expected.dtype
        if not alike or observed.dim() < 2 or observed.is_meta or expected.is_meta:
            continue
        if max(observed.shape[-2:]) > MAX_LENGTH or not observed.numel():
            continue
        flat = observed.flatten(0, -3) if observed.dim() > 2 else observed[None]
        other = expected.flatten(0, -3) if expected.dim() > 2 else expected[None]
        wrong = (flat != other).flatten(1).any(-1).nonzero()
        number = int(wrong[0]) if len(wrong) else 0
        yield flat[number], other[number]


def _are_shares(expected: torch.Tensor) -> bool:
    """Whether every row is a distribution, or nothing but zeros."""
    if not expected.is_floating_point() or expected.shape[-1] < 2:
        return False
    sums = expected.double().sum(-1)
    whole = ((sums - 1).abs() < CLOSE) | (sums == 0)
    return bool((expected >= 0).all() & whole.all() & (sums > 0).any())


def _marks(observed: torch.Tensor, expected: torch.Tensor, title: str) -> Picture:
    """0 neither, 1 both, 2 only what was returned, 3 only what was expected."""
    seen, may = observed.bool(), expected.bool()
    marks = (seen & may) * 1 + (seen & ~may) * 2 + (~seen & may) * 3
    return Picture("leaks", title, tuple(tuple(map(float, row)) for row in marks.tolist()))
