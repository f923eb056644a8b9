"""The lines of a student's code that a page shows: found as lines, whatever they hold."""

from __future__ import annotations

import time

import pytest

from grader.grade.evidence import Cause, Observation, Outcome, Where
from grader.report.html.excerpt import AROUND, LIMIT_LINES, LIMIT_WIDTH, Excerpt, excerpts
from tests.support.pages import CODE, LONG_LINE, NOTEBOOK, RETURN

SHORT = """\
import math

# about one
@first
@second
async def one(
    a,
):
    return a

# about two
class Two:
    value = 1

x = 3
"""


def failing(line: int | None, cell: int | None = None, file: str = "a.py") -> Observation:
    return Observation("s/c/t", "Title.", Outcome.FAILED, "wrong", where=Where(file, line, cell))


def shown(text: str, *lines: int) -> tuple[Excerpt, ...]:
    return excerpts({"a.py": text.encode()}, [failing(line) for line in lines])


@pytest.mark.parametrize(
    ("line", "title"),
    [
        pytest.param(9, "lines 4 to 9", id="body"),
        pytest.param(6, "lines 4 to 9", id="def"),
        pytest.param(4, "lines 4 to 9", id="decorator"),
        pytest.param(8, "lines 4 to 9", id="closing bracket"),
        pytest.param(13, "lines 12 to 13", id="class"),
        pytest.param(15, "lines 11 to 16", id="outside of any"),
    ],
)
def test_the_definition_around_a_line(line: int, title: str) -> None:
    (found,) = shown(SHORT, line)

    assert found.title == f"a.py, {title}"
    (run,) = found.runs
    assert [one.number for one in run.lines if one.sayings] == [line]


def test_two_marks_in_one_definition_are_one_excerpt() -> None:
    one, two = shown(SHORT, 9, 13, 6)

    assert [line.number for line in one.runs[0].lines if line.sayings] == [6, 9]
    assert [line.number for line in two.runs[0].lines if line.sayings] == [13]


def test_far_lines_of_long_code_are_folded() -> None:
    (found,) = shown(CODE, RETURN)

    assert [run.fold for run in found.runs] == ["", "37 more lines", ""]
    seen = [line for run in found.runs if not run.fold for line in run.lines]
    assert [line.number for line in seen] == [4, 5, *range(RETURN - AROUND, RETURN + 1)]
    assert LONG_LINE[:LIMIT_WIDTH] in [line.text for line in seen]


def test_a_cell_of_a_notebook_is_found_by_its_number() -> None:
    files = {"a.ipynb": NOTEBOOK.encode()}
    (found,) = excerpts(files, [failing(2, 2, "a.ipynb")])

    assert found.title == "a.ipynb cell 2, lines 1 to 2"
    assert found.runs[0].lines[1].text == "    value = <b>1</b>"


@pytest.mark.parametrize(
    "seen",
    [
        failing(None),
        failing(0),
        failing(-5),
        failing(10**300),
        failing(1, 3),
        failing(1, None, "b.py"),
        failing(1, 1, "broken.ipynb"),
        Observation("s/c/t", "Title.", Outcome.FAILED),
    ],
    ids=["no line", "zero", "negative", "beyond", "cell", "file", "broken", "no place"],
)
def test_a_place_that_is_not_there_shows_nothing(seen: Observation) -> None:
    assert excerpts({"a.py": b"x = 1\n", "broken.ipynb": b"{"}, [seen]) == ()


def test_a_line_says_a_cause_once_and_whether_it_is_a_guess() -> None:
    cause = Cause("one.minus", "Subtracted.", 2, 2)
    place = Where("a.py", 9, likely=True)
    seen = [
        Observation(f"s/c/{name}", "Title.", Outcome.FAILED, "wrong", cause=cause, where=place)
        for name in "ab"
    ]
    other = Observation("s/d/t", "A *title*.", Outcome.STUDENT_ERROR, where=Where("a.py", 9))
    (found,) = excerpts({"a.py": SHORT.encode()}, [*seen, other])

    assert [line.sayings for line in found.runs[0].lines if line.sayings] == [
        ("likely here: Subtracted.", "d: A *title*.")
    ]


@pytest.mark.parametrize(
    "text", ["    x\n" * 1_000_000, "x" * 8_000_000, "def a():\n" + "\n" * 1_000_000], ids=len
)
def test_a_file_made_to_be_slow_is_cut(text: str) -> None:
    started = time.process_time()
    found = shown(text, 1, 900_000, 999_999)

    assert time.process_time() - started < 2
    for excerpt in found:
        lines = [line for run in excerpt.runs for line in run.lines]
        assert len(lines) <= 2 * LIMIT_LINES + 2
        assert max(len(line.text) for line in lines) <= LIMIT_WIDTH
