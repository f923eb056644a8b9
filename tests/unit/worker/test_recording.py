"""What a student's lines compute is recorded in order, within bounds, and changes nothing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.worker import recording
from grader.worker.recording import MAX_ROWS, Recorder

X = torch.arange(6.0).reshape(2, 3)
Rows = list[tuple[int, str]]


def place(filename: str) -> tuple[str, int | None] | None:
    return ("a1.py", 4) if filename == "student" else None


def defined(source: str) -> Callable[..., Any]:
    space: dict[str, Any] = {"torch": torch, "sys": sys}
    exec(compile(source, "student", "exec"), space)
    work: Callable[..., Any] = space["work"]
    return work


def recorded(source: str, *args: Any) -> Recorder:
    work, recorder, before = defined(source), Recorder(place), sys.gettrace()
    with recorder.recording(), contextlib.suppress(ZeroDivisionError):
        work(*args)
    assert sys.gettrace() is before
    return recorder


def names(recorder: Recorder) -> Rows:
    return [(row.line, row.name) for row in recorder.rows if row.name]


def test_each_line_is_recorded_with_the_name_that_it_gives_a_value() -> None:
    recorder = recorded("def work(x):\n    y = x + 1\n    y = y * 2\n    return y @ y.T\n", X)

    assert names(recorder) == [(2, "y"), (3, "y"), (4, "()")]
    assert {(row.file, row.cell) for row in recorder.rows} == {("a1.py", 4)}
    assert torch.equal([row.value for row in recorder.rows if row.name][1], (X + 1) * 2)


def test_a_part_of_a_line_is_recorded_with_its_place_in_the_line() -> None:
    line = "    return torch.softmax(x + 1, dim=-1) * 2\n"
    recorder = recorded(f"def work(x):\n{line}", X)

    parts = [line[row.start : row.end] for row in recorder.rows if not row.name]

    assert parts == ["x + 1", "torch.softmax(x + 1, dim=-1)", "torch.softmax(x + 1, dim=-1) * 2"]


def test_a_change_in_place_is_a_new_value_and_an_argument_is_none() -> None:
    recorder = recorded("def work(x):\n    y = x + 0\n    y += 1\n    z = y\n", X)

    assert names(recorder) == [(2, "y"), (3, "y"), (4, "z")]
    assert torch.equal(next(row.value for row in recorder.rows if row.name), X)


def test_of_a_loop_the_first_two_and_the_last_times_are_kept() -> None:
    source = "def work(x):\n    for n in range(9):\n        y = x * n\n"

    values = [row.value for row in recorded(source, X).rows if row.name == "y"]

    assert [float(value[0, 1]) for value in values] == [0.0, 1.0, 8.0]


def test_an_exception_leaves_what_was_computed_before() -> None:
    assert names(recorded("def work(x):\n    y = x + 1\n    return 1 / 0\n", X)) == [(2, "y")]


def test_what_a_helper_and_a_comprehension_compute_is_recorded_too() -> None:
    source = (
        "def twice(x):\n    return x * 2\n"
        "def work(x):\n    y = twice(x)\n    return [row + 1 for row in y]\n"
    )

    assert names(recorded(source, X)) == [(2, "twice()"), (4, "y"), (5, "row"), (5, "row")]


def test_a_generator_is_recorded_and_what_it_yields_is_not_what_it_returns() -> None:
    source = (
        "def parts(x):\n    for row in x:\n        y = row + 1\n        yield y\n"
        "def work(x):\n    z = torch.stack(list(parts(x)))\n"
    )

    assert (6, "z") in names(recorded(source, X))
    assert not [name for _line, name in names(recorded(source, X)) if name.endswith("()")]


@pytest.mark.parametrize(
    "source",
    [
        "def work(x):\n    sys.settrace(None)\n    y = x - x\n    return None\n",
        "def work(x):\n    exec('y = x + 1', {'x': x})\n    return None\n",
        "def work(x):\n    y = x > 1\n    z = (x.long(), 3, 'text')\n    return None\n",
        "def work(x):\n    class Mine(torch.Tensor): pass\n    y = x.as_subclass(Mine)\n",
        "def work(x):\n    y = x.to('meta')\n    return None\n",
    ],
    ids=["no hook any more", "text that is run", "no floats", "a subclass", "no numbers"],
)
def test_these_values_get_no_name(source: str) -> None:
    assert names(recorded(source, X)) == []


def test_a_huge_tensor_is_left_out() -> None:
    recorder = recorded("def work(x):\n    y = torch.rand(1000, 1000)\n    z = x + 1\n", X)

    assert names(recorder) == [(3, "z")]


def test_there_is_a_last_row() -> None:
    source = "def work(x):\n" + "".join(f"    y{n} = x + {n}\n" for n in range(MAX_ROWS))

    assert len(recorded(source, X).rows) == MAX_ROWS


def test_there_is_a_last_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MAX_NUMBERS_IN_ALL", 20)
    recorder = recorded("def work(x):\n    y = x.clone()\n    z = y.clone()\n    w = z\n", X)

    assert sum(row.value.numel() for row in recorder.rows) == 18


def test_recursion_is_recorded_within_the_same_bounds() -> None:
    source = "def work(x, n=200):\n    y = x + n\n    return work(y, n - 1) if n else y\n"

    assert [line for line, name in names(recorded(source, X)) if name == "y"] == [2, 2, 2]


def test_a_long_loop_is_given_up_by_the_number_of_its_events() -> None:
    source = "def work(x):\n    for m in range(30_000):\n        y = x + m\n    return y\n"
    recorder = recorded(source, X)

    assert float([row for row in recorder.rows if row.name == "y"][-1].value[0, 0]) < 20_000


def test_nothing_is_kept_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MAX_S", -1.0)

    assert recorded("def work(x):\n    for m in range(99):\n        y = x + m\n", X).rows == []


def test_the_answer_and_its_gradient_are_what_they_are_without_a_record() -> None:
    work = defined("def work(x):\n    y = x * 3\n    y = y ** 2\n    return y.sum()\n")
    plain, watched = X.clone().requires_grad_(), X.clone().requires_grad_()
    work(plain).backward()

    with Recorder(place).recording():
        answer = work(watched)
    answer.backward()

    assert torch.equal(plain.grad, watched.grad)  # type: ignore[arg-type]
