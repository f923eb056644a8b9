"""Decide whether two wrong programs computed the same, from what was kept of their failures."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

TOLERANCE = 2e-3
"""Fingerprints hold four digits: equal programs in two dtypes may differ in the last."""
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|nan|inf")


def alike(first: str, second: str) -> bool:
    """Tell whether two fingerprints are equal up to rounding.

    >>> alike("4 (2x3:0:1.234:-0.120)", "4 (2x3:0:1.235:-0.121)")
    True
    >>> alike("4 (2x3:0:1.234:-0.120)", "4 (2x3:0:1.234:0.120)")
    False
    """
    if first == second:
        return True
    if _NUMBER.sub("#", first) != _NUMBER.sub("#", second):
        return False
    pairs = zip(_NUMBER.findall(first), _NUMBER.findall(second), strict=True)
    return all(_close(one, other) for one, other in pairs)


def _close(first: str, second: str) -> bool:
    if first == second:
        return True
    if not any("." in text or "e" in text for text in (first, second)):
        return False  # lengths and counts
    return math.isclose(float(first), float(second), rel_tol=TOLERANCE, abs_tol=TOLERANCE)


@dataclass(frozen=True)
class FailedChecks:
    """The checks of one exercise that a program fails."""

    numbers: Mapping[str, str]
    """Those with wrong numbers, each with its fingerprint."""
    others: frozenset[str] = frozenset()
    """Those that raised, or whose inputs are drawn for each submission anew."""
    unjudged: frozenset[str] = frozenset()
    """Those that say nothing, such as checks that wait for another exercise or criterion."""

    def reproduced_by(self, other: FailedChecks) -> int:
        """Return in how many checks the other computes the same wrong numbers."""
        made = other.numbers
        return sum(id in made and alike(seen, made[id]) for id, seen in self.numbers.items())

    def is_same(self, other: FailedChecks) -> bool:
        """Tell whether both compute the same wrong numbers, and right ones elsewhere.

        Where this one was not judged, the other may compute anything.
        """
        alike_in = self.reproduced_by(other)
        return alike_in == len(self.numbers) == len(other.numbers.keys() - self.unjudged)

    def differs_in(self, other: FailedChecks) -> int:
        """Return how many checks without numbers only one of both fails."""
        return len((self.others ^ other.others) - self.unjudged)
