"""Write a class as an Excel workbook: numbers as numbers, every text as text, no formula."""

from __future__ import annotations

import io
from datetime import datetime
from fractions import Fraction

from grader.export.exported import Choices, Exported, ExportError
from grader.export.grade_table import Value, heading, lines
from grader.export.graded_class import GradedClass
from grader.report.cleaning import one_line

_CREATED = datetime(2000, 1, 1)
"""Stands in the workbook: the same class gives the same bytes."""
_WIDEST = 60
_MISSING = (
    "xlsx needs the package XlsxWriter. Install it: pip install 'XlsxWriter>=3.2,<4' - "
    "or take --as csv, which Excel opens too"
)


def xlsx(graded: GradedClass, choices: Choices) -> Exported:
    """Return the workbook. Raises ExportError if the package that writes it is missing."""
    del choices
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        raise ExportError(_MISSING) from error
    file = io.BytesIO()
    # Nothing is taken for what it looks like.
    options = {"strings_to_formulas": False, "strings_to_urls": False, "in_memory": True}
    with Workbook(file, options) as book:
        book.set_properties({"created": _CREATED, "title": one_line(graded.rubric.course)})
        sheet = book.add_worksheet("grades")
        rows: list[tuple[Value, ...]] = [heading(graded), *lines(graded)]
        for place, row in enumerate(rows):
            for column, value in enumerate(row):
                if isinstance(value, Fraction):
                    sheet.write_number(place, column, round(float(value), 6))
                elif value:
                    sheet.write_string(place, column, value)
        sheet.freeze_panes(1, 1)
        for column, width in enumerate(_widths(rows)):
            sheet.set_column(column, column, width)
    return Exported(
        files=(("", file.getvalue()),),
        written=len(graded.students) - len(graded.unknown),
        left_out=graded.unknown,
    )


def _widths(rows: list[tuple[Value, ...]]) -> list[int]:
    texts = ((value if isinstance(value, str) else "12345" for value in row) for row in rows)
    columns = zip(*texts, strict=True)
    return [min(_WIDEST, max(len(text) for text in column) + 2) for column in columns]
