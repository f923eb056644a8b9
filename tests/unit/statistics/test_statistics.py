"""Each statistic against a computation of another kind: by hand, or by its definition in loops."""

from __future__ import annotations

import math
import statistics
from itertools import combinations

import numpy as np
import pytest

from grader.statistics.halves import CriterionPart, sensitivity
from grader.statistics.items import (
    correlations,
    effective_weights,
    item_statistics,
    strip,
    upper_ends,
)
from grader.statistics.marks import spread
from grader.statistics.proportion import Proportion, newcombe, wilson
from grader.statistics.reliability import FEWEST, cronbach, reliability

RNG = np.random.default_rng(7)
POINTS = np.asarray(RNG.integers(0, 5, (30, 4)) + RNG.integers(0, 3, (30, 1)), dtype=np.float64)


@pytest.mark.parametrize(
    ("count", "of", "interval"),
    [
        # Newcombe 1998, Statistics in Medicine 17, table I, method 3.
        pytest.param(81, 263, (0.2553, 0.3662), id="81 of 263"),
        pytest.param(15, 148, (0.0624, 0.1605), id="15 of 148"),
        pytest.param(0, 20, (0.0, 0.1611), id="0 of 20"),
        pytest.param(1, 29, (0.0061, 0.1718), id="1 of 29"),
    ],
)
def test_wilson_gives_what_was_published(
    count: int, of: int, interval: tuple[float, float]
) -> None:
    assert wilson(count, of) == pytest.approx(interval, abs=5e-5)


def test_the_ends_of_wilson_solve_its_equation() -> None:
    """An end is where the share is 1.96 standard errors away, by the error at that end."""
    for end in wilson(7, 25):
        assert abs(0.28 - end) / math.sqrt(end * (1 - end) / 25) == pytest.approx(1.95996, abs=1e-5)


def test_newcombe_gives_what_was_published() -> None:
    # Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10.
    result = newcombe(Proportion(56, 70), Proportion(48, 80))
    assert result == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_nobody_has_no_share() -> None:
    assert Proportion(0, 0).share is None
    assert newcombe(Proportion(0, 0), Proportion(1, 2)) is None


def test_correlations_are_those_of_the_standard_library() -> None:
    result = correlations(POINTS[:, [0, 1]], POINTS[:, [2, 3]])
    expected = [
        statistics.correlation(POINTS[:, a].tolist(), POINTS[:, b].tolist())
        for a, b in ((0, 2), (1, 3))
    ]
    assert result == pytest.approx(expected)


def test_a_correlation_is_of_the_rows_that_are_known() -> None:
    one, other = POINTS[:, :1].copy(), POINTS[:, 1:2]
    one[::3] = np.nan
    known = ~np.isnan(one[:, 0])
    expected = statistics.correlation(one[known, 0].tolist(), other[known, 0].tolist())
    assert correlations(one, other)[0] == pytest.approx(expected)


def test_what_does_not_vary_has_no_correlation() -> None:
    same = np.full((30, 1), 0.1)
    assert math.isnan(correlations(same, POINTS[:, :1])[0])


def test_the_interval_of_a_correlation_is_that_of_fisher() -> None:
    # r = 0.5 of 28: z = 0.5493 + 1.96 / 5 = 0.9413, and tanh of that is 0.7358.
    assert upper_ends(np.array([0.5]), np.array([28]))[0] == pytest.approx(0.7358, abs=5e-5)


def test_an_item_is_compared_with_the_rest_of_the_mark() -> None:
    totals = POINTS.sum(axis=1)
    result = item_statistics(POINTS / 6, totals[:, None] - POINTS, totals)
    rests = [[sum(row) - row[k] for row in POINTS.tolist()] for k in range(4)]
    expected = [statistics.correlation(POINTS[:, k].tolist(), rests[k]) for k in range(4)]
    assert result.item_rest == pytest.approx(expected)
    assert result.deviation == pytest.approx(
        [statistics.stdev((POINTS[:, k] / 6).tolist()) for k in range(4)]
    )


def test_fifths_go_from_the_lowest_marks_to_the_highest() -> None:
    scores = np.array([[1.0], [0.0], [1.0], [0.0], [1.0], [0.5], [np.nan], [0.0], [1.0], [0.0]])
    totals = np.array([9.0, 0.0, 8.0, 1.0, 7.0, 2.0, 6.0, 3.0, 5.0, 4.0])
    # In order of marks: 0 0 | 0.5 0 | 0 1 | (none) 1 | 1 1
    assert strip(scores, totals)[:, 0] == pytest.approx([0.0, 0.25, 0.5, 1.0, 1.0])


def test_effective_weights_are_roots_of_covariances_with_the_total() -> None:
    totals = POINTS.sum(axis=1).tolist()
    roots = [math.sqrt(statistics.covariance(POINTS[:, k].tolist(), totals)) for k in range(4)]
    expected = [root / sum(roots) for root in roots]
    assert effective_weights(POINTS, POINTS.sum(axis=1)) == pytest.approx(expected)
    # A column without points of its own is no part of it, whatever the total counts.
    more = np.insert(POINTS, 2, np.nan, axis=1)
    assert effective_weights(more, POINTS.sum(axis=1)) == pytest.approx(
        [*expected[:2], math.nan, *expected[2:]], nan_ok=True
    )


def test_an_item_against_the_rest_has_a_negative_weight() -> None:
    rising = np.arange(10.0)
    assert effective_weights(np.stack([3 * rising, -rising], axis=1), 2 * rising)[1] < 0


def test_alpha_is_its_definition() -> None:
    variances = [statistics.variance(POINTS[:, k].tolist()) for k in range(4)]
    whole = statistics.variance(POINTS.sum(axis=1).tolist())
    assert cronbach(POINTS) == pytest.approx(4 / 3 * (1 - sum(variances) / whole))


def test_alpha_of_right_and_wrong_is_kr_20() -> None:
    """KR-20 is of p times q, with the variance of all totals that goes with these."""
    right = (RNG.random((25, 6)) < 0.6).astype(float)
    shares = right.mean(axis=0)
    whole = statistics.pvariance(right.sum(axis=1).tolist())
    kr20 = 6 / 5 * (1 - float((shares * (1 - shares)).sum()) / whole)
    assert cronbach(right) == pytest.approx(kr20)


def test_the_error_of_a_mark_follows_from_alpha() -> None:
    result = reliability(POINTS)
    assert result is not None
    deviation = statistics.stdev(POINTS.sum(axis=1).tolist())
    alpha = cronbach(POINTS) or 0.0
    assert result.error == pytest.approx(deviation * math.sqrt(1 - alpha))
    assert result.without[1] == pytest.approx(cronbach(POINTS[:, [0, 2, 3]]))
    assert result.is_rough


def test_nothing_is_said_of_few_students() -> None:
    assert reliability(POINTS[: FEWEST - 1]) is None
    assert reliability(POINTS[:FEWEST]) is not None


def test_a_class_without_spread_has_no_reliability() -> None:
    assert reliability(np.ones((30, 3))) is None


def test_a_spread_is_that_of_the_standard_library() -> None:
    marks = [0.0, 0.1, 0.35, 0.5, 0.5, 0.75, 1.0]
    result = spread(np.array(marks))
    assert result is not None
    assert result.mean == pytest.approx(statistics.mean(marks))
    assert result.deviation == pytest.approx(statistics.stdev(marks))
    assert result.quartiles == pytest.approx(statistics.quantiles(marks, method="inclusive"))
    assert result.bins == (1, 1, 0, 1, 0, 2, 0, 1, 0, 1)
    assert (result.zeros, result.full) == (1, 1)


def test_a_mark_at_a_border_is_in_the_upper_bin() -> None:
    result = spread(np.array([0.3, 0.7 - 0.1, 0.1 + 0.2]))
    assert result is not None
    assert result.bins == (0, 0, 0, 2, 0, 0, 1, 0, 0, 0)


@pytest.mark.parametrize(
    ("marks", "valley"),
    [
        pytest.param([0.25] * 12 + [0.85] * 12, 5, id="two peaks"),
        pytest.param([0.45, 0.55, 0.65] * 10, None, id="one peak"),
        pytest.param([0.25] * 9 + [0.85] * 9, None, id="few students"),
        pytest.param([0.85] * 40 + [0.05] * 2, None, id="two stragglers"),
    ],
)
def test_two_peaks_are_seen(marks: list[float], valley: int | None) -> None:
    result = spread(np.array(marks))
    assert result is not None
    assert (result.valley is None) == (valley is None)
    assert result.valley is None or result.bins[result.valley] == 0


def test_half_of_the_checks_spread_a_mark_as_all_halves_do() -> None:
    """The draws come near to the deviation over every half there is."""
    earned = np.array([[True, True, False, False, True, False]])
    part = CriterionPart(6.0, tuple(range(6)), all_or_nothing=False)
    every = [6.0 * sum(bool(earned[0, k]) for k in half) / 3 for half in combinations(range(6), 3)]
    result = sensitivity(earned, (part,), seed=1, draws=4000)
    assert result.deviations[0] == pytest.approx(statistics.pstdev(every), rel=0.05)


def test_all_or_nothing_needs_every_check_of_the_half() -> None:
    earned = np.array([[True, True, True, False]])
    part = CriterionPart(1.0, (0, 1, 2, 3), all_or_nothing=True)
    # Half of the halves hold the check that failed: 0 or 1, each as often.
    result = sensitivity(earned, (part,), seed=1, draws=4000)
    assert result.deviations[0] == pytest.approx(0.5, abs=0.02)


def test_who_has_all_or_nothing_is_sure_of_it() -> None:
    earned = np.array([[True] * 4, [False] * 4])
    result = sensitivity(earned, (CriterionPart(2.0, (0, 1, 2, 3), False),), seed=1)
    assert result.deviations.tolist() == [0.0, 0.0]


def test_who_passes_the_same_checks_is_marked_once_and_as_if_alone() -> None:
    earned = RNG.random((40, 12)) < 0.7
    parts = (CriterionPart(3.0, tuple(range(9)), False), CriterionPart(2.0, (9, 10, 11), True))
    together = sensitivity(earned, parts, seed=3).deviations
    alone = [sensitivity(earned[[row]], parts, seed=3).deviations[0] for row in range(40)]
    assert together.tolist() == pytest.approx(alone)


def test_the_moments_of_items_with_gaps_are_those_of_the_standard_library() -> None:
    scores = POINTS / 6
    scores[::4, 1] = np.nan
    totals = POINTS.sum(axis=1)
    result = item_statistics(scores, totals[:, None] - POINTS, totals)
    known = scores[~np.isnan(scores[:, 1]), 1].tolist()
    assert result.judged.tolist() == [30, len(known), 30, 30]
    assert result.mean[1] == pytest.approx(statistics.fmean(known))
    assert result.deviation[1] == pytest.approx(statistics.stdev(known))


@pytest.mark.parametrize("checks", [5, 8, 64, 70, 130])
def test_who_passes_the_same_checks_is_marked_as_if_alone(checks: int) -> None:
    earned = np.random.default_rng(3).random((12, checks)) < 0.5
    earned[7], earned[9] = earned[2], earned[2]
    earned[9, -1] = not earned[2, -1]
    part = (CriterionPart(6.0, tuple(range(checks)), False),)

    together = sensitivity(earned, part, seed=1, draws=40).deviations
    alone = [sensitivity(earned[[row]], part, seed=1, draws=40).deviations[0] for row in range(12)]

    np.testing.assert_allclose(together, alone, rtol=1e-12)
    assert together[7] == together[2]
    assert together[9] != together[2]
