"""Every whole submission of the corpus gets exactly its grade, however it is graded."""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from grader.course import Course, find_course
from grader.engine import Engine, Options
from grader.report.content import Report, report_on
from grader.report.json import as_dict
from grader.submission import read_submission

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
NAMES = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
WAYS = {
    "fork": Options(workers=2),
    "reversed in one lane": Options(workers=1, reverse=True),
    "spawn": Options(workers=2, spawn=True, isolation="none"),
    "partial": Options(workers=2, isolation="partial"),
    "none": Options(workers=2, isolation="none"),
}
IN_PART = NAMES[::4]
"""For the weaker tiers, which differ in what the attacks try and not in how is judged."""


@functools.cache
def course() -> Course:
    return find_course(CORPUS)


@functools.cache
def graded(way: str) -> dict[str, Report]:
    """The corpus in one run."""
    names = IN_PART if way in ("partial", "none") else NAMES
    submissions = [read_submission(CORPUS / name, id=name) for name in names]
    rubric = course().rubric
    with Engine(course(), WAYS[way]) as engine:
        results = list(engine.grade(submissions))
    return {result.submission.id: report_on(result, rubric, ()) for result in results}


def without_timings(report: Report) -> str:
    """The report byte by byte, but for how it was made. Its checks are sorted: their order of
    running is no part of it."""
    plain = as_dict(report)
    del plain["timings"], plain["isolation"]
    for exercise in plain["exercises"]:  # type: ignore[attr-defined]
        exercise["checks"].sort(key=lambda check: check["check"])
    return json.dumps(plain, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_every_submission_gets_its_grade(name: str, way: str) -> None:
    wanted = yaml.safe_load((CORPUS / name / "expect.yaml").read_text(encoding="utf-8"))
    report = graded(way)[name]
    found = {
        exercise.slug: {c.criterion: c.points for c in exercise.criteria}
        for exercise in report.grade.exercises
        if exercise.slug in wanted["criteria"]
    }
    expected = {
        slug: {criterion: Fraction(str(points)) for criterion, points in criteria.items()}
        for slug, criteria in wanted["criteria"].items()
    }
    assert found == expected


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_are_those_stated(name: str) -> None:
    wanted = yaml.safe_load((CORPUS / name / "expect.yaml").read_text(encoding="utf-8"))
    seen: dict[str, set[str]] = {}
    for exercise in graded("fork")[name].exercises:
        for check in exercise.observations:
            key = f"{check.exercise}/{check.criterion}"
            seen.setdefault(key, set()).add(check.outcome.value)
    outcomes = wanted.get("outcomes", {})
    assert {key: seen[key] for key in outcomes} == {k: set(v) for k, v in outcomes.items()}


@pytest.mark.parametrize("name", NAMES)
def test_reports_say_what_is_stated(name: str) -> None:
    """`notes` stand in full beside a check, `says` somewhere in what was observed."""
    wanted = yaml.safe_load((CORPUS / name / "expect.yaml").read_text(encoding="utf-8"))
    notes: dict[str, set[str]] = {}
    said: dict[str, str] = {}
    for exercise in graded("fork")[name].exercises:
        for check in exercise.observations:
            notes.setdefault(check.exercise, set()).update(check.notes)
            said[check.exercise] = f"{said.get(check.exercise, '')}\n{check.observed}"
    missing = {slug: set(texts) - notes[slug] for slug, texts in wanted.get("notes", {}).items()}
    assert missing == {slug: set() for slug in missing}
    for slug, texts in wanted.get("says", {}).items():
        assert [text for text in texts if text not in said[slug]] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", ["reversed in one lane", "spawn"])
def test_reports_do_not_depend_on_how_they_were_made(name: str, way: str) -> None:
    assert without_timings(graded(way)[name]) == without_timings(graded("fork")[name])


@pytest.mark.parametrize("name", IN_PART)
@pytest.mark.parametrize("tier", ["partial", "none"])
def test_reports_do_not_depend_on_the_tier(name: str, tier: str) -> None:
    assert without_timings(graded(tier)[name]) == without_timings(graded("fork")[name])


def test_the_corpus_is_large_enough() -> None:
    assert len(NAMES) >= 54
