"""Whole submissions in `tests/corpus/`, and the grade that each must get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from grader.report.content import Report

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
EXPECTATIONS = "expect.yaml"

UNCHECKED = "could not be checked"
"""Stands in place of points where a check could not be run."""

Points = dict[str, dict[str, Fraction | None]]
"""Exercise -> criterion -> points; None where a criterion could not be checked."""


def names() -> list[str]:
    """Return the names of all cases."""
    return sorted(path.parent.name for path in CORPUS.glob(f"*/{EXPECTATIONS}"))


def expectations(name: str) -> Mapping[str, Any]:
    """Return what a case states, or nothing if it states nothing yet."""
    path = CORPUS / name / EXPECTATIONS
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


def points_stated(wanted: Mapping[str, Any]) -> Points:
    return {
        slug: {criterion: _points(points) for criterion, points in criteria.items()}
        for slug, criteria in wanted.get("criteria", {}).items()
    }


def _points(stated: object) -> Fraction | None:
    return None if stated == UNCHECKED else Fraction(str(stated))


def _shown(points: Mapping[str, Fraction | None], name: str) -> str:
    if name not in points:
        return "nothing"
    return UNCHECKED if points[name] is None else str(points[name])


def points_found(report: Report, slugs: Mapping[str, object]) -> Points:
    """Return the points of these exercises."""
    return {
        exercise.slug: {one.criterion: one.points for one in exercise.criteria}
        for exercise in report.grade.exercises
        if exercise.slug in slugs
    }


def differences(report: Report, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each criterion whose points are not those stated."""
    stated = points_stated(wanted)
    found = points_found(report, stated)
    for slug, criteria in stated.items():
        got = found.get(slug, {})
        for name in dict.fromkeys([*criteria, *got]):
            if criteria.get(name) != got.get(name) or (name in criteria) != (name in got):
                yield f"{slug}/{name}: stated {_shown(criteria, name)}, found {_shown(got, name)}"


def as_expectations(report: Report) -> str:
    """Return what was found as the text of an `expect.yaml`, for a case that has none yet."""
    lines = ['about: "TODO: what is special about this submission."', "criteria:"]
    for exercise in report.grade.exercises:
        if exercise.attempted:
            points = {one.criterion: one.points for one in exercise.criteria}
            row = ", ".join(f"{name}: {_shown(points, name)}" for name in points)
            lines.append(f"  {exercise.slug}: {{{row}}}")
    return "\n".join(lines)
