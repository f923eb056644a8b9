"""Describe how the marks of a class are spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

BINS = 10
ENOUGH_FOR_PEAKS = 20
"""The fewest marks of which a shape is spoken."""
_VALLEY = 0.5
"""A valley is at most this share of the lower peak beside it."""
_PEAK = 0.15
"""The least share of a class on each side of a valley."""


@dataclass(frozen=True)
class Spread:
    """Marks of a class as shares of all points, from 0 to 1."""

    count: int
    mean: float
    deviation: float | None
    """The standard deviation with n - 1; None of a single mark."""
    quartiles: tuple[float, float, float]
    least: float
    most: float
    zeros: int
    full: int
    bins: tuple[int, ...]
    """Counts in BINS equal bins from 0 to 1; full marks are in the last one."""

    @property
    def median(self) -> float:
        return self.quartiles[1]

    @property
    def valley(self) -> int | None:
        """Return the bin between two peaks, if there are two.

        Each side holds at least 15 % of the class, and the valley at most half of the lower peak.
        """
        if self.count < ENOUGH_FOR_PEAKS:
            return None
        sides = (
            (min(max(self.bins[:at]), max(self.bins[at + 1 :])), self.bins[at], at)
            for at in range(1, len(self.bins) - 1)
            if min(sum(self.bins[:at]), sum(self.bins[at + 1 :])) >= _PEAK * self.count
        )
        deep = [(low - peak, at) for peak, low, at in sides if low <= _VALLEY * peak]
        return min(deep)[1] if deep else None


def spread(marks: Numbers) -> Spread | None:
    """Return the spread of marks, each a share from 0 to 1; None if there are none.

    `marks` has the shape (students,).
    """
    if not len(marks):
        return None
    low, middle, high = (float(one) for one in np.quantile(marks, (0.25, 0.5, 0.75)))
    within = np.clip((marks * BINS + 1e-9).astype(int), 0, BINS - 1)
    return Spread(
        count=len(marks),
        mean=float(marks.mean()),
        deviation=float(marks.std(ddof=1)) if len(marks) > 1 else None,
        quartiles=(low, middle, high),
        least=float(marks.min()),
        most=float(marks.max()),
        zeros=int((marks <= 0).sum()),
        full=int((marks >= 1).sum()),
        bins=tuple(int(one) for one in np.bincount(within, minlength=BINS)),
    )
