"""Make the reports of a class again, for what students get; no code is run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.batch.class_results import RECORDS
from grader.export.exported import Choices, ExportError
from grader.export.graded_class import GradedClass, StudentResult
from grader.export.tries import class_tries
from grader.report.content import PersonMark, Report
from grader.report.disclosure import NOBODY_COUNTS, disclosed
from grader.report.record import Additions, report_of
from grader.submission.submission import Submission, SubmissionError

_AGAIN = "Grade the class again: grader batch"


def reports(graded: GradedClass, choices: Choices) -> Iterator[tuple[StudentResult, Report]]:
    """Yield each student who has a report, with it. Raises ExportError."""
    tries = class_tries(graded)
    for student in graded.students:
        if student.is_graded:
            report = report_of_student(graded, student, choices)
            own = tries.get(student.id, NOBODY_COUNTS)
            yield student, disclosed(report, graded.rubric.feedback, own)


def without_report(graded: GradedClass) -> tuple[tuple[str, str], ...]:
    """Return the students on whom there is no report, with the reason."""
    return tuple(
        (one.id, one.row.problem or "there is no result")
        for one in graded.students
        if not one.is_graded
    )


def report_of_student(
    graded: GradedClass, student: StudentResult, choices: Choices | None = None
) -> Report:
    """Return the report on a student who has one. Raises ExportError."""
    choices = choices or Choices()
    record = graded.record(student)
    more = Additions(
        files=_files(choices, student.row.digest),
        explanations=choices.explanations,
        person_marks=_person_marks(graded, student),
    )
    try:
        report = report_of(record, graded.rubric, graded.only, more)
        return replace(report, can_appeal=True)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        path = graded.folder / RECORDS / student.record
        raise ExportError(f"{path}: not a record of this grader. {_AGAIN}") from error


def _person_marks(graded: GradedClass, student: StudentResult) -> dict[str, PersonMark]:
    given = {item.slug: graded.given_to(student, item) for item in graded.items}
    return {
        slug: PersonMark(one.points, one.comment, one.remarks)
        for slug, one in given.items()
        if one.points is not None
    }


def _files(choices: Choices, digest: str) -> dict[str, bytes]:
    """Return the files with that digest, those that were graded; none if they are not there."""
    read = choices.sources.get(digest)
    if read is None:
        return {}
    try:
        submission: Submission = read()
    except SubmissionError:
        return {}
    return dict(submission.files) if submission.digest == digest else {}
