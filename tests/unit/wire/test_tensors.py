"""Tensors over the wire: bits, strides and sharing survive; no false table becomes a tensor."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.wire.faults import Violation
from grader.wire.tensors import (
    DTYPES,
    TensorWriter,
    device_in_use,
    raw_bytes,
    read_tensors,
)


def sent(*tensors: torch.Tensor) -> tuple[dict[str, Any], bytearray]:
    writer = TensorWriter()
    for tensor in tensors:
        writer.add(tensor)
    tables, buffers = writer.tables()
    return tables, bytearray(b"".join(buffers))


def received(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return read_tensors(*sent(*tensors)).tensors


BASE = torch.randn(4, 6)


@pytest.mark.parametrize(
    "tensor",
    [
        BASE,
        BASE.t(),
        BASE[1:3, ::2],
        BASE[0].expand(5, 6),
        torch.empty(0, 3),
        torch.tensor(2.5),
        torch.tensor([torch.nan, torch.inf, -0.0]),
        torch.tensor([True, False]),
        torch.randn(3).bfloat16(),
        torch.randn(2, dtype=torch.complex64).conj(),
        torch.empty(3, 4, device="meta").t(),
    ],
    ids=[
        "plain", "transposed", "strided", "expanded", "empty", "scalar", "special", "bool",
        "bfloat16", "conjugated", "meta",
    ],
)  # fmt: skip
def test_bits_shape_and_strides_survive(tensor: torch.Tensor) -> None:
    (found,) = received(tensor)
    assert raw_bytes(found) == raw_bytes(tensor.resolve_conj())
    assert (found.shape, found.dtype, found.device) == (tensor.shape, tensor.dtype, tensor.device)
    assert found.stride() == tensor.stride()


@given(
    dtype=st.sampled_from(sorted(DTYPES)),
    shape=st.lists(st.integers(0, 4), max_size=4),
    order=st.randoms(use_true_random=False),
)
def test_any_permuted_tensor_survives(dtype: str, shape: list[int], order: Any) -> None:
    axes = list(range(len(shape)))
    order.shuffle(axes)
    tensor = torch.randint(0, 2, shape).to(DTYPES[dtype]).permute(axes)
    (found,) = received(tensor)
    assert raw_bytes(found) == raw_bytes(tensor)
    assert found.shape == tensor.shape


def test_views_share_their_storage_on_the_other_side() -> None:
    whole = torch.zeros(6)
    first, second = received(whole, whole[2:4])
    first[3] = 7.0
    assert second.tolist() == [0.0, 7.0]


def test_only_the_part_in_use_of_a_large_storage_is_sent() -> None:
    _, payload = sent(torch.zeros(1 << 20)[1000:1003])
    assert len(payload) < 64


GOOD, PAYLOAD = sent(torch.randn(2, 3), torch.tensor([True, False]))


def broken(path: list[Any], value: Any) -> dict[str, Any]:
    tables = copy.deepcopy(GOOD)
    place: Any = tables
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return tables


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["tensors"], {}),
        (["tensors"], [[]] * 5000),
        (["tensors", 0], ["float32"]),
        (["tensors", 0, 0], "float128"),
        (["tensors", 0, 0], ["float32"]),
        (["tensors", 0, 0], "float64"),
        (["tensors", 0, 1], [2, 3, 1]),
        (["tensors", 0, 1], [2, 4]),
        (["tensors", 0, 1], [-2, 3]),
        (["tensors", 0, 1], [2.0, 3]),
        (["tensors", 0, 1], [True, 3]),
        (["tensors", 0, 1], [1 << 31, 1 << 31]),
        (["tensors", 0, 2], [3, 2]),
        (["tensors", 0, 2], [-3, 1]),
        (["tensors", 0, 2], [0, 0]),
        (["tensors", 0, 3], 2),
        (["tensors", 0, 3], -1),
        (["tensors", 0, 3], True),
        (["tensors", 0, 4], 1),
        (["tensors", 0, 4], -1),
        (["tensors", 0, 5], 3),
        (["tensors", 1, 5], 1),
        (["storages"], [24]),
        (["storages"], [24, 1 << 40]),
        (["storages"], [24, -2]),
        (["storages"], "ab"),
    ],
    ids=str,
)
def test_a_false_table_is_a_violation(path: list[Any], value: Any) -> None:
    tables = broken(path, value)
    if path[-1] == 2 and value == [0, 0]:  # an expanded tensor is honest
        assert read_tensors(tables, bytearray(PAYLOAD)).tensors[0].stride() == (0, 0)
        return
    with pytest.raises(Violation):
        read_tensors(tables, bytearray(PAYLOAD))


def test_a_bool_byte_that_is_neither_0_nor_1_is_a_violation() -> None:
    payload = bytearray(PAYLOAD)
    payload[32] = 7
    with pytest.raises(Violation, match="bool"):
        read_tensors(GOOD, payload)


def test_a_huge_expanded_tensor_is_a_violation() -> None:
    tables = broken(["tensors", 0, 1], [1 << 20, 1 << 20])
    tables["tensors"][0][2] = [0, 0]
    with pytest.raises(Violation, match="large"):
        read_tensors(tables, bytearray(PAYLOAD))


@given(st.data())
def test_garbage_tables_never_crash(data: st.DataObject) -> None:
    junk = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=6),
        max_leaves=12,
    )
    tables = {"storages": data.draw(junk), "tensors": data.draw(junk)}
    payload = bytearray(data.draw(st.binary(max_size=64)))
    try:
        read_tensors(tables, payload)
    except Violation:
        return


def test_the_device_in_use_is_that_of_new_tensors() -> None:
    assert device_in_use() == "cpu"
    with torch.device("meta"):
        assert device_in_use() == "meta"
