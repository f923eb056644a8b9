"""Render a report for programs. All but the key `timings` is byte-identical between runs."""

from __future__ import annotations

import json
from fractions import Fraction

from grader.grade.counterexample import Counterexample, SmallArray
from grader.grade.evidence import (
    BlockedFinding,
    Cause,
    Note,
    Observation,
    Outcome,
    Picture,
    Weights,
    Where,
)
from grader.grade.right_lines import RightLines
from grader.grade.score import ExerciseGrade, Grade
from grader.report.check_names import CheckName, check_names
from grader.report.cleaning import printable
from grader.report.content import ExerciseReport, Report
from grader.report.small_example import LIMIT_SNIPPET
from grader.text.points import exact, shown

FORMAT = "grader.report/1"
LIMIT_ANSWER = 20_000
"""The most characters of a written answer."""
LIMIT_STAFF = 2000


def rendered(report: Report) -> str:
    """Return the report as JSON text, with a line break at its end."""
    text = json.dumps(as_dict(report), indent=2, ensure_ascii=False, allow_nan=False)
    # `##[error]` in a log is a command; spelt like this it is the same value and none.
    return text.replace("##", "#\\u0023") + "\n"


def as_dict(report: Report, *, for_staff: bool = False) -> dict[str, object]:
    """Return the report as JSON values, its keys in a fixed order.

    `for_staff` adds places in suites and our own exceptions, which no student may see, and names
    hidden checks, which are numbered otherwise unless the author lets them be named.

    Points are exact strings: `"2.5"`, `"1/3"`; `null` stands for points that could not be checked.
    """
    named = [_names(report, part, for_staff) for part in report.exercises]
    return {
        "format": FORMAT,
        "course": report.course,
        "submission": {
            "id": printable(report.submission.id),
            "digest": report.submission.digest,
            "entries": {stem: printable(file) for stem, file in sorted(report.entries.items())},
        },
        **sums_of(report.grade),
        "isolation": _isolation(report),
        "notes": [_note(note) for note in report.notes],
        **({} if report.flags is None else {"flags": [_flag(one) for one in report.flags]}),
        "exercises": [
            _exercise(part, names, for_staff)
            for part, names in zip(report.exercises, named, strict=True)
        ],
        **({"written": _written(report)} if report.written else {}),
        "timings": {
            "duration_ms": round(report.duration_ms, 3),
            "checks_ms": {
                _id(part, name): round(seen.duration_ms, 3)
                for part, names in zip(report.exercises, named, strict=True)
                for seen, name in zip(part.observations, names, strict=True)
            },
        },
    }


def _isolation(report: Report) -> object:
    known = {} if report.isolation is None else report.isolation.encoded()
    return _cleaned({**known, "tier": report.tier})


def _names(report: Report, part: ExerciseReport, for_staff: bool) -> tuple[CheckName, ...]:
    return tuple(check_names(report, part, part.observations, for_staff=for_staff))


def _id(part: ExerciseReport, name: CheckName) -> str:
    return printable(f"{part.exercise.slug}/{name.criterion}/{name.name}")


def _exercise(
    report: ExerciseReport, names: tuple[CheckName, ...], for_staff: bool
) -> dict[str, object]:
    return {
        "slug": report.exercise.slug,
        "assignment": report.exercise.assignment,
        **points_of(report.grade),
        "checks": [
            {
                "check": _id(report, name),
                "title": printable(name.title),
                **_observation(seen),
                **(_for_staff(seen) if for_staff else {}),
            }
            for seen, name in zip(report.observations, names, strict=True)
        ],
    }


def points_of(grade: ExerciseGrade) -> dict[str, object]:
    """Return what an exercise and its criteria earned, as a record holds it."""
    return {
        "points": None if grade.is_unknown else exact(grade.points),
        "max_points": exact(grade.max_points),
        "criteria": [
            {
                "name": criterion.criterion,
                "visibility": criterion.visibility.value,
                "points": _points(criterion.points),
                "max_points": exact(criterion.max_points),
                "passed": criterion.passed,
                "checks": criterion.checks,
            }
            for criterion in grade.criteria
        ],
    }


def sums_of(grade: Grade) -> dict[str, object]:
    """Return what a submission earned in all, as a record holds it."""
    return {
        "points": exact(grade.points),
        "max_points": exact(grade.max_points),
        "unchecked_points": exact(grade.unchecked_points),
        "total": shown(grade.points),
        "complete": grade.complete,
    }


def _written(report: Report) -> dict[str, object]:
    """Return the written answers; a person grades them, and the points above leave them out."""
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
        "outcome": seen.outcome.value,
        "observed": printable(seen.observed),
        "expected": printable(seen.expected),
        "cause": None if seen.cause is None or seen.cause.is_kept_back else _cause(seen.cause),
        "also": [_cause(cause) for cause in seen.also if not cause.is_kept_back],
        "picture": None if seen.picture is None else _picture(seen.picture),
        "weights": None if seen.weights is None else _weights(seen.weights),
        **(
            {} if seen.counterexample is None else {"counterexample": _example(seen.counterexample)}
        ),
        **({"nothing_small": True} if seen.nothing_small else {}),
        **({} if seen.right_lines is None else {"right_lines": _right_lines(seen.right_lines)}),
        "where": _where(seen.where),
        "notes": [printable(note) for note in seen.notes],
        "precision": seen.precision,
        **({"needs": list(seen.needs)} if seen.outcome is Outcome.BLOCKED else {}),
    }


def _for_staff(seen: Observation) -> dict[str, object]:
    return {
        **({"staff": printable(seen.staff, LIMIT_STAFF)} if seen.staff else {}),
        **({"fingerprint": printable(seen.fingerprint)} if seen.fingerprint else {}),
        **({"tried": seen.tried.value} if seen.tried else {}),
        **({} if seen.finding is None else {"finding": finding_of(seen.finding)}),
    }


def finding_of(seen: BlockedFinding) -> dict[str, object]:
    """Return what a blocked check saw, as a record holds it."""
    notes = [printable(note) for note in seen.notes]
    return {"outcome": seen.outcome.value, "observed": printable(seen.observed), "notes": notes}


def _cause(cause: Cause) -> dict[str, object]:
    words = {"id": cause.id, "text": printable(cause.text), "fits": cause.fits, "of": cause.of}
    return {**words, "beside": True} if cause.is_beside else words


def _picture(picture: Picture) -> dict[str, object]:
    rows = [list(row) for row in picture.rows]
    return {"kind": picture.kind, "title": printable(picture.title), "rows": rows}


def _weights(weights: Weights) -> dict[str, object]:
    """Return both matrices; a number that is not finite becomes null."""
    return {
        "axes": [printable(axis) for axis in weights.axes],
        "cut": weights.cut,
        "returned": [list(row) for row in weights.returned],
        "expected": [list(row) for row in weights.expected],
    }


def _example(example: Counterexample) -> dict[str, object]:
    return {
        "call": printable(example.call),
        "inputs": [_array(one) for one in example.inputs],
        "weights": [_array(one) for one in example.weights],
        "expected": _array(example.expected),
        "yours": None if example.yours is None else _array(example.yours),
        "instead": printable(example.instead),
        "wrong": example.wrong,
        "words": [printable(sentence) for sentence in example.words],
        "snippet": printable(example.snippet, LIMIT_SNIPPET),
    }


def _right_lines(lines: RightLines) -> dict[str, object]:
    values: list[object] = [
        {
            "where": _where(one.where),
            "kind": one.kind.value,
            "text": printable(one.text),
            "likeness": [likeness.value for likeness in one.likeness],
        }
        for one in lines.values
    ]
    result: dict[str, object] = {"values": values, "nothing_from": _where(lines.nothing_from)}
    if lines.right_answer is not None:
        inputs = [printable(one) for one in lines.right_answer.inputs]
        result["right_answer"] = {"call": printable(lines.right_answer.call), "inputs": inputs}
    return result


def _array(array: SmallArray) -> dict[str, object]:
    """Return an array; its entries are texts, as JSON has no numbers for NaN and infinity."""
    return {
        "name": printable(array.name),
        "shape": list(array.shape),
        "entries": list(array.entries),
        "axes": [printable(axis) for axis in array.axes],
    }


def _note(note: Note) -> dict[str, object]:
    return {"kind": note.kind, "text": printable(note.text), "where": _where(note.where)}


def _flag(flag: Note) -> dict[str, object]:
    return {"text": printable(flag.text), "where": _where(flag.where)}


def _where(where: Where | None) -> dict[str, object] | None:
    if where is None:
        return None
    place: dict[str, object] = {"file": printable(where.file), "line": where.line}
    likely = {"likely": True} if where.likely else {}
    return {**place, "cell": where.cell, **likely}


def _cleaned(value: object) -> object:
    """Clean all texts within lists and objects."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(str(key)): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, (list, tuple)) else value


def _points(points: Fraction | None) -> str | None:
    return None if points is None else exact(points)
