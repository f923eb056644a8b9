"""Fill the grading worksheet that an instructor downloaded from Moodle, to be uploaded again.

Only grades and empty feedback comments are changed; every other byte stays. Moodle silently passes
over a grade above the maximum, so it becomes the maximum, and that is said.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from grader.batch.cells import safe_cell
from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass, StudentResult
from grader.export.matching import Addressee, Matches, match
from grader.export.moodle_columns import MoodleColumns, columns_of, participant
from grader.export.points import like, names, number_in, other_maximum, scaled
from grader.export.table import DownloadedTable, TableRow, TextCell, read_table
from grader.export.words import points_in_short


@dataclass(frozen=True)
class Worksheet:
    """A grading worksheet, and whose row is which student's."""

    table: DownloadedTable
    columns: MoodleColumns
    matches: Matches

    def maximum(self, row: TableRow) -> tuple[Fraction | None, str]:
        """Return the maximum of a row as a number and as it is written there."""
        if self.columns.maximum is None:
            return None, ""
        text = row.cells[self.columns.maximum].text.strip()
        return number_in(text), text

    def name(self, row: TableRow) -> str:
        return "" if self.columns.name is None else row.cells[self.columns.name].text.strip()


@dataclass(frozen=True)
class _Filling:
    """The new texts of cells, and what there is to say about them."""

    cells: dict[TextCell, str]
    written: int
    left_out: tuple[tuple[str, str], ...]
    too_much: tuple[str, ...]
    commented: int
    """Rows whose feedback comment was there before, and stays."""


def worksheet(graded: GradedClass, choices: Choices) -> Worksheet:
    """Return the worksheet that is to be filled. Raises ExportError."""
    assert choices.fill is not None
    table = read_table(choices.fill)
    columns = columns_of(table, choices.column)
    rows = tuple(_addressees(table, columns))
    return Worksheet(table, columns, match((one.id for one in graded.students), rows))


def moodle(graded: GradedClass, choices: Choices) -> Exported:
    """Return the worksheet with the grades of the class. Raises ExportError."""
    sheet = worksheet(graded, choices)
    filling = _filling(graded, sheet, choices.scale)
    return Exported(
        files=(("", sheet.table.filled(filling.cells)),),
        written=filling.written,
        left_out=tuple(sorted((*sheet.matches.unplaced, *filling.left_out))),
        others=sheet.matches.others,
        remarks=tuple(_remarks(graded, sheet, filling, choices.scale)),
    )


def _filling(graded: GradedClass, sheet: Worksheet, scale: bool) -> _Filling:
    by_id = {one.id: one for one in graded.students}
    cells: dict[TextCell, str] = {}
    left_out, too_much, commented, written = [], [], 0, 0
    for row in sheet.table.rows:
        if row.line not in sheet.matches.by_line:
            continue
        student = by_id[sheet.matches.by_line[row.line]]
        if student.points is None:
            left_out.append((student.id, student.unknown_because))
            continue
        possible, example = sheet.maximum(row)
        points = scaled(student.points, graded.max_points, possible, scale)
        if possible is not None and points > possible:
            too_much.append(student.id)
            points = possible
        cells[row.cells[sheet.columns.grade]] = like(points, example)
        written += 1
        if sheet.columns.feedback is not None and student.is_graded:
            cell = row.cells[sheet.columns.feedback]
            commented += bool(cell.text.strip())
            if not cell.text.strip():
                cells[cell] = _comment(graded, student)
    return _Filling(cells, written, tuple(left_out), tuple(too_much), commented)


def _comment(graded: GradedClass, student: StudentResult) -> str:
    """Return a comment as the HTML that Moodle takes it for."""
    return safe_cell(html.escape(points_in_short(graded, student), quote=False))


def _remarks(
    graded: GradedClass, sheet: Worksheet, filling: _Filling, scale: bool
) -> Iterator[str]:
    table = sheet.table
    yield f"filled: '{table.header[sheet.columns.grade]}'"
    maxima = {sheet.maximum(row)[0] for row in table.rows}
    if len(maxima) == 1:
        yield from other_maximum(graded.max_points, maxima.pop(), scale)
    if filling.too_much:
        count, few = len(filling.too_much), names(filling.too_much)
        yield f"{count} above the maximum, written as the maximum: {few}"
    if sheet.columns.feedback is None:
        yield "no column of feedback comments was recognised, and none is filled"
    if filling.commented:
        yield f"{filling.commented} had a feedback comment, which stays as it is"
    if any(table.lacks(text) for text in filling.cells.values()):
        yield f"letters that {table.encoding.upper()} lacks are written as ?"


def _addressees(table: DownloadedTable, columns: MoodleColumns) -> Iterator[Addressee]:
    for row in table.rows:
        texts = row.texts
        name = "" if columns.name is None else texts[columns.name]
        keys = tuple(texts[place] for place in columns.keys)
        yield Addressee(row.line, participant(texts[0]), keys, name)
