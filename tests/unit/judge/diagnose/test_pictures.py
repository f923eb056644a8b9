"""What is drawn of a public check: a pattern, or the sums of rows."""

from __future__ import annotations

import torch

from grader.evidence import Outcome
from grader.judge.diagnose.pictures import picture_of
from grader.judge.sight import Pair, Sight

TRIANGLE = torch.ones(3, 3, dtype=torch.bool).tril()
SHARES = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])


def sight(observed: object, expected: object) -> Sight:
    return Sight(Outcome.FAILED, pair=Pair(observed, expected))


def test_a_wrong_mask_is_drawn_against_the_right_one() -> None:
    found = picture_of(sight(TRIANGLE.T, TRIANGLE))
    assert found is not None
    assert found.kind == "leaks"
    assert found.rows == ((1.0, 2.0, 2.0), (3.0, 1.0, 2.0), (3.0, 3.0, 1.0))


def test_weights_where_none_should_be_are_drawn() -> None:
    leaky = torch.tensor([[0.9, 0.1, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    found = picture_of(sight((None, leaky[None]), (None, SHARES[None])))
    assert found is not None
    assert found.rows[0] == (1.0, 2.0, 0.0)


def test_rows_that_do_not_add_up_are_told_by_their_sums() -> None:
    found = picture_of(sight(SHARES / 2, SHARES))
    assert found is not None
    assert (found.kind, found.rows) == ("row_sums", ((0.5, 0.5, 0.5),))


def test_of_other_numbers_nothing_is_drawn() -> None:
    numbers = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert picture_of(sight(numbers + 1, numbers)) is None
    assert picture_of(sight(SHARES.flip(1).flip(1), SHARES)) is None
    assert picture_of(Sight(Outcome.FAILED)) is None
