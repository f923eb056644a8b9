"""Answers of the reference are remembered where that is quicker than to compute them."""

from __future__ import annotations

from types import FunctionType

import pytest
import torch
from torch import nn

from grader.judge.reference.memo import (
    CHEAP_S,
    Memo,
    Reference,
    ReferenceFunction,
    ReferenceModule,
)

X = torch.ones(2, 3)
calls: list[torch.Tensor] = []


class Clock:
    """A clock that stands still but for calls that take long: no busy machine makes one slow."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


clock = Clock()


def memo_by_clock() -> Memo:
    return Memo(clock)


def quick(x: torch.Tensor) -> torch.Tensor:
    calls.append(x)
    return x * 2


def slow(x: torch.Tensor) -> torch.Tensor:
    clock.now += 2 * CHEAP_S
    return quick(x)


class Slow(nn.Linear):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return slow(super().forward(input))


@pytest.fixture(autouse=True)
def nothing_called() -> None:
    calls.clear()


def remembered(function: object, memo: Memo) -> ReferenceFunction:
    assert isinstance(function, FunctionType)
    return ReferenceFunction(function, memo)


def test_what_takes_long_is_computed_once_for_the_same_numbers() -> None:
    function = remembered(slow, memo_by_clock())
    with torch.no_grad():
        found = [function(X), function(X.clone()), function(X + 1)]

    assert len(calls) == 2
    assert [float(one.sum()) for one in found] == [12, 12, 24]


def test_what_is_quick_is_computed_anew_and_asks_for_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    function = remembered(quick, memo_by_clock())
    with torch.no_grad():
        function(X)
        monkeypatch.setattr(ReferenceFunction, "key", None)
        found = [function(X), function(X)]

    assert len(calls) == 3
    assert [float(one.sum()) for one in found] == [12, 12]


def test_other_shapes_may_take_longer() -> None:
    memo = memo_by_clock()
    function = remembered(quick, memo)
    assert function.kind(X) != function.kind(X[:1])
    assert function.kind(X) == function.kind(X + 1)


def test_what_comes_back_is_nobody_elses() -> None:
    function = remembered(slow, memo_by_clock())
    with torch.no_grad():
        function(X).add_(1)
        again = function(X)

    assert float(again.sum()) == 12
    assert len(calls) == 1


def test_functions_of_an_assignment_are_remembered() -> None:
    module = type("Module", (), {})()
    module.slow = slow
    reference = Reference(module, memo_by_clock())
    with torch.no_grad():
        assert torch.equal(reference.slow(X), reference.slow(X.clone()))

    assert len(calls) == 1


def test_modules_are_told_apart_by_their_numbers() -> None:
    memo = memo_by_clock()
    one, other = (ReferenceModule(Slow(3, 3).eval(), memo) for _ in range(2))
    with torch.no_grad():
        found = [one(X), other(X), one(X)]

    assert len(calls) == 2
    assert torch.equal(found[0], found[2])
    assert not torch.equal(found[0], found[1])
    assert one.kind(X) == other.kind(X)


def test_with_gradients_and_when_told_so_nothing_is_remembered() -> None:
    memo = memo_by_clock()
    function = remembered(slow, memo)
    function(X)
    function(X)
    memo.enabled = False
    with torch.no_grad():
        function(X)
        function(X)

    assert len(calls) == 4


def test_what_has_no_key_is_computed() -> None:
    assert memo_by_clock().get("any", lambda: None, lambda: 3) == 3
