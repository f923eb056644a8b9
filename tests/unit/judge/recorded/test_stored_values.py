"""Values come back from JSON as they were."""

from __future__ import annotations

import json
import math

import pytest
import torch

from grader.judge.checks.leaf_print import LeafPrint
from grader.judge.compare.compare import ValueKind, ValueSummary
from grader.judge.recorded.stored_values import NotStorable, restored, stored


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        "text",
        0.1,
        -0.0,
        float("inf"),
        torch.float32,
        (1, [2, (3,)], {"a": 1, 2: None}),
        LeafPrint("float64", (2, 3), (0.0, 1.5, -0.25), distinctive=True),
        ValueSummary(ValueKind.SEQUENCE, "list", (3,)),
    ],
    ids=repr,
)
def test_a_value_is_what_it_was(value: object) -> None:
    back = restored(json.loads(json.dumps(stored(value))))
    assert back == value
    assert type(back) is type(value)


def test_what_is_no_number_stays_so() -> None:
    assert math.isnan(restored(stored(float("nan"))))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int64, torch.bool])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (1, 0, 2)], ids=str)
def test_a_tensor_is_what_it_was(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = (torch.arange(math.prod(shape)).reshape(shape) % 3).to(dtype)
    back = restored(json.loads(json.dumps(stored(tensor))))
    assert back.dtype is dtype
    assert torch.equal(back, tensor)


def test_a_transposed_tensor_keeps_its_order() -> None:
    tensor = torch.arange(6.0).reshape(2, 3).T
    assert torch.equal(restored(stored(tensor)), tensor)


def test_code_is_not_written() -> None:
    with pytest.raises(NotStorable, match="function"):
        stored([1, lambda: 1])
