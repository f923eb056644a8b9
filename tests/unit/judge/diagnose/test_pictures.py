"""What is drawn of a public check: a pattern, or the sums of rows."""

from __future__ import annotations

import torch

from grader.grade.evidence import Outcome, Weights
from grader.judge.checks.check_trace import CheckTrace, FailedComparison
from grader.judge.diagnose.pictures import MAX_LENGTH, picture_of, weights_of

TRIANGLE = torch.ones(3, 3, dtype=torch.bool).tril()
SHARES = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])


def trace(observed: object, expected: object) -> CheckTrace:
    return CheckTrace(Outcome.FAILED, failure=FailedComparison(observed, expected))


def test_a_wrong_mask_is_drawn_against_the_right_one() -> None:
    found = picture_of(trace(TRIANGLE.T, TRIANGLE))
    assert found is not None
    assert found.kind == "leaks"
    assert found.rows == ((1.0, 2.0, 2.0), (3.0, 1.0, 2.0), (3.0, 3.0, 1.0))


def test_weights_where_none_should_be_are_drawn() -> None:
    leaky = torch.tensor([[0.9, 0.1, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    found = picture_of(trace((None, leaky[None]), (None, SHARES[None])))
    assert found is not None
    assert found.rows[0] == (1.0, 2.0, 0.0)


def test_rows_that_do_not_add_up_are_told_by_their_sums() -> None:
    found = picture_of(trace(SHARES / 2, SHARES))
    assert found is not None
    assert (found.kind, found.rows) == ("row_sums", ((0.5, 0.5, 0.5),))


def test_of_other_numbers_nothing_is_drawn() -> None:
    numbers = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert picture_of(trace(numbers + 1, numbers)) is None
    assert picture_of(trace(SHARES.flip(1).flip(1), SHARES)) is None
    assert picture_of(CheckTrace(Outcome.FAILED)) is None


def test_weights_are_told_beside_the_right_ones_with_their_axes() -> None:
    wrong = torch.tensor([[0.5, 0.5], [float("nan"), 2.0], [0.25, 0.75]])
    right = torch.tensor([[0.5, 0.5], [0.5, 0.5], [0.1, 0.9]])
    found = weights_of(trace((None, wrong[None]), (None, right[None])), {3: "queries", 2: "keys"})

    assert found == Weights(
        ((0.5, 0.5), (None, 2.0), (0.25, 0.75)),
        ((0.5, 0.5), (0.5, 0.5), (0.1, 0.9)),
        ("queries", "keys"),
    )
    assert found.difference is not None
    assert found.difference[1:] == ((None, 1.5), (0.25 - 0.1, 0.75 - 0.9))


def test_the_first_head_that_differs_by_more_than_rounding_is_told() -> None:
    right = SHARES.double().repeat(2, 2, 1, 1)
    wrong = right + 1e-12
    wrong[1, 0] = wrong[1, 0].flip(-1)
    found = weights_of(trace(wrong, right), {})

    assert found is not None
    assert found.returned[0] == (0.0, 0.0, 1.0)


def test_weights_of_another_shape_and_large_ones_are_told_as_far_as_there_is_room() -> None:
    transposed = weights_of(trace(SHARES[:2].T, SHARES[:2]), {})
    large = weights_of(trace(torch.eye(40).roll(1, 0), torch.eye(40)), {})

    assert transposed is not None
    assert transposed.difference is None
    assert large is not None
    assert (len(large.returned), len(large.expected[0])) == (MAX_LENGTH, MAX_LENGTH)
    assert large.cut


def test_right_weights_and_other_numbers_are_not_told() -> None:
    numbers = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

    assert weights_of(trace(SHARES + 1e-9, SHARES), {}) is None
    assert weights_of(trace(numbers + 1, numbers), {}) is None
    assert weights_of(trace(torch.tensor(1.0), SHARES), {}) is None
    assert weights_of(trace(SHARES, torch.empty(3, 3, device="meta")), {}) is None
    assert weights_of(CheckTrace(Outcome.FAILED), {}) is None
