"""Two tensors are one value in each of several ways to store it, and never by chance."""

from __future__ import annotations

import pytest
import torch

from grader.grade.right_lines import Likeness
from grader.judge.intermediates.alignment import LEAST_DIFFERENT, align, comparable

DRAW = torch.Generator().manual_seed(3)
HEADS = torch.randn(3, 4, 5, 7, generator=DRAW)  # B H T Dh
MERGED = HEADS.transpose(1, 2).reshape(3, 5, 28)  # B T H*Dh
SCORES = torch.randn(4, 5, generator=DRAW)  # S L
HIDDEN = SCORES.masked_fill(torch.arange(5) > 3, -torch.inf)
ORDER = torch.tensor([2, 0, 3, 1])


def likeness(yours: torch.Tensor, right: torch.Tensor) -> tuple[str, ...] | None:
    one, other = comparable(yours), comparable(right)
    assert one is not None and other is not None
    alignment = align(one, other)
    return None if alignment is None else tuple(alignment.likeness)


@pytest.mark.parametrize(
    ("yours", "right", "expected"),
    [
        (SCORES.clone(), SCORES, ()),
        (SCORES.double() + 1e-7, SCORES, ()),
        (SCORES[None, :, None], SCORES, ()),
        (HIDDEN, HIDDEN.double(), ()),
        (SCORES.T, SCORES, (Likeness.TRANSPOSED,)),
        (HEADS.permute(2, 0, 1, 3), HEADS, (Likeness.TRANSPOSED,)),
        (HEADS.flatten(0, 1), HEADS, (Likeness.RESHAPED,)),
        (HEADS, HEADS.flatten(2), (Likeness.RESHAPED,)),
        (HEADS, MERGED, (Likeness.TRANSPOSED, Likeness.RESHAPED)),
        (MERGED, HEADS, (Likeness.TRANSPOSED, Likeness.RESHAPED)),
        (SCORES[ORDER], SCORES, (Likeness.REORDERED,)),
        (HEADS[:, ORDER], HEADS, (Likeness.REORDERED,)),
        (SCORES * 8, SCORES, (Likeness.SCALED,)),
        (HIDDEN / 3, HIDDEN, (Likeness.SCALED,)),
        (SCORES.T * 8, SCORES, (Likeness.TRANSPOSED, Likeness.SCALED)),
    ],
    ids=[
        "same", "rounded", "axes of 1", "with infinity", "transposed", "permuted", "merged",
        "split", "heads", "heads merged", "rows", "order of heads", "scaled", "infinity scaled",
        "transposed and scaled",
    ],
)  # fmt: skip
def test_a_value_is_recognised(
    yours: torch.Tensor, right: torch.Tensor, expected: tuple[Likeness, ...]
) -> None:
    assert likeness(yours, right) == expected


@pytest.mark.parametrize(
    ("yours", "right"),
    [
        (SCORES + 1e-3, SCORES),
        (-SCORES, SCORES),
        (SCORES, HIDDEN),
        (SCORES.softmax(-1), SCORES.softmax(0)),
        (HEADS.softmax(-1), HEADS.softmax(-2)),
        (MERGED.view(3, 4, 5, 7), HEADS),
        (HEADS.reshape(3, 5, 28), MERGED),
        (SCORES[:, :4], SCORES),
        (SCORES.flatten()[torch.randperm(20, generator=DRAW)].view(4, 5), SCORES),
        (torch.stack([SCORES[0], SCORES[0], SCORES[2], SCORES[3]]), SCORES),
    ],
    ids=[
        "a little off", "negative", "not hidden", "another softmax", "in heads", "heads by view",
        "merged by reshape", "cropped", "shuffled", "a row twice",
    ],
)  # fmt: skip
def test_another_value_is_not(yours: torch.Tensor, right: torch.Tensor) -> None:
    assert likeness(yours, right) is None


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(40, 40),
        torch.ones(40, 40),
        torch.eye(40),
        torch.tril(torch.ones(9, 9)),
        torch.full((9, 9), -torch.inf).triu(1),
        torch.arange(1.0, LEAST_DIFFERENT),
        torch.tensor([1.0, 2, 3, 4, 5, 6, torch.nan]),
        torch.tensor(0.3),
        torch.zeros(0),
    ],
    ids=["zeros", "ones", "identity", "mask", "masked", "few", "NaN", "a number", "empty"],
)
def test_what_may_agree_by_chance_is_not_compared(value: torch.Tensor) -> None:
    assert comparable(value) is None
