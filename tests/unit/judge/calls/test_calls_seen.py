"""What ran is known from the page that a worker shares, or from its word, and from nothing else."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from grader.grade.evidence import Where
from grader.judge.calls.calls_seen import Ran
from grader.worker.tally import MARKS, ROW, ROWS, Tally, mapped, new_page

ATTEND = "torch.nn.functional.scaled_dot_product_attention"
GELU, RELU = "torch.nn.functional.gelu", "torch.relu"
OPERATORS = {GELU: (), ATTEND: ("aten::scaled_dot_product_attention",), "torch.nn.Linear": ()}


def place(file: Any, cell: Any, line: Any) -> Where | None:
    return Where(file, line, cell) if file == "a1.py" else None


@pytest.fixture
def page() -> Iterator[tuple[Tally, Any]]:
    fd = new_page()
    tally = Tally(fd)
    yield tally, mapped(fd)
    tally.close()
    os.close(fd)


def ran_once(page: Any, number: int, file: int, cell: int, line: int) -> None:
    at = ROWS + number * ROW.size
    (times,) = struct.unpack_from("=I", page, at)
    ROW.pack_into(page, at, times + 1, file, cell, line)


def counting() -> Ran:
    return Ran(place, OPERATORS, ("a1.py", "gone.py"))


def test_what_has_operators_or_is_python_is_counted_and_the_rest_looked_for() -> None:
    ran = counting()
    ran.watch("a1.sums", (GELU, ATTEND))

    assert list(ran.counted) == [ATTEND, "torch.nn.Linear"]
    assert ran.settings == {"watch": [GELU]}


def test_what_is_counted_in_a_check_is_its_exercises(page: tuple[Tally, Any]) -> None:
    (tally, bytes_), ran = page, counting()
    ran.begin("a1.sums", "a1.sums/outputs/test_one")
    ran_once(bytes_, 0, 1, 0, 7)
    assert ran.take(tally)
    assert not ran.take(tally)
    ran.begin()
    ran_once(bytes_, 1, 1, 0, 9)
    assert ran.take(tally)

    assert ran.of("a1.sums") == {ATTEND: Where("a1.py", 7)}
    assert ran.checks("a1.sums") == ["a1.sums/outputs/test_one"]


@pytest.mark.parametrize(
    ("row", "hidden"),
    [((1, 0, 7), True), ((2, 0, 7), False), ((99, 0, 7), False), ((0, 0, 0), False)],
    ids=["in a hidden check", "a line that is not there", "no such file", "no line of theirs"],
)
def test_a_place_is_told_only_where_it_can_carry_nothing(
    page: tuple[Tally, Any], row: tuple[int, int, int], hidden: bool
) -> None:
    (tally, bytes_), ran = page, counting()
    ran.begin("a1.sums", "a1.sums/outputs/test_one", hidden=hidden)
    ran_once(bytes_, 0, *row)
    ran.take(tally)
    assert ran.of("a1.sums") == {ATTEND: None}


def test_a_page_full_of_anything_is_numbers(page: tuple[Tally, Any]) -> None:
    (tally, bytes_), ran = page, counting()
    ran.begin("a1.sums", "a1.sums/outputs/test_one")
    bytes_[:] = b"\xff" * len(bytes_)
    ran.take(tally)
    assert set(ran.of("a1.sums")) == {ATTEND, "torch.nn.Linear"}


def test_what_reached_for_what_counts_is_known(page: tuple[Tally, Any]) -> None:
    (tally, bytes_), ran = page, counting()
    ran.take(tally)
    assert ran.events == []
    bytes_[MARKS + 1] = 1
    ran.take(tally)
    assert ran.events == ["sys.settrace"]


@pytest.mark.parametrize(
    ("noted", "found"),
    [
        ([[GELU, "a1.py", None, 3]], {GELU: Where("a1.py", 3)}),
        ([[GELU, "the hidden input", None, 3]], {GELU: None}),
        ([[GELU, "a1.py", None, 3], [GELU, "a1.py", None, 9]], {GELU: Where("a1.py", 3)}),
        ([["the hidden input", "a1.py", None, 3]], {}),
        ([[RELU, "a1.py", None, 3]], {}),
        ([[GELU, "a1.py"], GELU, None, [[GELU], 1, 2, 3]], {}),
        ({"a": 1}, {}),
        (None, {}),
    ],
    ids=["seen", "no place", "first", "other text", "not asked", "shapes", "dict", "nothing"],
)
def test_what_is_told(noted: Any, found: dict[str, Where | None]) -> None:
    ran = Ran(place)
    ran.watch("a1.sums", (GELU,))
    ran.note(noted)
    assert ran.reported("a1.sums") == found


def test_nothing_is_noted_when_nothing_is_watched() -> None:
    ran = Ran(place)
    ran.watch("a1.sums", (GELU,))
    ran.watch("a1.sums", ())
    ran.note([[GELU, "a1.py", None, 3]])
    assert ran.reported("a1.sums") == {}
    assert ran.settings == {}
    assert ran.watched("a1.sums")
    assert not ran.watched("a1.other")
