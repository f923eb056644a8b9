"""Decide what one submission is graded on, and what the exit code says of its report."""

from __future__ import annotations

from pathlib import Path

from grader.course.course import Course, select
from grader.grade.evidence import Outcome
from grader.report.content import Report
from grader.submission.archive import is_archive
from grader.submission.file_choice import candidates, misnamed
from grader.submission.submission import Submission, SubmissionError
from grader.text.language import _


def exit_code(report: Report) -> int:
    """Return 0 for all points that can be earned here, 3 if a check could not run, else 1."""
    grade = report.grade
    unchecked = any(one.outcome is Outcome.COULD_NOT_CHECK for one in report.observations)
    if grade.complete:
        return 0
    if unchecked or grade.unchecked_points > grade.later_points:
        return 3
    return 0 if grade.complete_here else 1


def slugs_in(submission: Submission, target: Path, course: Course) -> tuple[str, ...]:
    """Return the exercises of a single file's assignment; nothing, for all, if it is not one file.

    Raises SubmissionError if the file belongs to no assignment.
    """
    if target.is_dir() or is_archive(target.name):
        return ()
    stems = {exercise.assignment for exercise in course.rubric.exercises.values()}
    assigned = candidates(submission.files, stems)
    if not assigned:
        targets: dict[str, tuple[str, ...]] = {}
        for exercise in course.rubric.exercises.values():
            stem = exercise.assignment
            targets[stem] = (*targets.get(stem, ()), *exercise.targets)
        for note in misnamed(submission.files, assigned, targets):
            raise SubmissionError(f"{target}: {note.text}")
        suffix = target.suffix.lower()
        raise SubmissionError(
            _(
                "{path}: the name of this file matches no assignment. Rename it to one of: {names}",
                path=target,
                names=", ".join(f"{stem}{suffix}" for stem in sorted(stems)),
            )
        )
    return select(course.rubric, assigned)
