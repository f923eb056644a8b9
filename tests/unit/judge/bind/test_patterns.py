"""Layouts as patterns of axes: what is stored where, and back again."""

from __future__ import annotations

import pytest
import torch

from grader.judge.bind.patterns import parse, restored, stored

TENSOR = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
AXES = ("r", "h", "d", "i")


@pytest.mark.parametrize(
    ("pattern", "count", "shape"),
    [
        ("r | (h d) i", 2, (12, 5)),
        ("(r h d) i", 1, (24, 5)),
        ("(h d r) i", 1, (24, 5)),
        ("h r | d i", 6, (4, 5)),
        ("r | i h d", 2, (5, 3, 4)),
        ("i (h r d)", 1, (5, 24)),
    ],
)
def test_every_number_is_stored_once_and_comes_back(
    pattern: str, count: int, shape: tuple[int, ...]
) -> None:
    parts = [part for _, part in stored(TENSOR, AXES, parse(pattern))]
    assert [tuple(part.shape) for part in parts] == [shape] * count
    vector = torch.cat([part.flatten() for part in parts])
    assert torch.equal(vector.sort().values, torch.arange(TENSOR.numel()))
    assert torch.equal(restored(parts, AXES, parse(pattern), {"r": 2, "h": 3}), TENSOR)


def test_the_order_inside_a_dimension_is_that_of_the_pattern() -> None:
    ((_, packed),) = stored(TENSOR, AXES, parse("(h d r) i"))
    assert torch.equal(packed.view(3, 4, 2, 5), TENSOR.permute(1, 2, 0, 3))
    ((_, other),) = stored(TENSOR, AXES, parse("(r h d) i"))
    assert not torch.equal(packed, other)


def test_a_bias_has_the_axes_of_its_weight_that_are_its_own() -> None:
    pattern = parse("r | (h d) i").only(("r", "h", "d"))
    assert (pattern.lists, pattern.dims) == (("r",), (("h", "d"),))
