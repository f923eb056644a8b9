"""Write every table of a class report as a CSV file, with all rows and all students."""

from __future__ import annotations

from collections.abc import Iterator

from grader.batch.cells import csv_text, safe_cell
from grader.class_report.outline import ClassReport, Sheet, TableCell


def csv_files(report: ClassReport) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file."""
    for section in report.sections:
        for sheet in section.tables:
            yield f"{sheet.name}.csv", csv_text(_lines(sheet, report.people))


def _lines(sheet: Sheet, people: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the lines of a table; behind a column with students stands one with their ids."""
    places = range(len(sheet.columns))
    listed = {at for at in places if any(row[at].people is not None for row in sheet.rows)}
    header: list[str] = []
    for at, column in enumerate(sheet.columns):
        header += [column.heading, f"{column.heading}: id"] if at in listed else [column.heading]
    yield [safe_cell(heading) for heading in header]
    for row in sheet.rows:
        line: list[str] = []
        for at, cell in enumerate(row):
            line.append(_value(cell))
            if at in listed:
                line.append(safe_cell(" ".join(people[one] for one in cell.people or ())))
        yield line


def _value(cell: TableCell) -> str:
    """Return a number as it is, so that a program can read it, and words as a safe cell."""
    return cell.text if _is_number(cell.text) else safe_cell(cell.text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
