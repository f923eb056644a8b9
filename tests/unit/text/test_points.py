"""Points are shown rounded once, and written exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.text.points import exact, shown


@pytest.mark.parametrize(
    ("points", "rounded", "written"),
    [
        (Fraction(0), "0", "0"),
        (Fraction(10), "10", "10"),
        (Fraction(100), "100", "100"),
        (Fraction(5, 2), "2.5", "2.5"),
        (Fraction(1, 8), "0.12", "0.125"),
        (Fraction(3, 8), "0.38", "0.375"),
        (Fraction(1, 3), "0.33", "1/3"),
        (Fraction(20, 3), "6.67", "20/3"),
    ],
    ids=str,
)
def test_points_in_both_forms(points: Fraction, rounded: str, written: str) -> None:
    assert (shown(points), exact(points)) == (rounded, written)
