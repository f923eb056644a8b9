"""What runs is seen however the code came by it, and nothing else is changed by looking."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.worker import operations
from grader.worker.operations import Operations, Row

ATTEND = "torch.nn.functional.scaled_dot_product_attention"
SOFTMAX, RELU, LINEAR = "torch.nn.functional.softmax", "torch.relu", "torch.nn.Linear"
SOURCE = """
def work(F, x):
    name = "_".join(["scaled", "dot", "product", "attention"])
    return vars(F)[name](x, x, x)
"""
X = torch.ones(1, 2, 3)


def place(filename: str) -> tuple[str, int | None] | None:
    return ("a1.py", 4) if filename == "student" else None


def seen(work: Callable[[], object], *names: str) -> list[Row]:
    found = Operations(names, place)
    with found.watching():
        work()
    assert sys.getprofile() is None
    return found.rows


def test_a_function_is_seen_with_the_line_that_called_it() -> None:
    space: dict[str, Callable[..., object]] = {}
    exec(compile(SOURCE, "student", "exec"), space)

    assert seen(lambda: space["work"](F, X), ATTEND) == [[ATTEND, "a1.py", 4, 4]]


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (lambda: F.softmax(X, -1), SOFTMAX),
        (lambda: torch.relu(X), RELU),
        (lambda: nn.Sequential(nn.Linear(3, 3))(X), LINEAR),
    ],
    ids=["Python", "C", "module"],
)
def test_functions_and_modules_of_any_kind_are_seen(work: Callable[[], object], name: str) -> None:
    assert [row[0] for row in seen(work, ATTEND, SOFTMAX, RELU, LINEAR)] == [name]


def test_what_is_only_named_or_made_did_not_run() -> None:
    assert seen(lambda: (F.softmax, torch.relu, nn.Linear(2, 2)), SOFTMAX, RELU, LINEAR) == []


def test_a_name_that_nothing_has_is_never_seen() -> None:
    assert seen(lambda: torch.relu(X), "torch.nn.functional.nothing", "numpy.no.thing") == []


def test_another_profiler_is_left_alone() -> None:
    events = []
    sys.setprofile(lambda frame, event, arg: events.append(event))
    try:
        found = Operations([RELU], place)
        before = sys.getprofile()
        with found.watching():
            torch.relu(X)
        assert sys.getprofile() is before
    finally:
        sys.setprofile(None)
    assert events
    assert found.rows == []


def test_it_stops_looking_at_code_that_makes_very_many_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(operations, "MAX_EVENTS", 10)

    def work() -> None:
        for _ in range(20):
            torch.neg(X)
        assert sys.getprofile() is None
        torch.relu(X)

    assert seen(work, RELU) == []


def test_what_was_seen_before_an_exception_stays() -> None:
    def work() -> None:
        torch.relu(X)
        raise ValueError("its own")

    found = Operations([RELU], place)
    with pytest.raises(ValueError, match="own"), found.watching():
        work()
    assert [row[0] for row in found.rows] == [RELU]
    assert sys.getprofile() is None
