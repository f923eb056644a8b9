"""Write a list for a mail merge: who made which known mistake. Nothing is sent.

Only causes that the student's own report names are in it: none that the course keeps back, unless
it is the one that was named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from grader.batch.cells import csv_text, safe_cell
from grader.course.feedback import CauseTiming
from grader.export.exported import Choices, Exported, ExportError
from grader.export.graded_class import GradedClass, StudentResult
from grader.export.reports import reports, without_report
from grader.export.words import shown_causes
from grader.grade.evidence import Cause
from grader.text.points import shown
from grader.text.problem import did_you_mean, quoted

COLUMNS = ("id", "points", "max_points", "cause", "in_words", "exercises", "shared_by")


@dataclass(frozen=True)
class _Line:
    student: StudentResult
    cause: Cause
    exercises: tuple[str, ...]


def mail_merge(graded: GradedClass, choices: Choices) -> Exported:
    """Return a row for each student and cause, those who share a cause one after another.

    Raises ExportError for a cause that nobody here has.
    """
    lines = [line for line in _lines(graded, choices) if _is_meant(line.cause, choices.cause)]
    if choices.cause and not lines:
        known = sorted({line.cause.id for line in _lines(graded, choices)})
        hint = did_you_mean(choices.cause, known)
        raise ExportError(f"nobody here has the cause {quoted(choices.cause)}{hint}")
    counts = Counter(line.cause.id for line in lines)
    lines.sort(key=lambda line: (-counts[line.cause.id], line.cause.id, line.student.id))
    rows = [_row(graded, line, counts[line.cause.id]) for line in lines]
    return Exported(
        files=(("", csv_text([COLUMNS, *rows])),),
        written=len({line.student.id for line in lines}),
        remarks=_remarks(graded, choices),
    )


def _remarks(graded: GradedClass, choices: Choices) -> tuple[str, ...]:
    without = len(without_report(graded))
    remarks = (f"without a report, and so not in the list: {without}",) if without else ()
    if graded.rubric.feedback.causes is CauseTiming.AT_ONCE or choices.cause:
        return remarks
    return (*remarks, "causes that the course keeps back are not in the list; --cause ID lists one")


def _lines(graded: GradedClass, choices: Choices) -> Iterator[_Line]:
    for student, report in reports(graded, choices):
        causes: dict[str, tuple[Cause, list[str]]] = {}
        for part in report.exercises:
            for cause in shown_causes(part):
                if cause.is_kept_back and cause.id != choices.cause:
                    continue
                _first, slugs = causes.setdefault(cause.id, (cause, []))
                if part.exercise.slug not in slugs:
                    slugs.append(part.exercise.slug)
        for cause, slugs in causes.values():
            yield _Line(student, cause, tuple(slugs))


def _is_meant(cause: Cause, wanted: str) -> bool:
    """Tell whether a cause is listed; what is only seen in numbers is no mistake with a name."""
    return cause.id == wanted if wanted else not cause.is_observation


def _row(graded: GradedClass, line: _Line, count: int) -> list[str]:
    points = line.student.points
    return [
        safe_cell(line.student.id),
        "" if points is None else shown(points),
        shown(graded.max_points),
        safe_cell(line.cause.id),
        safe_cell(line.cause.text),
        ", ".join(line.exercises),
        str(count),
    ]
