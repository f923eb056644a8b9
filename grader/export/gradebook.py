"""`gradebook.csv`: one row a student, one column an exercise and criterion."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from grader.evidence import Outcome
from grader.report.cleaning import one_line
from grader.report.content import Report
from grader.report.points import shown
from grader.rubric import Rubric

# What a spreadsheet may take for a formula, after the blanks and quotes that it skips.
# The wide forms mean the same in the versions for East Asia.
_FORMULA_STARTS = tuple("=+-@|%\uff1d\uff0b\uff0d\uff20\u2212")
_SKIPPED_BY_SPREADSHEETS = " \t\r\n'\""
# Where `;` is the separator, what stands behind one is a cell, quotation marks or not.
_INNER_FORMULA = re.compile(rf";(?=[\s'\"]*[{re.escape(''.join(_FORMULA_STARTS))}])")


@dataclass(frozen=True)
class Row:
    """What the gradebook keeps of one student."""

    id: str
    points: Mapping[str, Fraction | None] = field(default_factory=dict)
    """By `slug` and by `slug/criterion`; None could not be checked."""
    total: Fraction | None = None
    unchecked: Fraction = Fraction(0)
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    tier: str = ""
    digest: str = ""
    problem: str = ""
    """Why there are no points at all."""


def row_of(report: Report) -> Row:
    """The gradebook row of a graded submission."""
    points: dict[str, Fraction | None] = {}
    for exercise in report.grade.exercises:
        points[exercise.slug] = None if exercise.unchecked_points else exercise.points
        for criterion in exercise.criteria:
            points[f"{exercise.slug}/{criterion.criterion}"] = criterion.points
    return Row(
        id=report.submission.id,
        points=points,
        total=report.grade.points,
        unchecked=report.grade.unchecked_points,
        outcomes=Counter(seen.outcome for seen in report.observations),
        tier=report.tier,
        digest=report.submission.digest,
    )


def gradebook(rows: Iterable[Row], rubric: Rubric, only: Iterable[str] = ()) -> str:
    """The CSV text: UTF-8 when written, rows by id, empty cells for what is not known."""
    slugs = [slug for slug in rubric.exercises if not only or slug in set(only)]
    columns = [column for slug in slugs for column in _columns(rubric, slug)]
    most = sum((rubric.exercises[slug].points for slug in slugs), Fraction(0))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["id", *columns, "total", "max", "unchecked", *Outcome, "tier", "digest", "problem"]
    )
    for row in sorted(rows, key=lambda row: row.id):
        writer.writerow(
            [
                safe_cell(row.id),
                *(_points(row.points.get(column)) for column in columns),
                _points(row.total),
                shown(most),
                shown(row.unchecked),
                *(row.outcomes.get(outcome, 0) for outcome in Outcome),
                safe_cell(row.tier),
                row.digest,
                safe_cell(row.problem),
            ]
        )
    return text.getvalue()


def safe_cell(text: str) -> str:
    """One line that no spreadsheet takes for a formula.

    >>> safe_cell("=1+1"), safe_cell("student-001")
    ("'=1+1", 'student-001')
    """
    line = _INNER_FORMULA.sub(",", one_line(text))
    is_formula = line.lstrip(_SKIPPED_BY_SPREADSHEETS).startswith(_FORMULA_STARTS)
    return f"'{line}" if is_formula else line


def _columns(rubric: Rubric, slug: str) -> Iterable[str]:
    yield slug
    for criterion in rubric.exercises[slug].criteria:
        yield f"{slug}/{criterion}"


def _points(points: Fraction | None) -> str:
    return "" if points is None else shown(points)
