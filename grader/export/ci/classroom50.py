"""Write `result.json` of Classroom 50, whose points are whole numbers: hundredths of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction

from grader.export.words import criterion_in_words
from grader.report.content import Report

FILE = "result.json"
BODY = "release-body.md"
_NAMES = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}


def result(report: Report, environment: Mapping[str, str], now: datetime) -> str:
    """Return the result of a report whose points are all known."""
    most = report.grade.max_points - report.grade.later_points
    values = {
        "schema": "classroom50/result/v1",
        **{key: environment.get(name, "") for key, name in _NAMES.items()},
        "datetime": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": _hundredths(report.points),
        "max-score": _hundredths(most),
        "tests": list(_tests(report)),
    }
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"


def _tests(report: Report) -> Iterator[dict[str, object]]:
    for part in report.exercises:
        for grade in part.grade.here:
            assert grade.points is not None
            yield {
                "test-name": f"{part.exercise.slug}: {grade.criterion}",
                "passed": grade.points == grade.max_points,
                "score": _hundredths(grade.points),
                "max-score": _hundredths(grade.max_points),
                "output": criterion_in_words(part, grade),
            }


def _hundredths(points: Fraction) -> int:
    """Return the points in hundredths, cut off: what is not all of them never looks like it."""
    return int(points * 100)
