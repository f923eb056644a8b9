"""A class that is being graded is shown: drawn anew in a terminal, else a line now and then."""

from __future__ import annotations

from fractions import Fraction

import pytest
from rich.console import Console

from grader.batch.gradebook import Row
from grader.batch.progress import ProgressCount
from grader.cli import class_progress
from grader.cli.class_progress import progress, view


def shown(count: ProgressCount, last: str, width: int) -> list[str]:
    console = Console(width=width, color_system=None, force_terminal=True)
    with console.capture() as capture:
        console.print(view(count, last))
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [80, 60])
def test_the_view_fits_into_narrow_terminals(width: int) -> None:
    times = iter([0.0, 7.0, 7.0, 60.0, 60.0])
    count = ProgressCount(40, 1, lambda: next(times))
    count.steps.on_start("student-001")
    count.finish(Row("student-001", total=Fraction(13, 2)))
    count.steps.on_start("student-002")

    head, counts, slowest, last = shown(count, "student-001: " + "6.5 points " * 9, width)

    assert head.split() == ["grading", "╸", "1", "of", "40"]
    assert counts == "38 waiting, 0 could not be checked, about 5 min left"
    assert slowest == "slowest at work: student-002, 53 s"
    assert (len(last), last[-1]) == (width, "…")


def test_a_name_cannot_change_the_terminal() -> None:
    count = ProgressCount(1, 1, lambda: 0.0)
    count.steps.on_start("\x1b[2J[red]x\n::error::")

    [*_head, slowest] = shown(count, "", 80)

    assert "\x1b[2J" not in slowest
    assert "[red]x" in slowest


def test_without_a_terminal_there_is_a_line_on_the_whole_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Row(f"s-{number}", total=Fraction(number)) for number in range(3)]
    for every_s in (0.0, 1000.0):
        monkeypatch.setattr(class_progress, "EVERY_S", every_s)
        with progress(3, 1) as listener:
            for row in rows:
                listener.on_row(row)

    often, rarely = capsys.readouterr().err.split("[3/3] s-2: 2 points\n")[:2]
    assert often == (
        "[1/3] s-0: 0 points\n"
        "1 done, 2 waiting, 0 could not be checked\n"
        "[2/3] s-1: 1 points\n"
        "2 done, 1 waiting, 0 could not be checked\n"
    )
    assert rarely == "[1/3] s-0: 0 points\n[2/3] s-1: 1 points\n"
