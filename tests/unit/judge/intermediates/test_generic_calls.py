"""The numbers that a student's function is called with can show its mistakes."""

from __future__ import annotations

import pytest
import torch

from grader.judge.intermediates.generic_calls import generic_arguments
from grader.judge.smallest.small_calls import Mask, Numbers, SmallCall

LENGTHS = {"S": 3, "L": 4, "B": 2}


@pytest.mark.parametrize(("axes", "rows"), [("S L", -1), ("B S L", -1), ("S L 1", -2)])
def test_every_row_of_a_mask_hides_something_and_not_everything(axes: str, rows: int) -> None:
    call = SmallCall("f", {"scores": Numbers(axes), "mask": Mask(axes)}, {"weights": axes})
    for seed in range(20):
        mask = generic_arguments(call, LENGTHS, seed)[1]
        assert mask.dtype == torch.bool
        assert not mask.all(rows).any()
        assert mask.any(rows).all()
