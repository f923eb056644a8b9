"""A right function lent to student code: within bounds, and never a fault of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.judge.calls.faults import CheckFailed
from grader.judge.calls.reference_callback import MAX_CALLS, Answers

NO_VALUE = "something that is no tensor and no number"


def double(x: torch.Tensor, scale: float = 2.0) -> torch.Tensor:
    return x * scale


def outer(x: torch.Tensor) -> torch.Tensor:
    return x[:, None] * x[None, :]


def test_it_answers_with_values_and_gradients() -> None:
    answers = Answers("double", double)
    x = torch.ones(3, requires_grad=True)
    answers(x, scale=3.0).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [3.0, 3.0, 3.0]
    assert answers.calls == 1


@pytest.mark.parametrize(
    ("call", "observed"),
    [
        (lambda f: f(print), "called double with something that is no tensor and no number"),
        (
            lambda f: f({"a": object()}),
            "called double with something that is no tensor and no number",
        ),
        (
            lambda f: f(torch.zeros(1).expand(1 << 40)),
            "called double with far more numbers than it was given",
        ),
        (lambda f: f("text", scale=2.5), "called double with arguments that raise TypeError"),
        (lambda f: f(), "called double with arguments that raise TypeError"),
    ],
    ids=["function", "object", "huge", "text", "nothing"],
)
def test_what_it_cannot_take_is_the_callers_mistake(
    call: Callable[[Any], Any], observed: str
) -> None:
    with pytest.raises(CheckFailed) as caught:
        call(Answers("double", double))
    assert caught.value.observed == observed


def test_it_does_not_take_the_memory_of_the_judge() -> None:
    """65,536 numbers are few; their outer product would take 32 GiB."""
    x = torch.zeros(1 << 16, dtype=torch.float64)
    with pytest.raises(CheckFailed) as caught:
        Answers("outer", outer)(x)
    assert caught.value.observed == "called outer with arguments that raise RuntimeError"
    assert outer(torch.zeros(1 << 13)).numel() == 1 << 26, "the bound is lifted afterwards"


def test_numbers_are_counted_over_all_calls() -> None:
    answers, x = Answers("double", double), torch.zeros(1 << 18)
    with pytest.raises(CheckFailed) as caught:
        for _ in range(20):
            answers(x)
    assert caught.value.observed == "called double with far more numbers than it was given"
    assert answers.calls == 10


def test_calls_are_counted() -> None:
    answers = Answers("double", double)
    for _ in range(MAX_CALLS):
        answers(torch.zeros(1))
    with pytest.raises(CheckFailed) as caught:
        answers(torch.zeros(1))
    assert caught.value.observed == f"called double more than {MAX_CALLS} times"
