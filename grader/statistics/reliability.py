"""Say how far a mark can be relied on, from a matrix of points: students by parts of the form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
FEWEST = 20
"""The fewest students of whom anything is said: below, each number is mostly chance."""
FEW = 100
"""Below this many students numbers are rough, and readers are warned."""


@dataclass(frozen=True)
class Reliability:
    """The internal consistency of a form, and the error that each mark carries."""

    students: int
    parts: int
    alpha: float
    """Cronbach's alpha; of parts that are 0 or 1 it is KR-20."""
    error: float
    """The standard error of measurement, in points."""
    deviation: float
    """The standard deviation of the total, in points."""
    without: tuple[float | None, ...]
    """Alpha if one part is dropped, for each part."""

    @property
    def is_rough(self) -> bool:
        return self.students < FEW


def reliability(points: Numbers) -> Reliability | None:
    """Return the reliability of a form; None if there are too few students, or no spread.

    `points` has the shape (students, parts).
    """
    students, parts = points.shape
    if students < FEWEST:
        return None
    alpha = cronbach(points)
    if alpha is None:
        return None
    deviation = float(points.sum(axis=1).std(ddof=1))
    without = tuple(cronbach(np.delete(points, part, axis=1)) for part in range(parts))
    error = deviation * math.sqrt(max(0.0, 1 - alpha))
    return Reliability(students, parts, alpha, error, deviation, without)


def cronbach(points: Numbers) -> float | None:
    """Return Cronbach's alpha; None for fewer than two parts, or if totals do not vary.

    >>> cronbach(np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]))
    1.0
    """
    parts = points.shape[1]
    whole = points.sum(axis=1).var(ddof=1) if len(points) > 1 else 0.0
    if parts < 2 or whole <= 1e-12:
        return None
    return float(parts / (parts - 1) * (1 - points.var(axis=0, ddof=1).sum() / whole))
