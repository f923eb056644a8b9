"""Write a class as a CSV file with every cell in quotation marks, for spreadsheets."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

from grader.batch.cells import BYTE_ORDER_MARK, safe_cell
from grader.export.exported import Choices, Exported
from grader.export.grade_table import Value, heading, lines
from grader.export.graded_class import GradedClass
from grader.text.points import shown


def grades_csv(graded: GradedClass, choices: Choices) -> Exported:
    """Return the table; Excel reads Hangul in it, and takes no cell for a formula."""
    del choices
    text = io.StringIO()
    text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(heading(graded))
    writer.writerows([_cell(value) for value in line] for line in lines(graded))
    return Exported(
        files=(("", text.getvalue()),),
        written=len(graded.students) - len(graded.unknown),
        left_out=graded.unknown,
    )


def _cell(value: Value) -> str:
    if isinstance(value, Fraction):
        return shown(value)
    return "" if value is None else safe_cell(value)
