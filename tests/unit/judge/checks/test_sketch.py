"""Sketches and fingerprints tell answers apart, and know equal ones again."""

from __future__ import annotations

import pytest
import torch

from grader.judge.checks.sketch import LAST, LEAVES, fingerprint, sketch

X = torch.tensor([[1.0, -2.0], [3.0, 4.0]])


def test_a_sketch_says_kind_size_and_weighted_sum() -> None:
    exact, numbers = sketch((X, {"n": 3, "none": None}))
    assert exact == "torch.float32 (2, 2) False; 3; None"
    assert numbers[:2] == [0.0, 10.0]


@pytest.mark.parametrize(
    "other",
    [X.T, -X, X[:1], X.double(), X.clone().requires_grad_(), X / 0, X + 1e-3, (X, X)],
    ids=["order", "sign", "shape", "dtype", "gradient", "infinite", "number", "count"],
)
def test_other_answers_have_other_sketches(other: object) -> None:
    assert sketch(other) != sketch(X)


def test_the_same_answer_has_the_same_sketch() -> None:
    assert sketch(X.T.contiguous().T) == sketch(X)


def test_what_has_no_numbers_has_a_kind() -> None:
    assert sketch(torch.empty(2, device="meta")) == ["torch.float32 (2,) False", []]
    assert sketch(object()) == ["object", []]


def attention(scores: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return torch.softmax(scores, dim=-1) @ values


def by_hand(scores: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The same function in other operations, whose last digits differ."""
    raised = (scores.double() - 3).exp()
    return torch.einsum("qk,kd->qd", raised / raised.sum(1, keepdim=True), values.double())


def test_equal_functions_have_one_fingerprint_whatever_their_operations() -> None:
    generator = torch.Generator().manual_seed(0)
    draws = [
        (torch.randn(5, 5, generator=generator), torch.randn(5, 3, generator=generator))
        for _ in range(200)
    ]
    pairs = [(attention(*draw), by_hand(*draw)) for draw in draws]

    assert any(not torch.equal(one.double(), other) for one, other in pairs)
    alike = sum(fingerprint([one]) == fingerprint([other]) for one, other in pairs)
    assert alike >= 195
    assert len({fingerprint([one]) for one, _other in pairs}) == 200


@pytest.mark.parametrize(
    "other",
    [[X.T], [-X], [X[:1]], [X / 0], [X * 1.01], [X, X], [[X, X]], [3.0], ["ValueError"], []],
    ids=[
        "order",
        "sign",
        "shape",
        "infinite",
        "number",
        "count",
        "parts",
        "float",
        "error",
        "none",
    ],
)
def test_other_values_have_other_fingerprints(other: list[object]) -> None:
    assert fingerprint(other) != fingerprint([X])


def test_a_fingerprint_is_short_whatever_was_compared() -> None:
    many = [{str(number): X for number in range(1000)} for _ in range(LAST + 1)]
    names = ["x" * 10_000] * 3

    assert len(fingerprint(many)) < 60 * LEAVES
    assert len(fingerprint(names)) < 60 * LEAVES


def test_what_has_no_numbers_has_a_fingerprint_too() -> None:
    meta = torch.empty(2, 3, device="meta")
    assert fingerprint([meta, object(), None, True]) == "4 (2x3) ? None True"
