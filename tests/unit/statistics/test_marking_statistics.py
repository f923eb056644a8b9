"""Agreement and drift of those who mark, by hand and by the standard library."""

from __future__ import annotations

import math
import statistics

import pytest

from grader.statistics.marking import Drift, agreement, drift

FIRST = [2.0, 3.0, 2.0, 1.0, 3.0, 2.0, 2.0, 3.0, 1.0, 2.0]
SECOND = [1.0, 1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 1.0, 2.0, 0.0]


def test_agreement_is_the_mean_of_differences_and_the_count_of_equals() -> None:
    result = agreement([(3.0, 2.0), (1.0, 1.0), (0.1 + 0.2, 0.3), (0.0, 2.0)])
    assert result is not None
    assert (result.answers, result.equal) == (4, 2)
    assert result.by == pytest.approx(-0.25)
    assert agreement([]) is None


def test_drift_is_welchs_difference_of_two_halves() -> None:
    result = drift([*FIRST, 3.0, *SECOND])
    assert result is not None
    assert result.by == pytest.approx(statistics.mean(SECOND) - statistics.mean(FIRST))
    parts = (statistics.variance(FIRST), statistics.variance(SECOND))
    assert result.error == pytest.approx(math.sqrt(parts[0] / 10 + parts[1] / 10))
    assert result.is_sure


def test_drift_needs_ten_answers_in_each_half_and_some_spread() -> None:
    assert drift([1.0] * 19) is None
    assert drift([1.0] * 20) == Drift(0.0, 0.0)
    assert not Drift(0.0, 0.0).is_sure
