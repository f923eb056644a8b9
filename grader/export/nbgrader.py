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
from grader.export.points import names
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


def nbgrader(graded: GradedClass, choices: Choices) -> Exported:
    """Return the table, by assignment and then by student."""
    del choices
    return Exported(
        files=(("", csv_text([COLUMNS, *_rows(graded)])),),
        written=len(graded.students) - len(graded.unknown),
        left_out=graded.unknown,
        remarks=_remarks(graded),
    )


def _rows(graded: GradedClass) -> Iterator[tuple[str, ...]]:
    for stem in _stems(graded):
        for student in graded.students:
            points = _points(graded, student, stem)
            late, others = _beside(graded, student, stem)
            numbers = ("", "", "")
            if points is not None:
                raw = points + others
                numbers = (decimal(raw), decimal(late), decimal(raw - late))
            raw_score, penalty, score = numbers
            most, id = decimal(_most(graded, stem)), safe_cell(student.id)
            yield (stem, "", "", id, "", "", "", raw_score, penalty, score, most)


def _stems(graded: GradedClass) -> tuple[str, ...]:
    exercises = graded.rubric.exercises
    return tuple(dict.fromkeys(exercises[slug].assignment for slug in graded.slugs))


def _beside(graded: GradedClass, student: StudentResult, stem: str) -> tuple[Fraction, Fraction]:
    """Return what lateness takes of an assignment, and the other adjustments to it.

    Those of a whole submission are in no row where several assignments were graded.
    """
    lost = student.row.lost_by_lateness
    if len(_stems(graded)) == 1:
        late = sum(lost.values(), Fraction(0))
        return late, student.row.adjustments + late
    prefixes = [prefix for prefix, its in graded.rubric.assignments.items() if its == stem]
    return sum((lost.get(prefix, Fraction(0)) for prefix in prefixes), Fraction(0)), Fraction(0)


def _remarks(graded: GradedClass) -> tuple[str, ...]:
    """Return a remark if students have adjustments that belong to no assignment."""
    if len(_stems(graded)) == 1:
        return ()
    without = tuple(one.id for one in graded.students if _of_no_assignment(one))
    if not without:
        return ()
    return (
        f"{len(without)} have adjustments to a whole submission, which no row of an assignment "
        f"holds: {names(without)}",
    )


def _of_no_assignment(student: StudentResult) -> bool:
    lost = student.row.lost_by_lateness
    by_assignment = sum((points for name, points in lost.items() if name), Fraction(0))
    return student.row.adjustments != -by_assignment


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
