"""Describe by what, or in which part, wrong numbers differ from the right ones.

Each sentence is a property of the two answers themselves: it holds whatever the mistake is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ...text.language import _
from ..compare.precision import TOLERANCES
from .finding import Finding

Tensor = torch.Tensor
MAX_ENTRIES = 64
"""The longest axis of which single entries are told."""
SHOWN = 6
SINGLE = 5e-7
"""The relative difference that a few roundings to float32 make."""


def deviation_finding(
    observed: Tensor, expected: Tensor, given: Any, words: Mapping[int, str]
) -> Finding | None:
    """Describe how two tensors of one shape differ; None if they agree, or nothing can be said.

    `given` are the arguments of the call, and `words` the names of axes by their lengths.
    """
    if observed.shape != expected.shape or observed.dim() < 2 or observed.numel() < 4:
        return None
    left, right = observed.detach().double(), expected.detach().double()
    if not bool(left.isfinite().all() & right.isfinite().all()):
        return None
    tolerance = max(TOLERANCES.get(t.dtype, 0.0) for t in (observed, expected))
    room = 2 * tolerance * max(1.0, float(right.abs().max()))
    if _near(left, right, room):
        return None
    return (
        _input_finding(left, right, given, room)
        or _sums_finding(left, right, room)
        or _offset_finding(left, right, room)
        or _factors_finding(left, right, room)
        or _precision_finding(observed, expected)
        or _places_finding(left, right, room, words)
    )


def _precision_finding(observed: Tensor, expected: Tensor) -> Finding | None:
    """Tell whether numbers of float64, of one shape, are right in as many digits as float32 has."""
    if not observed.dtype == expected.dtype == torch.float64:
        return None
    scale = max(1.0, float(expected.detach().abs().max()))
    if float((observed - expected).detach().abs().max()) > SINGLE * scale:
        return None
    text = _("the numbers are right to seven digits, as where a part is computed in float32")
    return Finding("value.single_precision", text)


def gradient_finding(
    observed: Mapping[Any, Tensor | None], expected: Mapping[Any, Tensor | None]
) -> Finding | None:
    """Name the arguments and parameters, of any shape, that no gradient reaches.

    Not if none reaches any. What has no gradient has no effect on the output, or is cut off
    from it.
    """
    wanted = [name for name, gradient in expected.items() if not _is_zero(gradient)]
    missing = [str(name) for name in wanted if _is_zero(observed.get(name))]
    if not missing or len(missing) == len(wanted):
        return None
    names = ", ".join(missing[:SHOWN])
    return Finding(
        "gradient.missing",
        _("no gradient reaches {names}: it has no effect, or is cut off", names=names),
    )


def _is_zero(gradient: Tensor | None) -> bool:
    # gradient: any shape.
    return gradient is None or gradient.is_meta or not bool(gradient.any())


def _near(left: Tensor, right: Tensor, room: float) -> bool:
    # Both: any shape, or one that is broadcast to the other's.
    return bool((left - right).abs().max() <= room)


def _input_finding(left: Tensor, right: Tensor, given: Any, room: float) -> Finding | None:
    """Tell whether an argument of the outputs' shape is added once too often, or too little."""
    for leaf in _floats(given):
        if leaf.shape == left.shape and float(leaf.abs().max()) > 10 * room:
            if _near(left - right, leaf, room):
                return Finding("value.input_added", _("an input is added once too often"))
            if _near(right - left, leaf, room):
                return Finding("value.input_not_added", _("an input is missing from the sum"))
            if _near(left, leaf, room):
                return Finding("value.input", _("an input comes back as it is"))
    return None


def _floats(given: Any) -> Iterator[Tensor]:
    # given: holds tensors of any shape.
    for leaf in tree_leaves(given):
        if isinstance(leaf, Tensor) and leaf.is_floating_point() and not leaf.is_meta:
            yield leaf.detach().double()


def _sums_finding(left: Tensor, right: Tensor, room: float) -> Finding | None:
    """Tell what the rows of weights (..., L) add up to, which should be 1."""
    ones = torch.ones(())
    if left.shape[-1] < 2 or float(right.min()) < 0:
        return None
    room = room * left.shape[-1]
    if not _near(right.sum(-1), ones, room) or _near(left.sum(-1), ones, room):
        return None
    for axis in range(left.dim() - 1):
        if _near(left.sum(axis), ones, room):
            text = _("the numbers along axis {axis} add up to 1, and rows should", axis=axis)
            return Finding("value.sums_of_another_axis", text)
    full = bool((left.abs().sum(-1) > room).all())  # else a single row may have the whole sum
    for count in range(2, left.dim() + 1):
        if full and _near(left.flatten(-count).sum(-1), ones, room * left.shape[-2]):
            text = _("the numbers of all rows together add up to 1, and each row should by itself")
            return Finding("value.sums_of_all_rows", text)
    low, high = float(left.sum(-1).min()), float(left.sum(-1).max())
    text = _("rows add up to {low} to {high}, and not to 1", low=f"{low:.4g}", high=f"{high:.4g}")
    return Finding("value.sums", text, _("rows do not add up to 1"))


def _offset_finding(left: Tensor, right: Tensor, room: float) -> Finding | None:
    """Tell whether all rows (..., L) are off by the same row, as by a bias."""
    rows = (left - right).flatten(0, -2)  # N L
    ones = torch.ones(())
    if _near(left.sum(-1), ones, 1e-4) and _near(right.sum(-1), ones, 1e-4):
        return None  # shares, to which nobody adds a bias
    if len(rows) < 3 or not _near(rows, rows[:1].expand_as(rows), room):
        return None
    return Finding(
        "value.same_row_added",
        _("every row is off by the same numbers, whatever the input: as a bias is added"),
    )


def _factors_finding(left: Tensor, right: Tensor, room: float) -> Finding | None:
    """Tell whether each row (..., L) is the right one times a factor of its own."""
    if left.shape[-1] < 3:
        return None
    sizes = (right * right).sum(-1, keepdim=True)
    factors = (left * right).sum(-1, keepdim=True) / sizes.clamp_min(1e-30)
    if not _near(left, factors * right, room * max(1.0, float(factors.abs().max()))):
        return None
    if bool(((factors.abs() < 1e-3) | ((factors - 1).abs() < 1e-3)).all()):
        return None  # rows that are right, and rows of zeros
    return Finding("value.row_factors", _("each row is the right one, times a factor of its own"))


def _places_finding(
    left: Tensor, right: Tensor, room: float, words: Mapping[int, str]
) -> Finding | None:
    """Name the entries of an axis at which all numbers are right, beside those with wrong ones.

    `left` and `right` have one shape, of any length.
    """
    wrong = (left - right).abs() > room
    for axis, length in enumerate(left.shape):
        entries = wrong.movedim(axis, 0).flatten(1).any(1)  # length
        if length > MAX_ENTRIES or not bool(entries.any()) or bool(entries.all()):
            continue
        # Where two axes are as long as each other, no length tells which one it is.
        is_clear = length in words and left.shape.count(length) == 1
        named = f"{axis} ({words[length]})" if is_clear else str(axis)
        text = _(
            "the numbers are wrong at {wrong} of axis {axis}, and right at {right}",
            wrong=_listed(entries),
            right=_listed(~entries),
            axis=named,
        )
        short = _("along axis {axis} some numbers are right, and others wrong", axis=named)
        return Finding("value.some_entries", text, short)
    return None


def _listed(entries: Tensor) -> str:
    # entries: (length,)
    places = [str(place) for place in entries.nonzero().flatten().tolist()]
    some, more = ", ".join(places[:SHOWN]), len(places) - SHOWN
    return _("{these} and {count} more", these=some, count=more) if more > 0 else some
