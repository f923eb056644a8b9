"""Which outputs depend on which inputs is found for any function of a sequence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.judge.calls.faults import StudentRaised
from grader.judge.compare.leaks import leaks, mixes_samples

X = torch.randn(2, 4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
Function = Callable[[torch.Tensor], torch.Tensor]


def mean_of_the_past(x: torch.Tensor) -> torch.Tensor:
    """Each output is made of its own input and of all before it."""
    return x.cumsum(1)


def test_what_is_right_has_no_leaks() -> None:
    assert leaks(lambda x: 2 * x.cumsum(1), mean_of_the_past, X) is None


def test_the_first_leak_is_named_and_drawn() -> None:
    def one_ahead(x: torch.Tensor) -> torch.Tensor:
        return x.cumsum(1) + x.roll(-1, 1) * torch.tensor([1.0, 1, 1, 0]).reshape(1, 4, 1)

    found = leaks(one_ahead, mean_of_the_past, X)
    assert found is not None
    assert found.first == (0, 1)
    assert found.first_missing is None
    assert found.picture("which").rows == (
        (1.0, 2.0, 0.0, 0.0),
        (1.0, 1.0, 2.0, 0.0),
        (1.0, 1.0, 1.0, 2.0),
        (1.0, 1.0, 1.0, 1.0),
    )


def test_what_is_not_looked_at_is_named_too() -> None:
    found = leaks(lambda x: x, mean_of_the_past, X)
    assert found is not None
    assert found.first is None
    assert found.first_missing == (1, 0)
    assert found.picture("which").rows[1] == (3.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "function",
    [lambda x: x.sum(1), lambda x: x.mean(), lambda x: x * torch.nan],
    ids=["no-sequence", "a-number", "nan"],
)
def test_nothing_is_said_of_other_answers(function: Function) -> None:
    assert leaks(function, mean_of_the_past, X) is None


def test_few_calls_tell_it_where_samples_do_not_meet() -> None:
    calls: list[int] = []

    def counted(x: torch.Tensor) -> torch.Tensor:
        calls.append(len(x))
        return x.flip(1).cumsum(1).flip(1)

    found = leaks(counted, mean_of_the_past, X)
    assert found is not None
    assert found.first == (0, 1)
    assert calls == [2, 2, 5]


@pytest.mark.parametrize("meet", ["mean", "refuse"])
def test_samples_that_meet_are_changed_one_by_one(meet: str) -> None:
    def meeting(x: torch.Tensor) -> torch.Tensor:
        if meet == "refuse" and len(x) != 2:
            raise StudentRaised("ValueError", ("Exception",), "two", None, own=True)
        return x.flip(1).cumsum(1).flip(1) + (x.mean(0) if meet == "mean" else 0)

    found = leaks(meeting, mean_of_the_past, X)
    assert found is not None
    assert found.first == (0, 1)
    assert found.student == [[output <= given for given in range(4)] for output in range(4)]


def test_samples_that_mix_are_seen() -> None:
    assert mixes_samples(lambda x: x + x.mean(0), X)
    assert not mixes_samples(mean_of_the_past, X)
