"""Describe wrong numbers: where they are not finite, or what simple change makes them right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ...text.language import _, course_text, ngettext
from ..compare.precision import TOLERANCES
from .finding import Finding

Tensor = torch.Tensor
LARGE, LARGE_IN_HALF = 50.0, 11.0
"""Numbers of which products may be scores whose exp is more than their dtype holds: from 88 on in
float32, and from 11 on in float16."""
EPSILONS = (1e-5, 1e-6, 0.0)
"""What people add to a variance before they take its root."""
MAX_ENTRIES = 64
"""The longest axis whose entries are compared in another order."""

ENOUGH_NUMBERS = 8
"""So many numbers do not agree by chance, once both lots are in order."""
FINE = 1e-3
"""As a share of the largest number, the most room for rounding in which many numbers agree by no
chance; half precision has more."""


def nonfinite_finding(
    observed: Tensor, expected: Tensor | None, given: Any, empty_row: str
) -> Finding | None:
    """Describe rows of (..., L) that are NaN or infinite and should not be.

    Also say why, if `given`, the arguments of the call, show it.
    """
    wrong = ~observed.isfinite()
    if expected is not None and expected.shape == observed.shape and not expected.is_meta:
        wrong &= expected.isfinite()
    if not bool(wrong.any()):
        return None
    id = "nan" if bool(observed[wrong].isnan().any()) else "infinity"
    name = _("NaN") if id == "nan" else _("infinity")
    if bool(wrong.all()):
        return Finding(f"{id}.everywhere", _("every number is {value}", value=name))
    rows, whole = (wrong.any(-1), wrong.all(-1)) if wrong.dim() > 1 else (wrong, wrong)
    if empty_row and any(_same_rows(empty, rows) for empty in _empty_rows(given)):
        why = course_text(empty_row)
        places = _places(rows)
        text = _("{value} in {rows} and nowhere else: {why}", value=name, rows=places, why=why)
        short = _("{value} in some rows only: {why}", value=name, why=why)
        return Finding(f"{id}.empty_rows", text, short)
    if id == "nan" and torch.equal(rows, whole):
        text = _(
            "NaN in all of {rows}, and the rest is finite: as where a row is divided by its own "
            "sum and that is 0, as the sum of exp over -inf alone is",
            rows=_places(rows),
        )
        short = _(
            "NaN in some rows only, and the rest is finite: as where a row is divided by its own "
            "sum and that is 0, as the sum of exp over -inf alone is"
        )
        return Finding("nan.whole_rows", text, short)
    kind = "whole_rows" if torch.equal(rows, whole) else "some"
    text = _("{value} in {rows}, and the rest is finite", value=name, rows=_places(rows))
    short = _("{value} in some rows only, and the rest is finite", value=name)
    return Finding(f"{id}.{kind}", text, short)


def has_large_numbers(given: Any) -> bool | None:
    """Tell whether arguments, of any shape, hold numbers of which exp is too large.

    None where -inf was handed in: NaN may come of that as well.
    """
    leaves = [leaf for leaf in tree_leaves(given) if isinstance(leaf, Tensor) and not leaf.is_meta]
    floats = [leaf.detach() for leaf in leaves if leaf.is_floating_point() and leaf.numel()]
    if not all(bool(leaf.isfinite().all()) for leaf in floats):
        return None
    return any(
        float(leaf.abs().max()) > (LARGE_IN_HALF if leaf.dtype == torch.float16 else LARGE)
        for leaf in floats
    )


def overflow_finding(id: str) -> Finding:
    """Say where `nan` or `infinity` comes from that is seen beside large arguments alone."""
    name = _("NaN") if id == "nan" else _("infinity")
    text = _(
        "{value} where the numbers handed in are large, and nowhere else: one of the numbers made "
        "of them is larger than its dtype can hold, or a whole row is 0, as where exp is taken of "
        "scores from which their row's maximum was not subtracted",
        value=name,
    )
    return Finding("infinity.overflow", text)


def _empty_rows(given: Any) -> list[Tensor]:
    """Mark, for every mask among the arguments, the rows that allow nothing.

    A mask is boolean or holds -inf where nothing is allowed. Masks without such a row are left out.
    """
    # Each result has the shape of its mask without the last axis.
    empty_rows = []
    for leaf in tree_leaves(given):
        if isinstance(leaf, Tensor) and leaf.dim() > 0 and not leaf.is_meta:
            if leaf.dtype == torch.bool:
                empty_rows.append(~leaf.any(-1))
            elif leaf.is_floating_point():
                empty_rows.append((leaf == -torch.inf).all(-1))
    return [rows for rows in empty_rows if bool(rows.any())]


def _same_rows(empty: Tensor, rows: Tensor) -> bool:
    # Both may have any shape.
    try:
        return torch.equal(empty.expand_as(rows), rows)
    except RuntimeError:
        return False


def _places(rows: Tensor) -> str:
    # rows: any shape.
    places = [str(place) for place in rows.nonzero().tolist()]
    some, more = ", ".join(places[:3]), len(places) - 3
    some = _("{these} and {count} more", these=some, count=more) if more > 0 else some
    return ngettext("row {rows}", "rows {rows}", len(places), rows=some)


def value_finding(observed: Tensor, expected: Tensor, words: Mapping[int, str]) -> Finding | None:
    """Find the one simple change that makes all numbers right; None if there is none.

    Both tensors may have any shape, the same one.
    """
    tolerance = max(TOLERANCES.get(t.dtype, 0.0) for t in (observed, expected))
    left, right = observed.double(), expected.double()
    if left.shape != right.shape or left.numel() < 3:
        return None
    if not bool(left.isfinite().all() & right.isfinite().all()):
        return None
    scale = max(1.0, float(right.abs().max()))
    room = 2 * tolerance * scale
    if _near(left, right, room):
        return None
    return (
        _constant(left, right, room)
        or _factor(left, right, room, words)
        or _offset(left, right, room)
        or _factor_by_row(left, right, room)
        or _normalised(left, right, room / scale)
        or _transposed(left, right, room)
        or _permuted(left, right, room, words)
        or _elsewhere(left, right, room)
    )


def _near(left: Tensor, right: Tensor, room: float) -> bool:
    # Both have one shape.
    return bool((left - right).abs().max() <= room)


def _constant(left: Tensor, right: Tensor, room: float) -> Finding | None:
    # Both have one shape.
    if _near(left, left.flatten()[0].expand_as(left), room) and not _near(
        right, right.flatten()[0].expand_as(right), room
    ):
        number = float(left.flatten()[0])
        text = _("every number is {value}, whatever the input", value=f"{number:.4g}")
        return Finding("value.constant", text, _("every number is the same"))
    return None


def _factor(left: Tensor, right: Tensor, room: float, words: Mapping[int, str]) -> Finding | None:
    # Both have one shape.
    if float(right.abs().max()) <= room or float(left.abs().max()) <= room:
        return None
    factor = float((left * right).sum() / (right * right).sum())
    if abs(factor - 1) < 1e-3 or not _near(left, factor * right, room * abs(factor)):
        return None
    if abs(factor + 1) < 1e-6:
        return Finding("value.negated", _("every number has the wrong sign"))
    text = _("every number is {factor} times what it should be", factor=_number(factor, words))
    return Finding("value.factor", text, _("all numbers are the right ones times one factor"))


def _factor_by_row(left: Tensor, right: Tensor, room: float) -> Finding | None:
    """Tell whether each row of `left`, (..., N), is that of `right` times a number of its own."""
    if left.dim() < 2 or left.shape[-1] < 3 or room > FINE * float(right.abs().max()):
        return None
    squares = right.square().sum(-1, keepdim=True)
    if not bool((squares.sqrt() > room / FINE).all()):
        return None
    factors = (left * right).sum(-1, keepdim=True) / squares
    gaps = (left - factors * right).abs()
    if not bool((gaps <= room * factors.abs()).all()) or bool((factors.abs() < FINE).any()):
        return None
    text = _(
        "every row is the right one times a number of its own, as where it is divided by another "
        "number than the sum of its own entries"
    )
    return Finding("value.row_factors", text)


def _number(value: float, words: Mapping[int, str]) -> str:
    """Write a number with the length of an axis in it, if that is its value."""
    for length, word in words.items():
        for name, number in (
            (f"1/{length}", 1 / length),
            (f"1/√{length}", length**-0.5),
            (f"{length}", length),
            (f"√{length}", length**0.5),
        ):
            if abs(value - number) < 1e-6 * abs(number):
                return f"{name} ({word}: {length})"
    return f"{value:.4g}"


def _offset(left: Tensor, right: Tensor, room: float) -> Finding | None:
    # Both have one shape.
    by = float((left - right).mean())
    if abs(by) <= 10 * room or not _near(left, right + by, room):
        return None
    text = _("every number is too small by {gap}", gap=f"{abs(by):.4g}")
    if by > 0:
        text = _("every number is too large by {gap}", gap=f"{by:.4g}")
    return Finding("value.offset", text, _("all numbers are off by the same amount"))


def _normalised(left: Tensor, right: Tensor, room: float) -> Finding | None:
    """Tell whether each row of `left`, (..., N), is that of `right` with a variance of 1.

    `room` is that of numbers of size 1, as these are.
    """
    if left.dim() < 2 or left.shape[-1] < 3:
        return None
    moved = right - right.mean(-1, keepdim=True)
    scaled = (moved / (moved.square().mean(-1, keepdim=True) + eps).sqrt() for eps in EPSILONS)
    if not any(_near(left, each, max(room, 1e-6)) for each in scaled):
        return None
    text = _(
        "every row is the right one, normalised: moved to a mean of 0 and scaled to a variance of 1"
    )
    return Finding("value.normalised", text)


def _transposed(left: Tensor, right: Tensor, room: float) -> Finding | None:
    # Both have one shape.
    for one, other in combinations(range(left.dim()), 2):
        if left.shape[one] == left.shape[other] and _near(left, right.transpose(one, other), room):
            text = _(
                "the numbers are right with axes {one} and {other} swapped", one=one, other=other
            )
            return Finding("value.transposed", text)
    return None


def _permuted(left: Tensor, right: Tensor, room: float, words: Mapping[int, str]) -> Finding | None:
    # Both have one shape.
    for axis, length in enumerate(left.shape):
        if 1 < length <= MAX_ENTRIES:
            order = _order(left.movedim(axis, 0), right.movedim(axis, 0), room)
            if order is not None:
                named = f"{axis} ({words[length]})" if length in words else str(axis)
                text = _(
                    "the numbers are right, but the entries of axis {axis} are in the order "
                    "{order}",
                    axis=named,
                    order=order,
                )
                short = _(
                    "the numbers are right, but the entries of axis {axis} are in another order",
                    axis=named,
                )
                return Finding("value.permuted", text, short)
    return None


def _elsewhere(left: Tensor, right: Tensor, room: float) -> Finding | None:
    """Tell whether all numbers are right and in other places, of one shape as they are."""
    numbers, wanted = left.flatten().sort().values, right.flatten().sort().values
    if len(wanted) < ENOUGH_NUMBERS or room > FINE * float(wanted.abs().max()):
        return None
    different = int((wanted.diff() > room).sum()) + 1
    if different < len(wanted) // 2 or not _near(numbers, wanted, room):
        return None
    text = _(
        "these are the right numbers in other places: something is cut, joined or counted in "
        "another order than is asked, as where reshape or view stands in for permute or transpose"
    )
    return Finding("value.permuted", text)


def _order(left: Tensor, right: Tensor, room: float) -> list[int] | None:
    """Return the index in `right` of each entry of `left`, if they only changed places.

    Both are (entries, ...).
    """
    rows, others = left.reshape(len(left), -1), right.reshape(len(right), -1)
    gaps = (rows[:, None] - others[None]).abs().amax(-1)
    order: Sequence[int] = gaps.argmin(1).tolist()
    fits = bool((gaps.amin(1) <= room).all())
    return list(order) if fits and sorted(order) == list(range(len(left))) else None
