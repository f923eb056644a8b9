"""When what a student's code gave counts as what a known mistake gives."""

from __future__ import annotations

import torch

from grader.judge.sight import same

X = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
NAN = torch.tensor([1.0, torch.nan])


def test_the_same_numbers_are_the_same() -> None:
    seen = [X, "3 of 9 patches", (X, None), {"x": X, "y": None}, NAN]
    other = [X * (1 + 1e-12), "3 of 9 patches", (X.clone(), None), {"x": X, "y": None}, NAN]
    assert same(seen, other)


def test_anything_else_is_not() -> None:
    assert not same([X], [X + 1e-6])
    assert not same([X], [X, X])
    assert not same([X], [X.float()])
    assert not same(["3 of 9 patches"], ["4 of 9 patches"])
    assert not same([{"x": X}], [{"y": X}])
    assert not same([{"x": X}], [{"x": None}])
    assert not same([NAN], [torch.tensor([1.0, 2.0])])


def test_single_precision_is_compared_as_coarsely_as_it_computes() -> None:
    single = X.float()
    assert same([single], [single * (1 + 1e-7)])
    assert not same([single], [single * (1 + 1e-4)])
