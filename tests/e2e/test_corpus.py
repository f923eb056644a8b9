"""Every whole submission of the corpus gets exactly its grade, however it is graded."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.pytest_items.grading import NOTHING, FolderGrading
from grader.report.content import Report, report_on
from grader.report.json import as_dict
from grader.submission.submission import read_submission
from tests.support import busy
from tests.support.corpus import (
    CORPUS,
    differences,
    expectations,
    names,
    points_found,
    points_stated,
)
from tests.support.items import item_verdicts, verdicts_of
from tests.support.one_processor import one_processor
from tests.support.turns import in_turn
from tests.support.warm import warm_spawner

NAMES = names()
Graded = Callable[[str], dict[str, Report]]
SPAWNED = Options(workers=1, spawn=True, isolation="none", reverse=True)
WAYS = {
    "fork": Options(workers=2),
    "spawn": SPAWNED,
    "exec": SPAWNED,
    "partial": Options(isolation="partial", reverse=True),
    "none": Options(isolation="none"),
}
"""Ways that differ from the first in more than one thing: whichever of them mattered would show.
What is spawned is graded in reverse and in one lane as well, what is partly jailed in reverse.
`spawn` forks its workers where an exec would have brought them, see `warm_spawner`; `exec` does
not, and pays an `import torch` for each."""
SPAWNED_NAMES = in_turn(NAMES, 4)
IN_PART = in_turn(NAMES[::4], 2)
"""For the weaker tiers, which differ in what the attacks try and not in how is judged."""
EXECED = NAMES if os.environ.get("GRADER_EVERY_WAY") == "1" else in_turn(NAMES[::8], 2)
"""All of them take an hour, and come on request: `test_warm_spawner.py` shows that nothing a
submission can see tells a forked worker from one that was exec'd."""
GRADED = {
    "fork": NAMES,
    "spawn": SPAWNED_NAMES,
    "exec": EXECED,
    "partial": IN_PART,
    "none": IN_PART,
}
AS_FORKED = [(way, name) for way in ("exec", "partial", "none") for name in GRADED[way]]


@functools.cache
def course() -> Course:
    return find_course(CORPUS)


@pytest.fixture(scope="module")
def graded(once: Callable[[str, Any], Any]) -> Graded:
    """The corpus in one run, each way once for all processes that test it."""
    return functools.cache(lambda way: once(f"corpus {way}", lambda: grade_corpus(way)))


def grade_corpus(way: str) -> dict[str, Report]:
    submissions = [read_submission(CORPUS / name, id=name) for name in GRADED[way]]
    rubric = course().rubric
    lent = warm_spawner() if way == "spawn" else nullcontext()
    kept = one_processor() if WAYS[way].workers == 1 else nullcontext()
    with lent, kept, Engine(course(), WAYS[way]) as engine:
        results = list(busy.graded(engine, submissions))
    return {result.submission.id: report_on(result, rubric, ()) for result in results}


def without_timings(report: Report) -> str:
    """The report byte by byte, but for how it was made. Its checks are sorted: their order of
    running is no part of it."""
    plain = as_dict(replace(report, name_hidden_checks=True))  # numbers go by the order of running
    del plain["timings"], plain["isolation"]
    for exercise in plain["exercises"]:  # type: ignore[attr-defined]
        exercise["checks"].sort(key=lambda check: check["check"])
    return json.dumps(plain, indent=1, ensure_ascii=False)


@pytest.mark.parametrize(
    ("way", "name"), [(way, name) for way in ("fork", "spawn") for name in GRADED[way]]
)
def test_every_submission_gets_its_grade(name: str, way: str, graded: Graded) -> None:
    stated = points_stated(expectations(name))
    assert points_found(graded(way)[name], stated) == stated
    assert list(differences(graded(way)[name], expectations(name))) == []


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_are_those_stated(name: str, graded: Graded) -> None:
    """`outcomes` are all that the checks of a criterion come to: `a1.sdpa/outputs: [failed]`."""
    wanted = expectations(name)
    seen: dict[str, set[str]] = {}
    for exercise in graded("fork")[name].exercises:
        for check in exercise.observations:
            key = f"{check.exercise}/{check.criterion}"
            seen.setdefault(key, set()).add(check.outcome.value)
    outcomes = wanted.get("outcomes", {})
    assert {key: seen[key] for key in outcomes} == {k: set(v) for k, v in outcomes.items()}


@pytest.mark.parametrize("name", NAMES)
def test_reports_say_what_is_stated(name: str, graded: Graded) -> None:
    """`notes` stand in full beside a check, `says` somewhere in what was observed."""
    wanted = expectations(name)
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


@pytest.mark.parametrize("name", SPAWNED_NAMES)
def test_reports_do_not_depend_on_how_they_were_made(name: str, graded: Graded) -> None:
    """Neither on spawning, nor on the order of checks, nor on lanes."""
    assert without_timings(graded("spawn")[name]) == without_timings(graded("fork")[name])


@pytest.mark.parametrize(("way", "name"), AS_FORKED)
def test_reports_do_not_depend_on_the_tier_or_on_exec(way: str, name: str, graded: Graded) -> None:
    assert without_timings(graded(way)[name]) == without_timings(graded("fork")[name])


def test_the_corpus_is_large_enough() -> None:
    assert len(NAMES) >= 54


def test_every_folder_states_a_grade() -> None:
    assert [path.name for path in sorted(CORPUS.glob("*/")) if path.name[0] not in "._"] == NAMES


def test_another_grade_is_noticed(graded: Graded) -> None:
    wanted = {"criteria": {"a1.sdpa": {"shapes": "1", "outputs": 3, "gone": 1}}}
    found = [line.partition(",")[0] for line in differences(graded("fork")["right_plain"], wanted)]
    assert found[:2] == ["a1.sdpa/outputs: stated 3", "a1.sdpa/gone: stated 1"]


def test_items_of_pytest_say_what_the_report_says(
    graded: Graded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every submission, through pytest's own report; the run that is compared is shared.

    `tools/pytest_items.py` has the engine run for the items as well.
    """
    with Engine(course(), WAYS["fork"]) as engine:
        for _result in engine.grade([NOTHING]):
            pass
        ours = SimpleNamespace(checks=engine.checks, grade=lambda submissions: ())
    monkeypatch.setattr(FolderGrading, "_engine", ours)
    monkeypatch.setattr(FolderGrading, "report", property(lambda one: reports[one.folder.name]))
    monkeypatch.setattr(FolderGrading, "close", lambda one: None)
    reports = graded("fork")
    folders = [CORPUS / name for name in NAMES]

    seen = item_verdicts(folders, tmp_path / "items.xml")

    wanted = {one.name: verdicts_of(reports[one.name], FolderGrading(one)) for one in folders}
    assert seen == wanted
    assert {tag for tags in seen.values() for tag in tags.values()} >= {
        "passed",
        "failure",
        "skipped",
    }
