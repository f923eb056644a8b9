"""A name that is a formula stays a name in every CSV file, and comes back as the same name."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.cells import decoded, plain_cell, safe_cell
from grader.batch.discovery import discover
from grader.batch.gradebook import Given, Row, Written, gradebook
from grader.batch.written_points import points_file, read_points
from grader.course.questions import WrittenItem
from tests.unit.samples import RUBRIC

ITEM = WrittenItem("s1.why", "s1_sums", Fraction(3), "Why?")
NAMES = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\uff1d1+1",  # a wide equals sign, which spreadsheets in East Asia take for one
    "\ufe661+1",
    '"=1+1',
    "'=1+1",
    "\u3000=1+1",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "a;=1+1",  # `;` begins a cell where it is the separator
    'a;"=1+1',
    "a\t=1+1",
    'a",=1+1',
    "=cmd|'|calc'!A1",
    '=HYPERLINK("http:x","y")',
)
"""Each as the name of a submission, so without a slash."""
TEXT = frozenset({"'=1+1", 'a",=1+1'})
"""Those that a spreadsheet shows as they are: they must not become one on the way."""
FORMULA = tuple("=+-@\uff1d\ufe66")


def opened(data: bytes, separator: str) -> list[list[str]]:
    """The cells as a spreadsheet makes them, where this is the separator."""
    return list(csv.reader(io.StringIO(decoded(data), newline=""), delimiter=separator))


def formulas(data: bytes) -> list[str]:
    return [
        cell
        for separator in ",;\t"
        for cells in opened(data, separator)
        for cell in cells
        if cell.strip(' \t\r\n\u3000"').startswith(FORMULA)
    ]


def handed_in(tmp_path: Path, *names: str) -> list[Row]:
    """A submission of each name, and what is known of it."""
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "s1_sums.py").write_text("x = 1\n")
    found = discover(tmp_path, tmp_path / "out").entries
    return [Row(one.id, problem=one.id, written={ITEM.slug: Written(1, "0")}) for one in found]


@pytest.mark.parametrize("name", NAMES)
def test_a_formula_as_a_name_is_text(tmp_path: Path, name: str) -> None:
    rows = handed_in(tmp_path, name)
    given = {(rows[0].id, ITEM.slug): Given(Fraction(1), comment=name)}

    for text in (gradebook(rows, RUBRIC), points_file(rows, [ITEM], given)):
        assert formulas(text.encode()) == []


@pytest.mark.parametrize("name", sorted({*NAMES} - TEXT))
def test_written_as_it_is_the_name_would_be_a_formula(name: str) -> None:
    """The control: nothing but what makes cells safe stands in the way."""
    text = io.StringIO()
    csv.writer(text).writerow(["student-001", name])

    assert formulas(text.getvalue().encode()) != []


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    (row,) = handed_in(tmp_path, name)
    assert plain_cell(safe_cell(row.id)) == row.id


def test_nobody_gets_the_points_of_another_whose_name_looks_alike(tmp_path: Path) -> None:
    """`;=` was once written as `,=`, so that two names were one."""
    rows = handed_in(tmp_path, "a;=1", "a,=1", "'=1", "=1", "''=1")
    given = {(row.id, ITEM.slug): Given(Fraction(n, 2)) for n, row in enumerate(rows, 1)}
    file = tmp_path / "written.csv"
    file.write_text(points_file(rows, [ITEM], given), encoding="utf-8")

    found = read_points(file, [], {ITEM.slug: ITEM}, [row.id for row in rows])

    assert {key: one.points for key, one in found.items()} == {
        key: one.points for key, one in given.items()
    }
