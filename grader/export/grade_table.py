"""Put a class into one table of columns with a heading, for CSV files and workbooks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from grader.export.graded_class import GradedClass, StudentResult
from grader.report.cleaning import one_line

Value = str | Fraction | None
"""A text, a number, or nothing: what is not known is never a zero."""


def heading(graded: GradedClass) -> tuple[str, ...]:
    """Return the names of the columns."""
    items = tuple(item.slug for item in graded.items)
    return ("id", "points", "max_points", *graded.slugs, *items, "unchecked", "late", "remark")


def lines(graded: GradedClass) -> Iterator[tuple[Value, ...]]:
    """Yield the cells of each student, sorted by id; texts are not made safe for spreadsheets."""
    for student in graded.students:
        yield (
            one_line(student.id),
            student.points,
            graded.max_points,
            *(student.row.points.get(slug) for slug in graded.slugs),
            *(graded.given_to(student, item).points for item in graded.items),
            student.row.unchecked,
            "late" if student.is_late else "",
            one_line(_remark(student)),
        )


def _remark(student: StudentResult) -> str:
    return student.unknown_because or student.row.problem
