"""Values of many parameters that cross the boundary as one tensor arrive as they were sent."""

from __future__ import annotations

import pytest
import torch

from grader.wire.packing import pack, unpack


def test_each_tensor_gets_its_own_numbers_in_its_own_shape_and_dtype() -> None:
    values = {
        "weight": torch.arange(6.0, dtype=torch.float64).reshape(2, 3).T,
        "bias": torch.tensor([7.0, 8.0]),
        "steps": torch.tensor(9),
        "nothing": torch.empty(0, 4),
    }
    held = {name: torch.zeros_like(value) for name, value in values.items()}
    unpack(pack(values), held)
    assert all(torch.equal(held[name], value) for name, value in values.items())


def test_numbers_are_sent_in_a_row_for_each_dtype() -> None:
    double, single = torch.ones(2, 2, dtype=torch.float64), torch.zeros(3)
    rows = pack({"a": double, "b": single, "c": double})
    assert [(names, len(row), row.dtype) for names, row in rows] == [
        (["a", "c"], 8, torch.float64),
        (["b"], 3, torch.float32),
    ]


@pytest.mark.parametrize(
    ("value", "held_in", "sent_in"),
    [
        (torch.float64, torch.float32, torch.float32),
        (torch.float32, torch.float64, torch.float32),
        (torch.int64, torch.float32, torch.int64),
        (torch.float64, torch.int8, torch.float64),
    ],
)
def test_numbers_are_rounded_only_to_a_shorter_float(
    value: torch.dtype, held_in: torch.dtype, sent_in: torch.dtype
) -> None:
    ((_names, row),) = pack({"a": torch.ones(2, dtype=value)}, held_in)
    assert row.dtype == sent_in


def test_what_is_packed_has_no_graph_and_is_a_copy() -> None:
    weight = torch.ones(2, requires_grad=True)
    ((_names, row),) = pack({"weight": weight * 2})
    assert not row.requires_grad
    ((_names, row),) = pack({"weight": weight})
    row.zero_()
    assert weight.tolist() == [1, 1]


def test_on_the_meta_device_there_are_shapes_alone() -> None:
    held = {"a": torch.empty(2, 3, device="meta")}
    unpack(pack(held), held)


@pytest.mark.parametrize("held", [{}, {"a": torch.zeros(3)}], ids=["missing", "another size"])
def test_what_does_not_fit_raises(held: dict[str, torch.Tensor]) -> None:
    with pytest.raises((KeyError, RuntimeError)):
        unpack(pack({"a": torch.zeros(2)}), held)
