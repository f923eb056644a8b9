"""Values as JSON trees: what can be sent comes back, what can't is named, garbage is refused."""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.wire.faults import Violation
from grader.wire.values import MAX_DEPTH, Decoder, Encoder, Node, ObjectCodec, Opaque


class NoObjects(ObjectCodec):
    def name(self, value: Any) -> Node | None:
        return None

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        raise Violation("no objects here")


def through(value: Any) -> Any:
    encoder = Encoder(NoObjects())
    node = json.loads(json.dumps(encoder.node(value), allow_nan=False))
    return Decoder(tuple(encoder.writer.tensors), NoObjects()).value(node)


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=20).filter(lambda text: text.isprintable())
)
trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5).filter(str.isprintable), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=20,
)


@given(trees)
def test_trees_of_plain_values_come_back(value: Any) -> None:
    assert through(value) == value


@pytest.mark.parametrize(
    "value",
    [torch.float16, torch.device("meta"), slice(1, None, 2), ..., 3 + 4j, float("-inf"), {1: "a"}],
    ids=repr,
)
def test_other_values_that_have_a_form_come_back(value: Any) -> None:
    assert through(value) == value


def test_a_generator_comes_back_as_one_of_the_same_seed() -> None:
    found = through(torch.Generator().manual_seed(7))
    assert torch.equal(
        torch.rand(5, generator=found),
        torch.rand(5, generator=torch.Generator().manual_seed(7)),
    )


class Size(IntEnum):
    SMALL = 2


class Rate(float):
    def __float__(self) -> float:
        raise AssertionError("the number itself is sent")


class Claims:
    """Say that it is a float."""

    __class__ = float  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.complex128(1 + 2j), 1 + 2j),
        (Rate(0.25), 0.25),
        (Size.SMALL, 2),
    ],
    ids=repr,
)
def test_numbers_of_other_types_come_as_pythons_own(value: Any, number: Any) -> None:
    found = through([value])[0]
    assert found == number
    assert type(found) is type(number)


def test_nan_comes_back_as_nan() -> None:
    assert through(float("nan")) != through(float("nan"))


def test_tensors_come_back_as_the_same_object_in_every_place() -> None:
    tensor = torch.randn(2)
    first, rest = through((tensor, {"again": tensor}))
    assert first is tensor
    assert rest["again"] is tensor


def used_generator() -> torch.Generator:
    generator = torch.Generator().manual_seed(7)
    torch.rand(1, generator=generator)
    return generator


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (object(), "object"),
        ({1, 2}, "set"),
        (1 << 70, "int beyond 64 bits"),
        (torch.ones(2).to_sparse(), "sparse"),
        (b"bytes", "bytes"),
        (np.datetime64("2026-01-01"), "datetime64"),
        (np.ones(2), "ndarray"),
        (Claims(), "Claims"),
        (used_generator(), "drawn from"),
        (torch.Generator().manual_seed(1 << 63), "63 bits"),
    ],
    ids=[
        "object",
        "set",
        "large int",
        "sparse tensor",
        "bytes",
        "date",
        "array",
        "claims",
        "used",
        "large seed",
    ],
)
def test_what_has_no_form_is_named(value: Any, name: str) -> None:
    found = through(value)
    assert isinstance(found, Opaque)
    assert name in found.type_name


def test_a_cyclic_list_ends() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    found = through(cyclic)
    for _ in range(MAX_DEPTH - 1):
        found = found[0]
    assert isinstance(found[0], Opaque)


@pytest.mark.parametrize(
    "node",
    [
        {},
        [],
        [1],
        ["?"],
        ["i"],
        ["i", 1.5],
        ["i", 1 << 63],
        ["i", True],
        ["f", "zz"],
        ["f", 1.0],
        ["f", "0x1p99999"],
        ["c", "0x0p+0"],
        ["T", 0],
        ["T", -1],
        ["d", 1],
        ["d", [["a"]]],
        ["d", [[["l"], 1]]],
        ["D", "float128"],
        ["V", "cuda"],
        ["S", 1],
        ["e", 1],
        ["G", -1],
        ["G", 1 << 63],
        ["G", True],
        ["G", "7"],
        ["G"],
        ["x", 1],
        ["O", 0, {}],
        1.5,
        "x" * ((1 << 20) + 1),
    ],
    ids=lambda node: str(node)[:20],
)
def test_malformed_nodes_are_violations(node: Any) -> None:
    with pytest.raises(Violation):
        Decoder((), NoObjects()).value(node)


def test_deep_nesting_is_a_violation() -> None:
    node: Any = None
    for _ in range(MAX_DEPTH + 2):
        node = ["l", node]
    with pytest.raises(Violation):
        Decoder((), NoObjects()).value(node)


def test_many_nodes_are_a_violation() -> None:
    with pytest.raises(Violation):
        Decoder((), NoObjects()).value(["l", *[None] * 100_001])


@given(st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists, max_leaves=20))
def test_garbage_nodes_never_crash(node: Any) -> None:
    try:
        Decoder((), NoObjects()).value(node)
    except Violation:
        return
