"""What a student's code has done to its parameters is said as that, and is no broken protocol."""

from __future__ import annotations

import pytest
import torch

from grader.judge.calls.faults import CheckFailed
from grader.judge.calls.module_description import CHANGED, value_like
from grader.wire.faults import Violation

BEFORE = torch.zeros(3, 4)


def test_a_value_has_the_shape_and_the_device_of_its_parameter() -> None:
    value = torch.ones(3, 4)
    assert value_like({"weight": value}, "weight", BEFORE) is value


@pytest.mark.parametrize(
    ("values", "observed"),
    [
        ({}, "the module has no parameter weight any more"),
        ({"weight": torch.ones(4, 3)}, "weight has shape (4, 3), and had (3, 4)"),
        ({"weight": torch.ones(3, 4, device="meta")}, "weight is on meta, and was on cpu"),
    ],
    ids=["deleted", "turned", "moved"],
)
def test_what_became_of_a_parameter_is_said(values: dict[str, torch.Tensor], observed: str) -> None:
    with pytest.raises(CheckFailed) as failed:
        value_like(values, "weight", BEFORE)
    assert failed.value.observed == observed
    assert failed.value.shows == CHANGED


def test_what_is_no_tensor_breaks_the_protocol() -> None:
    with pytest.raises(Violation):
        value_like({"weight": 1}, "weight", BEFORE)
