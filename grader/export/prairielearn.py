"""Write `results.json` as PrairieLearn's external grader returns it, one a student.

It has no tests that are shown later. So a hidden criterion is there as in every report to students:
its points, and in words only what did not pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass, StudentResult
from grader.export.gradescope import RESULTS_FILE, as_text, by_person, number_of, unknown
from grader.export.reports import reports
from grader.export.words import clean, criterion_in_words
from grader.files.writing import Content
from grader.report.beside import lines as beside
from grader.report.content import Report
from grader.report.counted_hand_in import sentences
from grader.report.words import next_in_submission, noted, state
from grader.text.language import _
from grader.text.points import shown


def prairielearn(graded: GradedClass, choices: Choices) -> Exported:
    """Return one file a student, in a folder named like the record."""
    return Exported(
        files=_files(graded, choices),
        written=sum(one.is_graded and one.points is not None for one in graded.students),
        left_out=unknown(graded),
    )


def _files(graded: GradedClass, choices: Choices) -> Iterator[tuple[str, Content]]:
    for student, report in reports(graded, choices):
        if student.points is not None:
            tests = (*criteria(report), *_answers(graded, student, report))
            values = results(report, student.points, graded.max_points, tests)
            yield f"{Path(student.record).stem}/{RESULTS_FILE}", as_text(values)


def results(
    report: Report, points: Fraction, most: Fraction, tests: Iterable[dict[str, object]]
) -> dict[str, object]:
    """Return what a results file says: the share of the points, and these tests."""
    return {
        "gradable": True,
        "score": number_of(points / most if most else points),
        "message": f"{shown(points)} / {shown(most)}",
        "output": _in_general(report),
        "tests": list(tests),
    }


def _in_general(report: Report) -> str:
    """Return what a report says about the submission as a whole."""
    adjusted = beside(report.grade.points, report.beside)
    lines = [*sentences(report.counted), *adjusted, *noted(report)]
    if not report.grade.complete:
        lines.append(_("Next: {step}", step=next_in_submission(report)))
    return clean("\n".join(lines))


def criteria(report: Report) -> Iterator[dict[str, object]]:
    """Yield a test for each criterion whose checks are in this copy of the course."""
    for part in report.exercises:
        for grade in part.grade.here:
            assert grade.points is not None
            yield {
                "name": f"{part.exercise.slug}: {grade.criterion}",
                "points": number_of(grade.points),
                "max_points": number_of(grade.max_points),
                "output": criterion_in_words(part, grade),
            }


def _answers(
    graded: GradedClass, student: StudentResult, report: Report
) -> Iterator[dict[str, object]]:
    for answer in report.written:
        given = graded.given_to(student, answer.item)
        assert given.points is not None
        yield {
            "name": answer.item.slug,
            "points": number_of(given.points),
            "max_points": number_of(answer.item.points),
            "output": by_person(state(answer), *given.remarks, given.comment),
        }
