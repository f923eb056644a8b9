"""A class at a glance is right, aligned and safe."""

from __future__ import annotations

import io
from fractions import Fraction

import pytest
from rich.console import Console

from grader.export.gradebook import Row
from grader.report.overview import overview
from tests.unit.samples import RUBRIC

ROWS = (
    Row("student-001", {"s1.add": Fraction(7, 2), "s2.mean": Fraction(3)}, Fraction(13, 2)),
    Row("student-002", {"s1.add": None, "s2.mean": Fraction(1, 3)}, Fraction(4, 3), Fraction(1)),
    Row("김철수", {"s1.add": Fraction(0), "s2.mean": Fraction(0)}, Fraction(0)),
    Row("\x1b[2J[red]x", problem="unreadable"),
)


def lines(*only: str, colour: bool = False) -> list[str]:
    file = io.StringIO()
    console = Console(
        file=file, width=80, color_system="standard" if colour else None, force_terminal=colour
    )
    console.print(overview(ROWS, RUBRIC, only))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_class_in_full() -> None:
    assert lines() == [
        "                 s1.    s2.",
        "student          add   mean      total",
        "              of 3.5   of 3     of 6.5",
        "student-001      3.5      3        6.5",
        "student-002        ?   0.33   1.33 + ?",
        "김철수             0      0          0",
        "[red]x             ?      ?          ?",
    ]


def test_only_what_was_graded_is_counted() -> None:
    assert lines("s2.mean")[:4] == [
        "               s2.",
        "student       mean      total",
        "              of 3       of 3",
        "student-001      3        6.5",
    ]


@pytest.mark.parametrize(
    ("row", "code"),
    [(3, "\x1b[32m"), (4, "\x1b[33m"), (5, "\x1b[31m")],
    ids=["all points", "some", "none"],
)
def test_colours_say_how_much(row: int, code: str) -> None:
    assert code in lines(colour=True)[row]
