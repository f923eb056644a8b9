"""Fill the gradebook that an instructor exported from Canvas, to be imported there again.

Only the columns about students and one assignment are written: Canvas takes every other column for
a change. The rules are those of Canvas's `lib/gradebook_importer.rb`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from grader.batch.cells import BYTE_ORDER_MARK, plain_cell, safe_cell
from grader.export.exported import Choices, Exported, ExportError
from grader.export.graded_class import GradedClass, StudentResult
from grader.export.matching import Addressee, match
from grader.export.points import names, number_in, other_maximum, scaled
from grader.export.table import DownloadedTable, TableRow, read_table
from grader.report.cleaning import one_line
from grader.text.points import shown
from grader.text.problem import did_you_mean, quoted

_ASSIGNMENT = re.compile(r"(?P<title>.*\S)\s*\((?P<id>\d+)\)")
"""A title and the number of the assignment; sums and other columns have no number."""
_NO_FORMULA = re.compile(r"-?(?:\d+(?:[.,]\d+)?)?")
"""A number, a dash that stands for no grade, or nothing."""
_POSSIBLE = "Points Possible"
_KEYS = ("SIS User ID", "SIS Login ID")
_STAYS = ("EX", "N/A")
"""Cells that a person or Canvas decided: excused, and not assigned."""
_EXPORT = "Export the gradebook in Canvas again, and name that file."


@dataclass(frozen=True)
class _Gradebook:
    """The parts of an exported gradebook that matter here."""

    table: DownloadedTable
    about: int
    """How many columns, from the first, are about the student."""
    column: int
    before: tuple[TableRow, ...]
    """The row with the points that are possible, and what stands above it."""
    students: tuple[TableRow, ...]

    @property
    def possible(self) -> Fraction | None:
        return number_in(self.before[-1].cells[self.column].text)


def canvas(graded: GradedClass, choices: Choices) -> Exported:
    """Return the exported gradebook with the points of the class in one column.

    Raises ExportError.
    """
    assert choices.fill is not None
    book = _gradebook(read_table(choices.fill), choices.column)
    matches = match((one.id for one in graded.students), tuple(_addressees(book)))
    by_id = {one.id: one for one in graded.students}
    cells: dict[int, str] = {}
    kept = []
    left_out = list(matches.unplaced)
    for row in book.students:
        if row.line not in matches.by_line:
            continue
        student, old = by_id[matches.by_line[row.line]], row.cells[book.column].text.strip()
        if student.points is None:
            left_out.append((student.id, student.unknown_because))
        elif old.upper() in _STAYS:
            kept.append(f"{student.id} ({old})")
        else:
            cells[row.line] = _points(graded, student, book, choices)
    return Exported(
        files=(("", _text(book, cells)),),
        written=len(cells),
        left_out=tuple(sorted(left_out)),
        others=matches.others,
        remarks=tuple(_remarks(graded, book, choices, tuple(kept))),
    )


def _points(graded: GradedClass, student: StudentResult, book: _Gradebook, choices: Choices) -> str:
    assert student.points is not None
    return shown(scaled(student.points, graded.max_points, book.possible, choices.scale))


def _remarks(
    graded: GradedClass, book: _Gradebook, choices: Choices, kept: tuple[str, ...]
) -> Iterator[str]:
    yield f"filled: {quoted(one_line(book.table.header[book.column]))}"
    yield from other_maximum(graded.max_points, book.possible, choices.scale)
    if kept:
        yield f"{len(kept)} left as Canvas has them: {names(kept)}"


def _gradebook(table: DownloadedTable, column: str) -> _Gradebook:
    header = table.header
    if "Section" not in header or "ID" not in header or not _is_about_students(header[0]):
        raise ExportError(
            f"{table.path}:1: not a gradebook of Canvas, whose columns begin with "
            f"Student, ID and end, before the assignments, with Section. {_EXPORT}"
        )
    about = header.index("Section") + 1
    at = next((n for n, row in enumerate(table.rows) if _is_possible(row)), None)
    if at is None or at > 2:
        raise ExportError(f"{table.path}:2: no row {quoted(_POSSIBLE)} here. {_EXPORT}")
    before, students = table.rows[: at + 1], table.rows[at + 1 :]
    again = next((row for row in students if _is_possible(row)), None)
    if again is not None:
        raise ExportError(f"{table.place(again)}: a second row {quoted(_POSSIBLE)}. {_EXPORT}")
    _refuse_twice(table, students)
    return _Gradebook(table, about, _column(table, about, before[-1], column), before, students)


def _is_about_students(name: str) -> bool:
    return "Student" in name or name == "LastName"


def _is_possible(row: TableRow) -> bool:
    return _POSSIBLE in row.cells[0].text


def _refuse_twice(table: DownloadedTable, students: tuple[TableRow, ...]) -> None:
    """Raise ExportError if two rows have one number."""
    at, first = table.header.index("ID"), dict[str, int]()
    for row in students:
        number = row.cells[at].text.strip()
        if not number and not any(cell.text.strip() for cell in row.cells[:2]):
            raise ExportError(f"{table.place(row)}: a row without a student. {_EXPORT}")
        if number and first.setdefault(number, row.line) != row.line:
            words = f"ID {quoted(one_line(number))} is in line {first[number]} already"
            raise ExportError(f"{table.place(row)}: {words}. Delete one of the lines.")


def _column(table: DownloadedTable, about: int, possible: TableRow, wanted: str) -> int:
    """Return the place of the assignment's column. Raises ExportError."""
    titles = {
        place: name
        for place, name in enumerate(table.header)
        if place >= about and _ASSIGNMENT.fullmatch(name) and not _is_read_only(possible, place)
    }
    if not titles:
        raise ExportError(
            f"{table.path}:1: no column of an assignment, such as 'Homework 1 (1234)'. Make the "
            "assignment in Canvas first. Then export the gradebook again."
        )
    chosen = [place for place, name in titles.items() if not wanted or wanted in _called(name)]
    if len(chosen) == 1:
        return chosen[0]
    listed = [one_line(name) for name in titles.values()]
    if not chosen:
        hint = did_you_mean(wanted, listed)
        raise ExportError(f"{table.path}:1: no column {quoted(wanted)}{hint}")
    several = ", ".join(quoted(listed[list(titles).index(place)]) for place in chosen[:5])
    raise ExportError(
        f"{table.path}:1: {len(chosen)} columns can be meant: {several}. Name one: --column NAME"
    )


def _called(name: str) -> tuple[str, ...]:
    """Return the names by which a person may call a column: in full, the title, the number."""
    match = _ASSIGNMENT.fullmatch(name)
    return (name,) if match is None else (name, match["title"], match["id"])


def _is_read_only(possible: TableRow, place: int) -> bool:
    return "read only" in possible.cells[place].text


def _addressees(book: _Gradebook) -> Iterator[Addressee]:
    header = book.table.header
    keys = [header.index(name) for name in _KEYS if name in header]
    first, number = header[0], header.index("ID")
    for row in book.students:
        texts = row.texts
        name = " ".join(texts[:2]) if first == "LastName" else texts[0]
        yield Addressee(row.line, texts[number], tuple(texts[key] for key in keys), name)


def _text(book: _Gradebook, cells: dict[int, str]) -> str:
    """Return the columns about students and the one that is filled."""
    lines = [(*book.table.header[: book.about], book.table.header[book.column])]
    lines += [_kept(row, book) for row in book.before]
    for row in book.students:
        kept = _kept(row, book)
        lines.append((*kept[:-1], cells.get(row.line, kept[-1])))
    text = io.StringIO()
    if book.table.mark or book.table.encoding != "utf-8":
        text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text, delimiter=book.table.separator, lineterminator="\n")
    writer.writerows([_guarded(cell) for cell in line] for line in lines)
    return text.getvalue()


def _kept(row: TableRow, book: _Gradebook) -> tuple[str, ...]:
    return (*row.texts[: book.about], row.cells[book.column].text)


def _guarded(cell: str) -> str:
    """Return a cell as it is, unless a spreadsheet could take it for a formula.

    >>> _guarded("    Points Possible"), _guarded("=1+1"), _guarded("-0.5")
    ('    Points Possible', "'=1+1", '-0.5')
    """
    if _NO_FORMULA.fullmatch(cell.strip()):
        return cell.strip()
    if safe_cell(plain_cell(cell)) == cell:
        return cell  # it was guarded already
    safe = safe_cell(cell)
    return cell if safe == one_line(cell) and cell.isprintable() else safe
