"""Read the results of a class once, as all formats need them: points, and why there are none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.batch.class_results import RECORDS, ByPerson
from grader.batch.gradebook import Given, GivenPoints, Row
from grader.batch.records import ClassRecords
from grader.batch.summary import NOTHING
from grader.course.questions import WrittenItem
from grader.course.rubric import Rubric
from grader.export.exported import ExportError
from grader.text.points import shown

NO_POINTS = Given(None)


@dataclass(frozen=True)
class StudentResult:
    """The points of one student, those by a person included."""

    row: Row
    record: str
    """The file name of the record."""
    points: Fraction | None
    """None where they are not known: that is never a zero."""
    unknown_because: str = ""

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def is_late(self) -> bool:
        return self.row.is_late

    @property
    def is_graded(self) -> bool:
        """Tell whether there is a report: there is none on what could not be read."""
        return self.row.total is not None


@dataclass(frozen=True)
class GradedClass:
    """A class as it was graded last, with the points that people gave since."""

    rubric: Rubric
    only: tuple[str, ...]
    folder: Path
    students: tuple[StudentResult, ...]
    given: GivenPoints

    @property
    def unknown(self) -> tuple[tuple[str, str], ...]:
        """Return the students whose points are not known, each with the reason."""
        return tuple((s.id, s.unknown_because) for s in self.students if s.points is None)

    @property
    def items(self) -> tuple[WrittenItem, ...]:
        return self.rubric.written_for(self.only)

    @property
    def slugs(self) -> tuple[str, ...]:
        return self.only or tuple(self.rubric.exercises)

    @property
    def automatic_max(self) -> Fraction:
        return sum((self.rubric.exercises[slug].points for slug in self.slugs), Fraction(0))

    @property
    def max_points(self) -> Fraction:
        return self.automatic_max + sum((item.points for item in self.items), Fraction(0))

    def given_to(self, student: StudentResult, item: WrittenItem) -> Given:
        """Return the points and the comment for one answer."""
        return self.given.get((student.id, item.slug), NO_POINTS)

    def record(self, student: StudentResult) -> Mapping[str, Any]:
        """Return a student's record. Raises ExportError if it is not there any more."""
        path = self.folder / RECORDS / student.record
        try:
            record: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ExportError(f"{path}: cannot be read ({error}). Export once more.") from error
        return record


def graded_class(
    folder: Path,
    records: ClassRecords,
    rubric: Rubric,
    by_person: ByPerson,
    *,
    absent_is_zero: bool = False,
) -> GradedClass:
    """Return the class in a folder of results."""
    items = rubric.written_for(records.only)
    given = by_person.counted(records.rows, items)
    students = (
        _student(row, records.names[row.id], items, given, absent_is_zero) for row in records.rows
    )
    return GradedClass(rubric, records.only, folder, tuple(students), given)


def _student(
    row: Row, record: str, items: Iterable[WrittenItem], given: GivenPoints, absent_is_zero: bool
) -> StudentResult:
    if row.problem == NOTHING and absent_is_zero:
        return StudentResult(row, record, Fraction(0))
    if row.total is None:
        return StudentResult(row, record, None, row.problem or "there is no result")
    if row.unchecked:
        why = f"{shown(row.unchecked)} points could not be checked"
        return StudentResult(row, record, None, why)
    total = row.total
    for item in items:
        points = given.get((row.id, item.slug), NO_POINTS).points
        if points is None:
            why = f"nobody has given points for {item.slug}"
            return StudentResult(row, record, None, why)
        total += points
    return StudentResult(row, record, total)
