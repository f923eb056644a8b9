"""Write the results of a class for those who read and grade them: all but the records.

`grader batch` writes these files, and `grader gradebook` writes them anew once points were entered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from grader.batch.gradebook import Given, GivenPoints, Row, gradebook_lines
from grader.batch.record_file import in_order
from grader.batch.written_points import points_file
from grader.batch.written_sheets import sheet
from grader.course.questions import WrittenItem
from grader.course.rubric import Rubric
from grader.files.writing import make_folder, write_file

RECORDS = "records"
"""The folder with one record per student."""
GRADEBOOK_FILE = "gradebook.csv"
POINTS_FILE = "written.csv"
SHEETS = "written"
"""The folder with the sheets that a person reads."""


@dataclass(frozen=True)
class ByPerson:
    """The marking guides for written answers, and the points that people gave."""

    guides: Mapping[str, str] = field(default_factory=dict)
    """Maps the slug of a question to its guide."""
    given: GivenPoints = field(default_factory=dict)
    empty_is_zero: bool = False
    """True if an empty answer counts as 0 where nobody gave it points."""

    def counted(self, rows: Iterable[Row], items: Iterable[WrittenItem]) -> GivenPoints:
        """Return the points that count: those given and, if `empty_is_zero`, 0 if empty."""
        if not self.empty_is_zero:
            return self.given
        items = tuple(items)
        zeros = {
            (row.id, item.slug): Given(Fraction(0))
            for row in rows
            for item in items
            if item.slug in row.written and not row.written[item.slug].digest
        }
        points = {key: one for key, one in self.given.items() if one.points is not None}
        return {**self.given, **zeros, **points}


def write_class_results(
    rows: Iterable[Row],
    record_names: Mapping[str, str],
    rubric: Rubric,
    only: tuple[str, ...],
    by_person: ByPerson,
    out: Path,
) -> None:
    """Write the gradebook and, if the course asks questions, the files to grade the answers with.

    `record_names` gives the file name of each student's record. Raises WritingError.
    """
    rows = in_order(rows)
    items = rubric.written_for(only)
    if items:
        _write_sheets(items, out, [record_names[row.id] for row in rows], by_person)
        # Only what a person entered stands here: a switch can be taken back.
        write_file(out / POINTS_FILE, points_file(rows, items, by_person.given))
    counted = by_person.counted(rows, items)
    write_file(out / GRADEBOOK_FILE, gradebook_lines(rows, rubric, only, counted))


def _write_sheets(
    items: Iterable[WrittenItem], out: Path, records: Iterable[str], by_person: ByPerson
) -> None:
    records = tuple(records)
    make_folder(out / SHEETS)
    for item in items:
        # One at a time: a class of records is large.
        read = (json.loads((out / RECORDS / name).read_text("utf-8")) for name in records)
        guide = by_person.guides.get(item.slug, "There is no marking guide.")
        pieces = sheet(item, guide, read, by_person.given)
        write_file(out / SHEETS / f"{item.slug}.md", pieces)
