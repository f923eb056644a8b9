"""Find the words for a lecture on a mistake among a course's explanations."""

from __future__ import annotations

from grader.class_report.sections.misconceptions import Lesson
from grader.course.course import Course
from grader.course.explanations import (
    ExplanationError,
    has_explanations,
    load_explanations,
)
from grader.export.exported import ExportError
from grader.report.cleaning import one_line


def lessons(course: Course) -> Lesson:
    """Return a function from a cause to a sentence on why it is wrong, and an equation.

    Both are empty where the course explains nothing. Raises ExportError.
    """
    if not has_explanations(course.paths):
        return _nothing
    try:
        known = load_explanations(course.root, course.rubric)
    except ExplanationError as error:
        raise ExportError(one_line(str(error))) from error

    def lesson(cause: str) -> tuple[str, str]:
        try:
            explained = known.of(cause)
        except ExplanationError:  # named by an earlier version of the course
            return "", ""
        return explained.why, explained.equation

    return lesson


def _nothing(_cause: str) -> tuple[str, str]:
    return "", ""
