"""Write a class as `nbgrader export` does: a row a student and assignment.

Where nbgrader writes 0 for who handed in nothing, the cells here are empty unless somebody decided
that it is a zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from grader.batch.cells import csv_text, safe_cell
from grader.batch.summary import NOTHING
from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass, StudentResult
from grader.text.points import decimal

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)
_PENALTY = "0"
"""Points are final: whatever lateness costs, a person decided it."""


def nbgrader(graded: GradedClass, choices: Choices) -> Exported:
    """Return the table, by assignment and then by student."""
    del choices
    return Exported(
        files=(("", csv_text([COLUMNS, *_rows(graded)])),),
        written=len(graded.students) - len(graded.unknown),
        left_out=graded.unknown,
    )


def _rows(graded: GradedClass) -> Iterator[tuple[str, ...]]:
    exercises = [graded.rubric.exercises[slug] for slug in graded.slugs]
    for stem in dict.fromkeys(exercise.assignment for exercise in exercises):
        for student in graded.students:
            points = _points(graded, student, stem)
            score = "" if points is None else decimal(points)
            most = decimal(_most(graded, stem))
            id = safe_cell(student.id)
            yield (stem, "", "", id, "", "", "", score, _PENALTY if score else "", score, most)


def _points(graded: GradedClass, student: StudentResult, stem: str) -> Fraction | None:
    """Return the points of an assignment; None if anything of it is not known."""
    if student.row.problem == NOTHING:
        return student.points
    exercises = graded.rubric.exercises
    own = [slug for slug in graded.slugs if exercises[slug].assignment == stem]
    known = [student.row.points.get(slug) for slug in own]
    answers = [item for item in graded.items if item.assignment == stem]
    known += [graded.given_to(student, item).points for item in answers]
    total = Fraction(0)
    for points in known:
        if points is None:
            return None
        total += points
    return total


def _most(graded: GradedClass, stem: str) -> Fraction:
    exercises = (graded.rubric.exercises[slug] for slug in graded.slugs)
    automatic = (one.points for one in exercises if one.assignment == stem)
    by_person = (item.points for item in graded.items if item.assignment == stem)
    return sum((*automatic, *by_person), Fraction(0))
