"""Comparison: what agrees, what does not, and the words for it."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch

from grader.judge.calls.handles import Invoker, RemoteFunction, RemoteModule
from grader.judge.compare.compare import difference
from grader.judge.wording.differences import in_words
from grader.wire.values import Opaque

NAN, INF = torch.nan, torch.inf
T = torch.tensor
NOBODY = cast(Invoker, None)
MODULE = RemoteModule(NOBODY, 0, {"type": "0.25 0.5", "parameters": []})
FUNCTION = RemoteFunction(NOBODY, ["H", 1], "0.25 0.5")


def found(observed: Any, expected: Any, atol: float = 1e-8) -> tuple[str, str] | None:
    problem = difference(observed, expected, atol=atol, rtol=atol)
    return None if problem is None else in_words(problem)


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        (T([1.0, 2.0]), T([1.0, 2.0 + 1e-9])),
        (T([1e6]).double(), T([1e6]).double() + 1e-3),
        (T([NAN, 1.0]), T([NAN, 1.0])),
        (T([INF, -INF]), T([INF, -INF])),
        (T([True]), T([True])),
        (torch.empty(0), torch.empty(0)),
        ((T([1.0]), [T([2])]), [T([1.0]), (T([2]),)]),
        (None, None),
        (3, 3),
    ],
    ids=["close", "relative", "NaN", "inf", "bool", "empty", "tree", "None", "int"],
)
def test_these_agree(observed: Any, expected: Any) -> None:
    assert found(observed, expected) is None


@pytest.mark.parametrize(
    ("observed", "expected", "words"),
    [
        (T([1.0, 2.5]), T([1.0, 2.0]), ("output differs by up to 0.5, first at [1]",
                                        "the reference's values within 3e-08")),
        (T([1.0, NAN]), T([1.0, 2.0]), ("output is NaN at [1]", "finite values")),
        (T([NAN, NAN]), T([1.0, 2.0]), ("output is NaN at [0] and 1 more", "finite values")),
        (T([INF]), T([1.0]), ("output is infinity at [0]", "finite values")),
        (T([1.0]), T([NAN]), ("output is finite at [0]", "no finite value there")),
        (T([INF]), T([-INF]), ("output is finite at [0]", "no finite value there")),
        (T([[1.0]]), T([1.0]), ("output has shape (1, 1)", "shape (1,)")),
        (T([1.0]), T([1.0]).double(), ("output has dtype float32", "dtype float64")),
        (T([1, 2]), T([1, 3]), ("output differs at [1], and at 1 places in all",
                                "the reference's values")),
        (None, T([1.0]), ("output is None", "a tensor of shape (1,)")),
        (Opaque("set"), T([1.0]), ("output is an object of type set", "a tensor of shape (1,)")),
        (Opaque("Tree"), T([1.0]), ("output is an object", "a tensor of shape (1,)")),
        ("0.25 0.5", T([1.0]), ("output is a text", "a tensor of shape (1,)")),
        (T([1.0]), (T([1.0]),), ("output is a tensor of shape (1,)",
                                 "output: a tuple of 1 items")),
        ((T([1.0]), T([2.0])), (T([1.0]), T([3.0])), ("output[1] differs by up to 1, first at [0]",
                                                      "the reference's values within 4e-08")),
        (3, 4, ("output is int 3", "int 4")),
        ({"0.25 0.5": 1}, 4, ("output is a dict of 1 items", "int 4")),
        (slice("0.25"), 4, ("output is an object", "int 4")),
        (MODULE, 4, ("output is a module", "int 4")),
        (FUNCTION, 4, ("output is a function", "int 4")),
    ],
    ids=["value", "NaN", "NaNs", "inf", "finite", "sign of inf", "shape", "dtype", "ints", "None",
         "opaque", "own type", "text", "tuple", "second", "number", "dict", "slice", "module",
         "function"],
)  # fmt: skip
def test_these_differ(observed: Any, expected: Any, words: tuple[str, str]) -> None:
    assert found(observed, expected) == words


@pytest.mark.parametrize("fill", [0.0, 1.0, 1 / 7], ids=["zeros", "ones", "uniform"])
def test_constants_are_never_within_tolerance(fill: float) -> None:
    torch.manual_seed(0)
    weights = torch.softmax(torch.randn(4, 7, dtype=torch.float64), -1)
    for atol in (1e-8, 1e-5):
        assert found(torch.full_like(weights, fill), weights, atol) is not None
