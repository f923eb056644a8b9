"""A class at a glance is right, aligned and safe."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.batch.gradebook import Row
from grader.batch.overview import overview
from grader.course.course import find_course
from tests.unit.samples import RUBRIC

ROWS = (
    Row("student-001", {"s1.add": Fraction(7, 2), "s2.mean": Fraction(3)}, Fraction(13, 2)),
    Row("student-002", {"s1.add": None, "s2.mean": Fraction(1, 3)}, Fraction(4, 3), Fraction(1)),
    Row("김철수", {"s1.add": Fraction(0), "s2.mean": Fraction(0)}, Fraction(0)),
    Row("\x1b[2J[red]x", problem="unreadable"),
)


def lines(*only: str, colour: bool = False, width: int = 80) -> list[str]:
    file = io.StringIO()
    console = Console(
        file=file, width=width, color_system="standard" if colour else None, force_terminal=colour
    )
    console.print(overview(ROWS, RUBRIC, only, width))
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


COURSE = find_course(Path(__file__).parent).rubric
LONG = "student-001_assignsubmission_file_12345"


def of_course(width: int, *ids: str) -> list[str]:
    points = {slug: one.points for slug, one in COURSE.exercises.items()}
    rows = [
        Row(id, {**points, "a3.mha": None}, sum(points.values(), Fraction(0)), Fraction(1))
        for id in ids
    ]
    file = io.StringIO()
    Console(file=file, width=width).print(overview(rows, COURSE, ["a1.sdpa", *points], width))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_narrow_table_adds_up_assignments() -> None:
    assert of_course(64, "student-001", "김철수") == [
        "                                                         auto-",
        "student         a1     a2     a3     a4     a5     a6    matic",
        "             of 47  of 35  of 57  of 81  of 43  of 42   of 305",
        "student-001     47     35      ?     81     43     42  305 + ?",
        "김철수          47     35      ?     81     43     42  305 + ?",
    ]


@pytest.mark.parametrize("width", [60, 80, 120, 300])
def test_names_and_totals_are_whole_in_any_width(width: int) -> None:
    found = of_course(width, LONG, "김철수")

    assert max(map(cell_len, found)) <= width
    assert LONG in "".join(line.split(" ")[0] for line in found)
    assert [line.split()[0] for line in found if "305 + ?" in line][-1] == "김철수"


def test_where_there_is_no_room_for_assignments_the_total_stays() -> None:
    assert of_course(36, "student-001")[-1] == "student-001   305 + ?"


def test_a_wide_table_has_every_exercise() -> None:
    assert of_course(300, "student-001")[-1].split().count("?") == 2
