"""Say what a student lost in written answers, and what the people who marked them say of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from grader.batch.class_results import GRADEBOOK_FILE
from grader.batch.gradebook import NOT_GIVEN, Given, GivenPoints
from grader.class_report.data.gradebook_rows import gradebook_rows
from grader.cli.by_person import brought
from grader.course.course import CourseError, find_course
from grader.report.cleaning import one_line
from grader.store.store import Record
from grader.text.points import exact, shown


@dataclass(frozen=True)
class LostAnswer:
    """A written answer that does not have all its points."""

    slug: str
    given: Given
    most: Fraction

    def __str__(self) -> str:
        points = self.given.points
        known = "not marked yet, up to" if points is None else f"{shown(points)} by a person, of"
        words = f"\n      {one_line(self.given.words, limit=600)}" if self.given.words else ""
        return f"\n{self.slug}  {known} {shown(self.most)}{words}"

    def as_json(self) -> dict[str, object]:
        """Return what programs read."""
        points = self.given.points
        return {
            "question": self.slug,
            "points": None if points is None else exact(points),
            "max_points": exact(self.most),
            "words": self.given.words,
        }


def lost_answers(record: Record, out: Path, course_folder: Path | None) -> Iterator[LostAnswer]:
    """Yield the answers in a record that do not have all their points, in its order.

    Without a course nobody knows what items of a mark scheme are worth, and nothing is said.

    Raises WrittenPointsError and RecordsError.
    """
    answers = record.get("written", {}).get("answers", ())
    given = _given(out, course_folder) if answers else None
    for answer in answers if given is not None else ():
        own = (given or {}).get((record["submission"]["id"], answer["slug"]), NOT_GIVEN)
        most = Fraction(answer["max_points"])
        if own.points != most:
            yield LostAnswer(answer["slug"], own, most)


def _given(out: Path, course_folder: Path | None) -> GivenPoints | None:
    """Return what people gave to a class; None if there is no course or no gradebook here."""
    if not (out / GRADEBOOK_FILE).is_file():
        return None
    with suppress(CourseError):
        course = find_course(course_folder or Path.cwd())
        return brought(course, out, (), [row.id for row in gradebook_rows(out)], False).given
    return None
