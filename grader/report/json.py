"""A report for programs. All but the key `timings` is byte-identical between runs."""

from __future__ import annotations

import json
from fractions import Fraction

from grader.evidence import Cause, Note, Observation, Picture, Weights, Where
from grader.report.cleaning import printable
from grader.report.content import ExerciseReport, Report
from grader.report.points import exact, shown

FORMAT = "grader.report/1"
LIMIT_ANSWER = 20_000
"""Characters of a written answer."""


def rendered(report: Report) -> str:
    """The report as JSON text, with a line break at its end."""
    text = json.dumps(as_dict(report), indent=2, ensure_ascii=False, allow_nan=False)
    # `##[error]` in a log is a command; spelt like this it is the same value and none.
    return text.replace("##", "#\\u0023") + "\n"


def as_dict(report: Report) -> dict[str, object]:
    """The report as JSON values, its keys in a fixed order.

    Points are strings, exact: `"2.5"`, `"1/3"`; `null` is what could not be checked.
    """
    grade = report.grade
    return {
        "format": FORMAT,
        "course": report.course,
        "submission": {
            "id": printable(report.submission.id),
            "digest": report.submission.digest,
            "entries": {stem: printable(file) for stem, file in sorted(report.entries.items())},
        },
        "points": exact(grade.points),
        "max_points": exact(grade.max_points),
        "unchecked_points": exact(grade.unchecked_points),
        "total": shown(grade.points),
        "complete": grade.complete,
        "isolation": _cleaned({**dict(sorted(report.isolation.items())), "tier": report.tier}),
        "notes": [_note(note) for note in report.notes],
        "exercises": [_exercise(exercise) for exercise in report.exercises],
        **({"written": _written(report)} if report.written else {}),
        "timings": {
            "duration_ms": round(report.duration_ms, 3),
            "checks_ms": {seen.check: round(seen.duration_ms, 3) for seen in report.observations},
        },
    }


def _exercise(report: ExerciseReport) -> dict[str, object]:
    return {
        "slug": report.exercise.slug,
        "assignment": report.exercise.assignment,
        "points": None if report.is_unknown else exact(report.grade.points),
        "max_points": exact(report.grade.max_points),
        "criteria": [
            {
                "name": criterion.criterion,
                "visibility": criterion.visibility.value,
                "points": _points(criterion.points),
                "max_points": exact(criterion.max_points),
                "passed": criterion.passed,
                "checks": criterion.checks,
            }
            for criterion in report.grade.criteria
        ],
        "checks": [_observation(seen) for seen in report.observations],
    }


def _written(report: Report) -> dict[str, object]:
    """What a person grades; no part of the points above."""
    return {
        "graded_by": "a person",
        "max_points": exact(report.written_points),
        "answers": [
            {
                "slug": answer.item.slug,
                "assignment": answer.item.assignment,
                "max_points": exact(answer.item.points),
                "answered": bool(answer.text),
                "words": answer.words,
                "digest": answer.digest or None,
                "places": [_where(where) for where in answer.places],
                "text": printable(answer.text, LIMIT_ANSWER),
            }
            for answer in report.written
        ],
    }


def _observation(seen: Observation) -> dict[str, object]:
    return {
        "check": printable(seen.check),
        "title": printable(seen.title),
        "outcome": seen.outcome.value,
        "observed": printable(seen.observed),
        "expected": printable(seen.expected),
        "cause": None if seen.cause is None else _cause(seen.cause),
        "also": [_cause(cause) for cause in seen.also],
        "picture": None if seen.picture is None else _picture(seen.picture),
        "weights": None if seen.weights is None else _weights(seen.weights),
        "where": _where(seen.where),
        "notes": [printable(note) for note in seen.notes],
        "precision": seen.precision,
    }


def _cause(cause: Cause) -> dict[str, object]:
    return {"id": cause.id, "text": printable(cause.text), "fits": cause.fits, "of": cause.of}


def _picture(picture: Picture) -> dict[str, object]:
    rows = [list(row) for row in picture.rows]
    return {"kind": picture.kind, "title": printable(picture.title), "rows": rows}


def _weights(weights: Weights) -> dict[str, object]:
    """Both matrices; a number that is not finite is null."""
    return {
        "axes": [printable(axis) for axis in weights.axes],
        "cut": weights.cut,
        "returned": [list(row) for row in weights.returned],
        "expected": [list(row) for row in weights.expected],
    }


def _note(note: Note) -> dict[str, object]:
    return {"kind": note.kind, "text": printable(note.text), "where": _where(note.where)}


def _where(where: Where | None) -> dict[str, object] | None:
    if where is None:
        return None
    found: dict[str, object] = {"file": printable(where.file), "line": where.line}
    likely = {"likely": True} if where.likely else {}
    return {**found, "cell": where.cell, **likely}


def _cleaned(value: object) -> object:
    """Texts within lists and objects as printable ones."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(str(key)): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, (list, tuple)) else value


def _points(points: Fraction | None) -> str | None:
    return None if points is None else exact(points)
