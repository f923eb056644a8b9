"""Write `results.json` as Gradescope's harness reads it, one a student.

A test is a criterion. Of hidden ones nothing is shown before the grades are published: as long as a
test is hidden, Gradescope hides the student's total too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

from grader.course.rubric import Visibility
from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass, StudentResult
from grader.export.reports import reports
from grader.export.words import clean, criterion_in_words
from grader.files.writing import Content
from grader.grade.evidence import Outcome
from grader.grade.score import CriterionGrade
from grader.report.beside import lines
from grader.report.cleaning import one_line
from grader.report.content import ExerciseReport, Report
from grader.report.counted_hand_in import sentences
from grader.report.marks import criterion_outcome
from grader.report.words import noted, state
from grader.text.language import _
from grader.text.points import decimal

RESULTS_FILE = "results.json"
_VISIBILITY = {
    Visibility.PUBLIC: "visible",
    Visibility.AFTER_DUE: "after_due_date",
    Visibility.HIDDEN: "after_published",
}
"""The time from which a student sees the test of a criterion."""
SETTINGS = {
    "output_format": "text",
    "test_output_format": "text",
    "test_name_format": "text",
    "stdout_visibility": "hidden",
}
"""What a results file says of its own texts, and that the log is for staff."""


def gradescope(graded: GradedClass, choices: Choices) -> Exported:
    """Return one file a student, in a folder named like the record."""
    return Exported(
        files=_files(graded, choices),
        written=sum(one.is_graded and one.points is not None for one in graded.students),
        left_out=unknown(graded),
    )


def unknown(graded: GradedClass) -> tuple[tuple[str, str], ...]:
    """Return the students whose points are not known, or who handed in nothing."""
    return tuple(
        (one.id, one.unknown_because or one.row.problem)
        for one in graded.students
        if one.points is None or not one.is_graded
    )


def _files(graded: GradedClass, choices: Choices) -> Iterator[tuple[str, Content]]:
    for student, report in reports(graded, choices):
        if student.points is not None:
            answers = _by_person(graded, student, report, len(report.exercises) + 1)
            values = results(report, student.points, (*criteria(report), *answers))
            yield f"{Path(student.record).stem}/{RESULTS_FILE}", as_text(values)


def as_text(values: dict[str, object]) -> str:
    """Return the content of a results file, with a line break at its end."""
    return json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def results(
    report: Report, points: Fraction, tests: Iterable[dict[str, object]]
) -> dict[str, object]:
    """Return what a results file says: the points in all, and these tests."""
    return {
        "score": number_of(points),
        # Students see this at once: it may not say what is to be mended in a hidden criterion.
        "output": clean("\n".join(_in_general(report))),
        **SETTINGS,
        "tests": list(tests),
    }


def _in_general(report: Report) -> Iterator[str]:
    yield from sentences(report.counted)
    yield from lines(report.grade.points, report.beside)
    yield from noted(report)


def criteria(report: Report) -> Iterator[dict[str, object]]:
    """Yield a test for each criterion whose checks are in this copy of the course."""
    for number, part in enumerate(report.exercises, 1):
        for place, grade in enumerate(part.grade.criteria, 1):
            if not grade.elsewhere:
                yield _criterion(f"{number}.{place}", part, grade)


def _criterion(number: str, part: ExerciseReport, grade: CriterionGrade) -> dict[str, object]:
    assert grade.points is not None
    passed = criterion_outcome(grade) is Outcome.PASSED
    return {
        "name": f"{part.exercise.slug}: {grade.criterion}",
        "number": number,
        "score": number_of(grade.points),
        "max_score": number_of(grade.max_points),
        "status": "passed" if passed else "failed",
        "output": criterion_in_words(part, grade),
        "visibility": _VISIBILITY[grade.visibility],
    }


def _by_person(
    graded: GradedClass, student: StudentResult, report: Report, number: int
) -> Iterator[dict[str, object]]:
    for place, answer in enumerate(report.written, 1):
        given = graded.given_to(student, answer.item)
        assert given.points is not None
        yield {
            "name": answer.item.slug,
            "number": f"{number}.{place}",
            "score": number_of(given.points),
            "max_score": number_of(answer.item.points),
            "output": by_person(state(answer), *given.remarks, given.comment),
            "visibility": "after_published",
        }


def by_person(state: str, *remarks: str) -> str:
    """Say that a person graded an answer, and what they say to it."""
    lines = [_("graded by a person"), state, *map(one_line, remarks)]
    return clean("\n".join(filter(None, lines)))


def number_of(points: Fraction) -> float:
    """Return the points as a JSON number with at most six decimals."""
    value = float(decimal(points))
    return int(value) if value.is_integer() else value
