"""Weights beside the right ones say which row is wrong, and take a part of a screen."""

from __future__ import annotations

from grader.evidence import Weights
from grader.report.weights import beside


def test_both_have_the_same_shades() -> None:
    weights = Weights(((0.5, None), (0.25, 0.25)), ((1.0, 0.0), (0.5, 0.5)))

    assert beside(weights).plain == (
        "yours     expected\n    0  1      0  1\n0  ▒▒ !!  0  ██\n1  ░░ ░░  1  ▒▒ ▒▒"
    )


def test_large_and_uneven_ones_are_cut() -> None:
    large = tuple((0.5,) * 16 for _ in range(16))
    lines = beside(Weights(large, large[:3], cut=True)).plain.splitlines()

    assert len(lines) == 10
    assert max(map(len, lines)) <= 60
