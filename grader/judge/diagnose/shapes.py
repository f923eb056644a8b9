"""Describe how a wrong shape differs from the right one, in the names of its axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations

from ...text.language import _
from .finding import Finding
from .knowledge import shown

Shape = Sequence[int]
MAX_AXES = 6


def shape_finding(
    observed: Shape, expected: Shape, words: Mapping[int, str], *, plainly: bool = False
) -> Finding | None:
    """Describe how the observed shape differs from the expected one; None if it does not.

    `plainly`: without what is read from a single length, which may be another's by chance.
    """
    observed, expected = tuple(observed), tuple(expected)
    if observed == expected:
        return None
    # Where two axes are as long as each other, no length tells which one it is.
    clear = len(set(expected)) == len(expected)
    names = words if clear else {}
    message = _(
        "you returned {observed} in place of {expected}",
        observed=shown(observed, {n: word for n, word in names.items() if observed.count(n) == 1}),
        expected=shown(expected, names),
    )
    for find in (_reordered, _split, _dropped_ones, _dropped, _added, _moved):
        result = find(observed, expected, names)
        if result is not None:
            return Finding(f"shape.{result[0]}", f"{message}: {result[1]}")
    longer = "" if plainly else length_reading(observed, expected, words)
    return Finding("shape.other", f"{message}: {longer}" if longer else message)


def length_reading(
    observed: tuple[int, ...], expected: tuple[int, ...], words: Mapping[int, str]
) -> str:
    """Say of the one axis of another length how it differs; "" if there is no telling.

    `words` are the names of axes by their lengths.
    """
    if len(observed) != len(expected):
        return ""
    pairs = enumerate(zip(observed, expected, strict=True))
    wrong = [(axis, length, right) for axis, (length, right) in pairs if length != right]
    if len(wrong) != 1:
        return ""
    axis, length, right = wrong[0]
    if words.keys() >= {length, right} and expected.count(right) == 1 >= expected.count(length):
        return _(
            "axis {axis} has the length of {found}, and should have that of {right}",
            axis=axis,
            found=words[length],
            right=words[right],
        )
    if length == right - 1:
        return _("along axis {axis} one is missing", axis=axis)
    if length == right + 1:
        return _("along axis {axis} there is one too many", axis=axis)
    return ""


def _reordered(
    observed: Shape, expected: Shape, names: Mapping[int, str]
) -> tuple[str, str] | None:
    if sorted(observed) != sorted(expected) or len(expected) > MAX_AXES:
        return None
    moved = [axis for axis, (a, b) in enumerate(zip(observed, expected, strict=True)) if a != b]
    if len(moved) == 2:
        return "axes_swapped", _("swap axes {one} and {other}", one=moved[0], other=moved[1])
    count = range(len(expected))
    order = next(p for p in permutations(count) if [observed[i] for i in p] == list(expected))
    listing = ", ".join(map(str, order))
    return "axes_reordered", _("put the axes in the order {order}", order=listing)


def _split(observed: Shape, expected: Shape, names: Mapping[int, str]) -> tuple[str, str] | None:
    """Recognise two axes that should be one, or one that should be two."""
    for longer, shorter, id in (
        (observed, expected, "axes_not_merged"),
        (expected, observed, "axes_merged"),
    ):
        if len(longer) != len(shorter) + 1:
            continue
        for axis in range(len(shorter)):
            product = longer[axis] * longer[axis + 1]
            merged = (*longer[:axis], product, *longer[axis + 2 :])
            if merged == tuple(shorter) and 1 not in longer[axis : axis + 2]:
                pair = shown(longer[axis : axis + 2], names)
                if id == "axes_merged":
                    return id, _("axis {axis} should be two, {pair}", axis=axis, pair=pair)
                return id, _(
                    "axes {one} and {other}, {pair}, should be one",
                    one=axis,
                    other=axis + 1,
                    pair=pair,
                )
    return None


def _dropped_ones(
    observed: Shape, expected: Shape, names: Mapping[int, str]
) -> tuple[str, str] | None:
    kept = [length for length in expected if length != 1]
    if [length for length in observed if length != 1] != kept or len(observed) == len(expected):
        return None
    if len(observed) < len(expected):
        return "squeezed", _("an axis of length 1 is gone, as `squeeze` does it")
    return "unsqueezed", _("there is an axis of length 1 too many")


def _dropped(observed: Shape, expected: Shape, names: Mapping[int, str]) -> tuple[str, str] | None:
    axis = _one_more(expected, observed)
    if axis is None:
        return None
    shape = shown(expected[axis : axis + 1], names)
    return "axis_missing", _("axis {axis}, {shape}, is gone", axis=axis, shape=shape)


def _added(observed: Shape, expected: Shape, names: Mapping[int, str]) -> tuple[str, str] | None:
    axis = _one_more(observed, expected)
    if axis is None:
        return None
    shape = shown(observed[axis : axis + 1], names)
    return "axis_too_many", _("axis {axis}, {shape}, is too many", axis=axis, shape=shape)


def _moved(observed: Shape, expected: Shape, names: Mapping[int, str]) -> tuple[str, str] | None:
    """Recognise numbers of one axis that lie along another one."""
    if len(observed) != len(expected) or not math.prod(observed) == math.prod(expected) > 0:
        return None
    pairs = enumerate(zip(observed, expected, strict=True))
    wrong = [(axis, length, right) for axis, (length, right) in pairs if length != right]
    if len(wrong) != 2:
        return None
    (shorter, *_short), (longer, length, right) = sorted(wrong, key=lambda each: each[1] / each[2])
    if length % right:
        return None
    return "moved", _(
        "axis {longer} is {times} times as long as it should be, and axis {shorter} that much "
        "shorter: something is cut along axis {shorter}, or merged into axis {longer}",
        longer=longer,
        shorter=shorter,
        times=length // right,
    )


def _one_more(longer: Shape, shorter: Shape) -> int | None:
    """Return the one axis without which both are equal; None if there is none."""
    if len(longer) != len(shorter) + 1:
        return None
    axes = range(len(longer))
    without = (axis for axis in axes if [*longer[:axis], *longer[axis + 1 :]] == list(shorter))
    return next(without, None)
