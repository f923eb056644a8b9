"""What became of numbers: where they are not finite, and what simple change makes them right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ..precision import TOLERANCES
from .finding import Finding

Tensor = torch.Tensor
MAX_ENTRIES = 64
"""Along an axis whose entries may have changed places."""


def nonfinite_finding(
    observed: Tensor, expected: Tensor | None, given: Any, empty_row: str
) -> Finding | None:
    """Rows that are NaN or infinite where they should not be, and why if that can be shown."""
    wrong = ~observed.isfinite()
    if expected is not None and expected.shape == observed.shape and not expected.is_meta:
        wrong &= expected.isfinite()
    if not bool(wrong.any()):
        return None
    name = "NaN" if bool(observed[wrong].isnan().any()) else "infinity"
    id = "nan" if name == "NaN" else "infinity"
    if bool(wrong.all()):
        return Finding(f"{id}.everywhere", f"every number is {name}")
    rows, whole = (wrong.any(-1), wrong.all(-1)) if wrong.dim() > 1 else (wrong, wrong)
    if empty_row and any(_same_rows(empty, rows) for empty in _empty_rows(given)):
        text = f"{name} in {_places(rows)} and nowhere else: {empty_row}"
        return Finding(f"{id}.empty_rows", text, f"{name} in some rows only: {empty_row}")
    kind = "whole_rows" if torch.equal(rows, whole) else "some"
    text = f"{name} in {_places(rows)}, and the rest is finite"
    return Finding(f"{id}.{kind}", text, f"{name} in some rows only, and the rest is finite")


def _empty_rows(given: Any) -> list[Tensor]:
    """For every mask among the arguments, which of its rows allow nothing."""
    found = []
    for leaf in tree_leaves(given):
        if isinstance(leaf, Tensor) and leaf.dim() > 0 and not leaf.is_meta:
            if leaf.dtype == torch.bool:
                found.append(~leaf.any(-1))
            elif leaf.is_floating_point():
                found.append((leaf == -torch.inf).all(-1))
    return [rows for rows in found if bool(rows.any())]


def _same_rows(empty: Tensor, rows: Tensor) -> bool:
    try:
        return torch.equal(empty.expand_as(rows), rows)
    except RuntimeError:
        return False


def _places(rows: Tensor) -> str:
    places = [str(place) for place in rows.nonzero().tolist()]
    some = ", ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")
    return f"row{'s' * (len(places) > 1)} {some}"


def value_finding(observed: Tensor, expected: Tensor, words: Mapping[int, str]) -> Finding | None:
    """The one simple change that makes all numbers right, if there is one."""
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
        or _transposed(left, right, room)
        or _permuted(left, right, room, words)
    )


def _near(left: Tensor, right: Tensor, room: float) -> bool:
    return bool((left - right).abs().max() <= room)


def _constant(left: Tensor, right: Tensor, room: float) -> Finding | None:
    if _near(left, left.flatten()[0].expand_as(left), room) and not _near(
        right, right.flatten()[0].expand_as(right), room
    ):
        number = float(left.flatten()[0])
        text = f"every number is {number:.4g}, whatever the input"
        return Finding("value.constant", text, "every number is the same")
    return None


def _factor(left: Tensor, right: Tensor, room: float, words: Mapping[int, str]) -> Finding | None:
    if float(right.abs().max()) <= room or float(left.abs().max()) <= room:
        return None
    factor = float((left * right).sum() / (right * right).sum())
    if abs(factor - 1) < 1e-3 or not _near(left, factor * right, room * max(1.0, abs(factor))):
        return None
    if abs(factor + 1) < 1e-6:
        return Finding("value.negated", "every number has the wrong sign")
    text = f"every number is {_number(factor, words)} times what it should be"
    return Finding("value.factor", text, "all numbers are the right ones times one factor")


def _number(value: float, words: Mapping[int, str]) -> str:
    """With the length of an axis in it, if that is what it is."""
    for length, word in words.items():
        for told, number in (
            (f"1/{length}", 1 / length),
            (f"1/√{length}", length**-0.5),
            (f"{length}", length),
            (f"√{length}", length**0.5),
        ):
            if abs(value - number) < 1e-6 * abs(number):
                return f"{told} ({word}: {length})"
    return f"{value:.4g}"


def _offset(left: Tensor, right: Tensor, room: float) -> Finding | None:
    by = float((left - right).mean())
    if abs(by) <= 10 * room or not _near(left, right + by, room):
        return None
    text = f"every number is too {'large' if by > 0 else 'small'} by {abs(by):.4g}"
    return Finding("value.offset", text, "all numbers are off by the same amount")


def _transposed(left: Tensor, right: Tensor, room: float) -> Finding | None:
    for one, other in combinations(range(left.dim()), 2):
        if left.shape[one] == left.shape[other] and _near(left, right.transpose(one, other), room):
            text = f"the numbers are right with axes {one} and {other} swapped"
            return Finding("value.transposed", text)
    return None


def _permuted(left: Tensor, right: Tensor, room: float, words: Mapping[int, str]) -> Finding | None:
    for axis, length in enumerate(left.shape):
        if 1 < length <= MAX_ENTRIES:
            order = _order(left.movedim(axis, 0), right.movedim(axis, 0), room)
            if order is not None:
                word = f" ({words[length]})" if length in words else ""
                text = f"the numbers are right, but the entries of axis {axis}{word} are in"
                return Finding(
                    "value.permuted",
                    f"{text} the order {order}",
                    f"{text} another order",
                )
    return None


def _order(left: Tensor, right: Tensor, room: float) -> list[int] | None:
    """Which entry of `right` each of `left` is, if they only changed places."""
    rows, others = left.reshape(len(left), -1), right.reshape(len(right), -1)
    gaps = (rows[:, None] - others[None]).abs().amax(-1)
    order: Sequence[int] = gaps.argmin(1).tolist()
    fits = bool((gaps.amin(1) <= room).all())
    return list(order) if fits and sorted(order) == list(range(len(left))) else None
