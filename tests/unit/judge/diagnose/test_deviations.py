"""By what, or where, numbers differ is told where no simple change makes them right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.judge.diagnose.deviations import deviation_finding, gradient_finding

Change = Callable[[torch.Tensor], torch.Tensor]
RANDOM = torch.Generator().manual_seed(3)
X = torch.randn(2, 4, 5, dtype=torch.float64, generator=RANDOM)
GIVEN: Any = ((torch.randn(2, 4, 5, dtype=torch.float64, generator=RANDOM),), {})
ROW = torch.randn(5, dtype=torch.float64, generator=RANDOM)
WORDS = {4: "tokens", 2: "batch"}


def some(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[:, 1:3] = x[:, 1:3].sin() + 1
    return x


@pytest.mark.parametrize(
    ("change", "id", "told"),
    [
        (
            lambda x: x + GIVEN[0][0],
            "value.input_added",
            "an input is added once too often",
        ),
        (
            lambda x: x - GIVEN[0][0],
            "value.input_not_added",
            "an input is missing from the sum",
        ),
        (lambda x: GIVEN[0][0], "value.input", "an input comes back as it is"),
        (
            lambda x: x + ROW,
            "value.same_row_added",
            "every row is off by the same numbers, whatever the input: as a bias is added",
        ),
        (
            lambda x: x * torch.arange(1.0, 5.0)[:, None],
            "value.row_factors",
            "each row is the right one, times a factor of its own",
        ),
        (
            some,
            "value.some_entries",
            "the numbers are wrong at 1, 2 of axis 1 (tokens), and right at 0, 3",
        ),
    ],
    ids=["added", "missing", "input", "row", "factors", "some"],
)
def test_a_deviation_in_words(change: Change, id: str, told: str) -> None:
    finding = deviation_finding(change(X), X, GIVEN, WORDS)
    assert finding is not None
    assert (finding.id, finding.text) == (id, told)


def test_an_axis_has_no_name_beside_one_of_the_same_length() -> None:
    square = X[:, :2]  # two samples of two tokens
    wrong = square.clone()
    wrong[:, 1] = wrong[:, 1].sin() + 1
    finding = deviation_finding(wrong, square, None, WORDS)
    assert finding is not None
    assert finding.text == "the numbers are wrong at 1 of axis 1, and right at 0"


def test_weights_of_another_axis_and_weights_that_add_up_to_something_else() -> None:
    weights = torch.softmax(X, -1)
    other = deviation_finding(torch.softmax(X, 1), weights, None, WORDS)
    assert other is not None
    assert other.text == "the numbers along axis 1 add up to 1, and rows should"
    whole = deviation_finding(torch.softmax(X.flatten(), 0).view_as(X), weights, None, WORDS)
    assert whole is not None
    assert whole.id == "value.sums_of_all_rows"
    first = weights[:, :1] * (torch.arange(X.shape[1]) == 0)[:, None]
    alone = deviation_finding(first, weights, None, WORDS)
    assert alone is not None
    assert alone.id == "value.sums"
    lost = weights.clone()
    lost[..., :2] = 0
    sums = deviation_finding(lost, weights, None, WORDS)
    assert sums is not None
    assert sums.id == "value.sums"
    assert sums.text.startswith("rows add up to 0.")
    assert sums.in_words(hidden=True) == "rows do not add up to 1"


def test_numbers_that_went_through_float32_are_told_by_their_digits() -> None:
    exact = X.sin()
    finding = deviation_finding(X.float().sin().double(), exact, None, WORDS)
    assert finding is not None
    assert finding.id == "value.single_precision"
    worse = deviation_finding(exact + 1e-5 * X.cos(), exact, None, WORDS)
    assert worse is None or worse.id != "value.single_precision"


@pytest.mark.parametrize(
    "observed",
    [X, X.exp(), X[:1], X[0, 0], X.log()],
    ids=["right", "wrong everywhere", "another shape", "a vector", "not finite"],
)
def test_nothing_is_said_where_nothing_is_known(observed: torch.Tensor) -> None:
    expected = X[0, 0] + 1 if observed.dim() == 1 else X
    assert deviation_finding(observed, expected, GIVEN, WORDS) is None


def test_what_no_gradient_reaches_is_named_beside_what_one_does() -> None:
    right = {"x": X, "fc1.weight": X, "fc1.bias": ROW, 3: None}
    finding = gradient_finding({**right, "fc1.bias": 0 * ROW, "x": None}, right)
    assert finding is not None
    assert finding.text == "no gradient reaches x, fc1.bias: it has no effect, or is cut off"
    assert gradient_finding(right, right) is None
    assert gradient_finding({}, right) is None


def test_a_row_of_zeros_among_right_ones_has_no_factor() -> None:
    rows = torch.ones(4, 1)
    rows[1] = 0.0
    finding = deviation_finding(rows * X[..., :], X, GIVEN, WORDS)
    assert finding is None or finding.id != "value.row_factors"
