"""Measure how much a mark depends on which checks a suite happens to have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
DRAWS = 100


@dataclass(frozen=True)
class CriterionPart:
    """A criterion: its points, and the columns of its checks."""

    points: float
    columns: tuple[int, ...]
    all_or_nothing: bool


@dataclass(frozen=True)
class Sensitivity:
    """The spread of each student's mark over random halves of the checks, in points."""

    deviations: Numbers
    """A standard deviation for each student."""
    draws: int


def sensitivity(
    earned: NDArray[np.bool_], parts: tuple[CriterionPart, ...], seed: int, draws: int = DRAWS
) -> Sensitivity:
    """Mark everybody by random halves of the checks of each criterion, many times over.

    `earned` has the shape (students, checks). Of a criterion with one check that one stays, and of
    an odd count the larger half.
    """
    generator = np.random.default_rng(seed)
    marks = np.zeros((len(earned), draws))
    for part in parts:
        if not part.columns:
            continue
        # Few ways to pass some and fail others occur: each is marked once, for all who have it.
        first, way = _ways(earned[:, part.columns])
        own = earned[first][:, part.columns].astype(np.float64)  # ways checks
        half = (len(part.columns) + 1) // 2
        places = generator.permuted(np.tile(np.arange(len(part.columns)), (draws, 1)), axis=1)[
            :, :half
        ]
        chosen = np.zeros((draws, len(part.columns)))
        np.put_along_axis(chosen, places, 1.0, axis=1)
        share = own @ chosen.T / half  # ways draws
        points = part.points * (share > 1 - 1e-9 if part.all_or_nothing else share)
        marks += points[way]  # students draws
    return Sensitivity(np.ascontiguousarray(marks.T).std(axis=0, ddof=1), draws)


def _ways(earned: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return a row of each kind that occurs, and for each row the place of its kind."""
    packed = np.packbits(earned, axis=1)
    words = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    keys = words.view(np.uint64)  # to compare whole numbers takes a third of comparing rows
    if keys.shape[1] == 1:
        _kinds, first, way = np.unique(keys[:, 0], return_index=True, return_inverse=True)
    else:
        _kinds, first, way = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, way.ravel()
