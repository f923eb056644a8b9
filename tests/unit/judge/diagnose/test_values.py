"""What one simple change makes right is recognised, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.judge.diagnose.values import (
    has_large_numbers,
    nonfinite_finding,
    overflow_finding,
    value_finding,
)

X = torch.randn(2, 4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
WORDS = {4: "tokens", 2: "batch"}


@pytest.mark.parametrize(
    ("change", "id", "told"),
    [
        (lambda x: x * 0.3, "value.factor", "every number is 0.3 times what it should be"),
        (lambda x: -x, "value.negated", "every number has the wrong sign"),
        (lambda x: x - 0.25, "value.offset", "every number is too small by 0.25"),
        (lambda x: x * 0 + 0.25, "value.constant", "every number is 0.25, whatever the input"),
        (lambda x: x.mT, "value.transposed", "the numbers are right with axes 1 and 2 swapped"),
        (
            lambda x: x.roll(1, 1),
            "value.permuted",
            "the numbers are right, but the entries of axis 1 (tokens) are in the order "
            "[3, 0, 1, 2]",
        ),
        (
            lambda x: x * torch.tensor([0.5, 1.0, 2.0, 3.0])[:, None],
            "value.row_factors",
            "every row is the right one times a number of its own, as where it is divided by "
            "another number than the sum of its own entries",
        ),
        (
            lambda x: torch.nn.functional.layer_norm(x, (4,)),
            "value.normalised",
            "every row is the right one, normalised: moved to a mean of 0 and scaled to a "
            "variance of 1",
        ),
    ],
    ids=["factor", "sign", "offset", "constant", "transposed", "permuted", "by row", "normalised"],
)
def test_a_simple_change_in_words(
    change: Callable[[torch.Tensor], torch.Tensor], id: str, told: str
) -> None:
    found = value_finding(change(X), X, WORDS)
    assert found is not None
    assert found.id == id
    assert found.text == told


def test_a_factor_that_is_a_length_is_said_with_the_axis() -> None:
    found = value_finding(X / 4, X, WORDS)
    assert found is not None
    assert found.text == "every number is 1/4 (tokens: 4) times what it should be"
    assert found.in_words(hidden=True) == "all numbers are the right ones times one factor"


@pytest.mark.parametrize(
    "change",
    [lambda x: x.tanh(), lambda x: x * x, lambda x: x + x.roll(1, 2), lambda x: x],
    ids=["tanh", "squared", "mixed", "right"],
)
def test_anything_else_is_left_alone(change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    assert value_finding(change(X), X, WORDS) is None


def test_numbers_that_were_cut_in_another_order_are_known_again() -> None:
    found = value_finding(
        X.mT.reshape(2, 4, 4).roll(1, 0).mT.reshape(4, 8).T.reshape(X.shape), X, WORDS
    )
    assert found is not None
    assert found.id == "value.permuted"
    assert found.text.startswith("these are the right numbers in other places")
    mostly_zeros = X * (X > 1)
    assert (
        value_finding(
            mostly_zeros.flatten().flip(0).view(4, 8).T.reshape(X.shape), mostly_zeros, WORDS
        )
        is None
    )


def test_small_numbers_in_half_precision_agree_with_no_factor_of_large_ones() -> None:
    large = (6 * X).to(torch.bfloat16)
    cosines = torch.nn.functional.normalize(X, dim=-1).to(torch.bfloat16)
    assert value_finding(cosines, large, WORDS) is None
    found = value_finding(large / 4, large, WORDS)
    assert found is not None
    assert found.id == "value.factor"


def with_nan(*rows: int) -> torch.Tensor:
    changed = X.clone()
    changed[:, list(rows)] = torch.nan
    return changed


def test_rows_of_nan_are_named_with_the_reason_that_a_mask_gives() -> None:
    mask = torch.ones(4, 4, dtype=torch.bool)
    mask[1] = False
    found = nonfinite_finding(with_nan(1), X, ((X, mask), {}), "nothing is allowed there")
    assert found is not None
    assert found.id == "nan.empty_rows"
    assert found.text == ("NaN in rows [0, 1], [1, 1] and nowhere else: nothing is allowed there")
    assert found.in_words(hidden=True) == "NaN in some rows only: nothing is allowed there"


def test_the_reason_is_not_given_where_other_rows_are_nan() -> None:
    mask = torch.ones(4, 4, dtype=torch.bool)
    mask[1] = False
    found = nonfinite_finding(with_nan(1, 2), X, ((X, mask), {}), "nothing is allowed there")
    assert found is not None
    assert found.id == "nan.whole_rows"
    assert found.text == (
        "NaN in all of rows [0, 1], [0, 2], [1, 1] and 1 more, and the rest is finite: as where a "
        "row is divided by its own sum and that is 0, as the sum of exp over -inf alone is"
    )


def test_nan_everywhere_and_single_numbers_are_told_apart() -> None:
    single = X.clone()
    single[0, 0, 0] = torch.inf
    everywhere = nonfinite_finding(X * torch.nan, X, None, "")
    some = nonfinite_finding(single, X, None, "")
    assert everywhere is not None
    assert some is not None
    assert (everywhere.id, some.id) == ("nan.everywhere", "infinity.some")
    assert nonfinite_finding(X, X, None, "") is None


@pytest.mark.parametrize(
    ("given", "is_large"),
    [
        (X, False),
        (100 * X, True),
        (X.masked_fill(X > 0, -torch.inf), None),
        (20 * torch.ones(3), False),
        (20 * torch.ones(3, dtype=torch.float16), True),
        (torch.full((3,), 1000), False),
        (torch.empty(3, device="meta"), False),
        (torch.empty(0), False),
        ([X, {"mask": 1e4 * X}], True),
        ([100 * X, {"mask": X.masked_fill(X > 0, -torch.inf)}], None),
    ],
    ids=["usual", "large", "infinite", "20", "half", "whole", "meta", "empty", "nested", "beside"],
)
def test_large_numbers_are_those_whose_exp_overflows(given: object, is_large: bool | None) -> None:
    assert has_large_numbers(((given,), {})) is is_large


def test_an_overflow_is_told_without_numbers() -> None:
    found = overflow_finding("nan")
    assert found.id == "infinity.overflow"
    assert found.text.startswith("NaN where the numbers handed in are large, and nowhere else:")
    assert found.in_words(hidden=True) == found.text
