"""Compare those who mark by hand: with each other, and each with themselves a while before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

FEWEST_OF_A_HALF = 10
"""The fewest answers in each half of which a drift is spoken of."""


@dataclass(frozen=True)
class Agreement:
    """The points that two people gave the same answers."""

    answers: int
    equal: int
    by: float
    """The mean of how much the first gave more."""


@dataclass(frozen=True)
class Drift:
    """The change of somebody's points from the first half of their answers to the second."""

    by: float
    error: float
    """The standard error of that difference (Welch)."""

    @property
    def is_sure(self) -> bool:
        """Tell whether it is more than chance would make of it, 19 times of 20."""
        return self.error > 0 and abs(self.by) > 2 * self.error


def agreement(pairs: Sequence[tuple[float, float]]) -> Agreement | None:
    """Return how two sets of points for the same answers agree; None if there are none.

    >>> agreement([(2.0, 1.0), (1.0, 1.0)])
    Agreement(answers=2, equal=1, by=0.5)
    """
    if not pairs:
        return None
    equal = sum(math.isclose(one, other, abs_tol=1e-9) for one, other in pairs)
    return Agreement(len(pairs), equal, fmean(one - other for one, other in pairs))


def drift(points: Sequence[float]) -> Drift | None:
    """Return the drift in points that are in the order of marking; None for too few.

    Of an odd count the one in the middle belongs to neither half.
    """
    half = len(points) // 2
    if half < FEWEST_OF_A_HALF:
        return None
    first, second = points[:half], points[len(points) - half :]
    error = math.sqrt((variance(first) + variance(second)) / half)
    return Drift(fmean(second) - fmean(first), error)
