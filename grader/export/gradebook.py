"""`gradebook.csv`: one row a student, one column an exercise and criterion."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from grader.evidence import Outcome
from grader.report.cleaning import one_line
from grader.report.content import Report
from grader.report.points import shown
from grader.rubric import Rubric
from grader.written.items import WrittenItem

# What a spreadsheet may take for a formula, after the blanks and quotes that it skips.
# The wide forms mean the same in the versions for East Asia.
_FORMULA_STARTS = tuple("=+-@|%\uff1d\uff0b\uff0d\uff20\u2212")
_SKIPPED_BY_SPREADSHEETS = " \t\r\n'\""
_BY_PERSON = ("automatic", "automatic_max", "by_a_person", "by_a_person_max")
# Where `;` is the separator, what stands behind one is a cell, quotation marks or not.
_INNER_FORMULA = re.compile(rf";(?=[\s'\"]*[{re.escape(''.join(_FORMULA_STARTS))}])")


@dataclass(frozen=True)
class Written:
    """What there is to one question, without its text."""

    words: int
    digest: str
    """Empty where there is no answer."""


@dataclass(frozen=True)
class Given:
    """What a person gave for one answer."""

    points: Fraction | None
    comment: str = ""
    answer: str = ""
    """The digest of the answer that it was given for."""


GivenPoints = Mapping[tuple[str, str], Given]
"""By student and slug of the question."""


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
    written: Mapping[str, Written] = field(default_factory=dict)
    """By slug of the question; none where nothing could be read."""


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
        written={one.item.slug: Written(one.words, one.digest) for one in report.written},
    )


def gradebook(
    rows: Iterable[Row],
    rubric: Rubric,
    only: Iterable[str] = (),
    given: GivenPoints = MappingProxyType({}),
) -> str:
    """The CSV text: UTF-8 when written, rows by id, empty cells for what is not known.

    Where a person grades as well, `total` is known only when they have given all their points.
    """
    slugs = [slug for slug in rubric.exercises if not only or slug in set(only)]
    items = rubric.written_for(only)
    columns = [column for slug in slugs for column in _columns(rubric, slug)]
    most = sum((rubric.exercises[slug].points for slug in slugs), Fraction(0))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    by_person = [*(item.slug for item in items), *_BY_PERSON] if items else []
    sums = [*by_person, "total", "max", "unchecked"]
    writer.writerow(["id", *columns, *sums, *Outcome, "tier", "digest", "problem"])
    for row in sorted(rows, key=lambda row: row.id):
        writer.writerow(
            [
                safe_cell(row.id),
                *(_points(row.points.get(column)) for column in columns),
                *_sums(row, most, items, given),
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


def _sums(
    row: Row, most: Fraction, items: tuple[WrittenItem, ...], given: GivenPoints
) -> list[str]:
    """Total and maximum; where a person grades as well, before them whose points they are."""
    if not items:
        return [_points(row.total), shown(most)]
    got = [given[row.id, i.slug].points if (row.id, i.slug) in given else None for i in items]
    known = [points for points in got if points is not None]
    by_person = sum(known, Fraction(0)) if len(known) == len(items) else None
    both = None if row.total is None or by_person is None else row.total + by_person
    more = sum((item.points for item in items), Fraction(0))
    sums = (row.total, most, by_person, more, both, most + more)
    return [*map(_points, got), *map(_points, sums)]


def _points(points: Fraction | None) -> str:
    return "" if points is None else shown(points)
