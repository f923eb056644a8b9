"""Say of each item, a check, criterion or exercise, how hard it is and whom it tells apart.

Items are columns of a matrix with a row for each student; NaN stands where an item did not judge a
student's own work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .proportion import Z_95

Numbers = NDArray[np.float64]
_BLOCK = 64
"""Items that are computed at once."""
STRIP = 5
"""The parts of a class from the lowest marks to the highest."""


@dataclass(frozen=True)
class Items:
    """Statistics of all items, an entry for each; NaN where nothing can be said."""

    judged: NDArray[np.int64]
    mean: Numbers
    """The facility: the mean share of the item that students earned."""
    deviation: Numbers
    item_rest: Numbers
    """The correlation of an item with the rest of the mark, which the item is no part of."""
    strip: Numbers
    """The mean in each fifth of the class, lowest marks first; shape (STRIP, items)."""


def item_statistics(scores: Numbers, rests: Numbers, totals: Numbers) -> Items:
    """Return the statistics of items.

    `scores` and `rests` have the shape (students, items): the share of the item that a student
    earned, and the student's points without those of the item. `totals` has the shape (students,).
    """
    order = np.argsort(totals, kind="stable")
    many = max(1, scores.shape[1])
    blocks = [
        _block(scores[:, at : at + _BLOCK], rests[:, at : at + _BLOCK], order)
        for at in range(0, many, _BLOCK)
    ]
    judged, mean, deviation, item_rest, strips = (
        np.concatenate(own, axis=-1) for own in zip(*blocks, strict=True)
    )
    return Items(judged, mean, deviation, item_rest, strips)


def _block(
    scores: Numbers, rests: Numbers, order: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Numbers, Numbers, Numbers, Numbers]:
    """Return the statistics of a few items: small enough to stay near the processor."""
    known = ~np.isnan(scores)
    judged: NDArray[np.int64] = known.sum(axis=0)
    mean, deviation = _moments(scores, known)
    return judged, mean, deviation, correlations(scores, rests), _fifths(scores, order)


def correlations(one: Numbers, other: Numbers) -> Numbers:
    """Return Pearson's correlation of two matrices, column by column, of the rows without NaN.

    NaN where one of the columns does not vary, or has fewer than three rows.
    """
    known = ~(np.isnan(one) | np.isnan(other))
    count = known.sum(axis=0)
    left, right = _centred(one, known), _centred(other, known)
    both = (left * right).sum(axis=0)
    size = np.sqrt((left * left).sum(axis=0) * (right * right).sum(axis=0))
    # What is left of a column that does not vary is rounding.
    scale = np.sqrt(_squares(one, known) * _squares(other, known))
    varies = (size > 1e-10 * np.maximum(scale, 1e-300)) & (count >= 3)
    return np.where(varies, both / np.where(varies, size, 1.0), np.nan)


def upper_ends(correlation: Numbers, count: NDArray[np.int64]) -> Numbers:
    """Return the upper end of each correlation's 95 % interval, by Fisher's transformation.

    NaN for fewer than four students, or where there is no correlation.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = np.tanh(np.arctanh(correlation) + Z_95 / np.sqrt(count - 3.0))
    return np.where(count > 3, ends, np.nan)


def strip(scores: Numbers, totals: Numbers) -> Numbers:
    """Return the mean of each item in each fifth of the class, those of lowest marks first.

    Of students with equal marks the earlier row comes first. Shape (STRIP, items).
    """
    return _fifths(scores, np.argsort(totals, kind="stable"))


def _fifths(scores: Numbers, order: NDArray[np.int64]) -> Numbers:
    parts = (scores[rows] for rows in np.array_split(order, STRIP))
    return np.stack([_mean(part, ~np.isnan(part))[0] for part in parts])


def effective_weights(points: Numbers, totals: Numbers) -> Numbers:
    """Return the part of the spread of marks that each column of points is responsible for.

    It is the root of its covariance with the total, as a share of the sum of all these roots;
    negative where the covariance is. `points` has the shape (students, items), `totals` the shape
    (students,). NaN for a column with NaN, which is no part of the sum.
    """
    if len(points) < 2:
        return np.full(points.shape[1], np.nan)
    centred = points - points.mean(axis=0)
    shared = centred.T @ (totals - totals.mean()) / (len(points) - 1)
    roots = np.sign(shared) * np.sqrt(np.abs(shared))
    whole = np.nansum(np.abs(roots))
    return roots / whole if whole > 0 else np.full(points.shape[1], np.nan)


def _moments(values: Numbers, known: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    mean, count = _mean(values, known)
    squares = (np.where(known, values - mean, 0.0) ** 2).sum(axis=0)
    deviation = np.sqrt(squares / np.maximum(count - 1, 1))
    return mean, np.where(count > 1, deviation, np.nan)


def _mean(values: Numbers, known: NDArray[np.bool_]) -> tuple[Numbers, NDArray[np.int64]]:
    count: NDArray[np.int64] = known.sum(axis=0)
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    return np.where(count > 0, mean, np.nan), count


def _centred(values: Numbers, known: NDArray[np.bool_]) -> Numbers:
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, values - mean, 0.0)


def _squares(values: Numbers, known: NDArray[np.bool_]) -> Numbers:
    squares: Numbers = (np.where(known, values, 0.0) ** 2).sum(axis=0)
    return squares
