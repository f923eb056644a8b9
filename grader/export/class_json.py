"""Write all results of a class as one JSON document, for programs of the staff.

Its form is published in `docs/class-results.schema.json`. Points are exact texts, as in records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass, StudentResult
from grader.export.reports import report_of_student
from grader.report.cleaning import one_line
from grader.report.content import ExerciseReport
from grader.text.points import exact

FORMAT = "grader.class/1"
_INDENT = "    "


def class_json(graded: GradedClass, choices: Choices) -> Exported:
    """Return the document, in pieces: the records of a class are large."""
    del choices
    return Exported(
        files=(("", _pieces(graded)),),
        written=len(graded.students) - len(graded.unknown),
        left_out=graded.unknown,
    )


def _pieces(graded: GradedClass) -> Iterator[str]:
    about = _text(_about(graded))
    yield about.removesuffix("\n}") + ',\n  "students": ['
    for place, student in enumerate(graded.students):
        text = _text(_student(graded, student)).replace("\n", f"\n{_INDENT}")
        yield ("," if place else "") + f"\n{_INDENT}{text}"
    yield "\n  ]\n}\n"


def _text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)


def _about(graded: GradedClass) -> dict[str, Any]:
    exercises = graded.rubric.exercises
    return {
        "format": FORMAT,
        "course": graded.rubric.course,
        "max_points": exact(graded.max_points),
        "exercises": [
            {
                "slug": slug,
                "assignment": exercises[slug].assignment,
                "max_points": exact(exercises[slug].points),
                "criteria": [
                    {
                        "name": one.name,
                        "visibility": one.visibility.value,
                        "max_points": exact(one.points),
                    }
                    for one in exercises[slug].criteria.values()
                ],
            }
            for slug in graded.slugs
        ],
        "questions": [
            {"slug": i.slug, "assignment": i.assignment, "max_points": exact(i.points)}
            for i in graded.items
        ],
    }


def _student(graded: GradedClass, student: StudentResult) -> dict[str, Any]:
    row = student.row
    return {
        "id": one_line(row.id),
        "digest": row.digest or None,
        "points": _known(student.points),
        "points_unknown_because": one_line(student.unknown_because) or None,
        "automatic": _known(row.total),
        "unchecked": exact(row.unchecked),
        "late": student.is_late,
        "attempt": None if row.counted is None else row.counted.values,
        "problem": one_line(row.problem) or None,
        "flags": [one_line(flag) for flag in row.flags],
        "isolation": row.tier or None,
        "exercises": _exercises(graded, student),
        "questions": [_answer(graded, student, item.slug) for item in graded.items],
    }


def _exercises(graded: GradedClass, student: StudentResult) -> list[dict[str, Any]]:
    if not student.is_graded:
        return []
    return [_exercise(part) for part in report_of_student(graded, student).exercises]


def _exercise(part: ExerciseReport) -> dict[str, Any]:
    causes = {seen.cause.id: seen.cause.text for seen in part.observations if seen.cause}
    return {
        "slug": part.exercise.slug,
        "points": None if part.is_unknown else exact(part.grade.points),
        "criteria": [
            {
                "name": one.criterion,
                "points": _known(one.points),
                "passed": one.passed,
                "checks": one.checks,
            }
            for one in part.grade.criteria
        ],
        "causes": [{"id": id, "text": text} for id, text in causes.items()],
    }


def _answer(graded: GradedClass, student: StudentResult, slug: str) -> dict[str, Any]:
    item = graded.rubric.written[slug]
    given, answer = graded.given_to(student, item), student.row.written.get(slug)
    return {
        "slug": slug,
        "points": _known(given.points),
        "comment": one_line(given.comment),
        **({"ticked": list(given.ticked)} if item.scheme else {}),
        "answered": bool(answer and answer.digest),
    }


def _known(points: Fraction | None) -> str | None:
    return None if points is None else exact(points)
