"""Estimate a share of a class, with the interval that it is in."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""The quantile of the normal distribution that 95 % of it lie within, on both sides."""


@dataclass(frozen=True)
class Proportion:
    """A count of a count, such as 12 of 40 students."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        """Return the share from 0 to 1; None of nobody."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return Wilson's 95 % interval of the share; None of nobody."""
        return wilson(self.count, self.of) if self.of else None


def wilson(count: int, of: int, z: float = Z_95) -> tuple[float, float]:
    """Return Wilson's score interval for a proportion, which also holds near 0 and 1.

    >>> low, high = wilson(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.2775)
    """
    if not 0 <= count <= of or not of:
        raise ValueError(f"{count} of {of}")
    share, square = count / of, z * z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == of else middle + half
    return low, high


def newcombe(one: Proportion, other: Proportion) -> tuple[float, float] | None:
    """Return the 95 % interval of the difference of two shares, `one - other` (Newcombe 1998)."""
    if one.share is None or other.share is None or not one.interval or not other.interval:
        return None
    difference = one.share - other.share
    (low, high), (other_low, other_high) = one.interval, other.interval
    below = math.hypot(one.share - low, other_high - other.share)
    above = math.hypot(high - one.share, other.share - other_low)
    return difference - below, difference + above
