"""No right answer of the course is told that it uses what it must not; who does so is."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.misconceptions import apply_misconception, apply_variant
from grader.course.mistake_diff import mistakes_of_assignment
from grader.course.whole_definitions import read_variants
from grader.wire.load_plan import Wanted
from grader.wire.survey_report import encoded_survey
from grader.worker.loading.source.module_map import ModuleMap
from grader.worker.loading.source.statements import Scripts
from grader.worker.survey import survey

ROOT = Path(__file__).resolve().parents[4]
COURSE = find_course(ROOT)
RUBRIC = COURSE.rubric
STEMS = tuple(RUBRIC.assignments.values())
REFERENCES = {
    stem: (ROOT / "reference" / f"{stem}.py").read_text(encoding="utf-8") for stem in STEMS
}
BREAKS_RULES = {"scores.key_by_key"}
"""Mistakes that break a rule; what their ids end in is the other sign of it."""
LOOPS = {"scores.linear"}
"""Right values in a way that one rule forbids, and says so."""


def broken(stem: str, source: str) -> set[str]:
    """The exercises of an assignment a rule of which is broken."""
    files = {f"{one}.py": text.encode() for one, text in {**REFERENCES, stem: source}.items()}
    starts = {one: f"{one}.py" for one in STEMS}
    layout, scripts = ModuleMap(files, starts), Scripts(files)
    found = set()
    for slug, exercise in RUBRIC.exercises.items():
        if exercise.assignment == stem and (exercise.banned or exercise.no_loops):
            wanted = Wanted({stem: exercise.targets}, {}, exercise.banned, {})
            told = encoded_survey(survey(wanted, starts, layout, scripts))[stem]
            loops = [told[target]["loops"] or told[target]["again"] for target in exercise.no_loops]
            if any(told[target]["uses"] for target in exercise.targets) or any(loops):
                found.add(slug)
    return found


@pytest.mark.parametrize("stem", STEMS)
def test_the_reference_and_other_right_ways_break_no_rule(stem: str) -> None:
    own = [slug for slug, one in COURSE.rubric.exercises.items() if one.assignment == stem]
    sources = {
        entry.id: apply_variant(REFERENCES[stem], entry, origin)
        for entries, origin in (read_variants(COURSE.paths, slug) for slug in own)
        for entry in entries
        if entry.id not in LOOPS
    }

    assert broken(stem, REFERENCES[stem]) == set()
    assert {id: slugs for id, text in sources.items() if (slugs := broken(stem, text))} == {}


@pytest.mark.parametrize("stem", STEMS)
def test_of_the_mistakes_those_break_a_rule_that_are_about_one(stem: str) -> None:
    read = list(mistakes_of_assignment(COURSE.paths, stem))
    mistakes = [entry for each in read for entry in each.entries]
    found = {
        entry.id
        for each in read
        for entry in each.entries
        if broken(stem, apply_misconception(REFERENCES[stem], entry, each.origin))
    }

    about = {e.id for e in mistakes if e.id in BREAKS_RULES or e.id.endswith("torchs_own")}
    assert found == about
    rules = [one for one in RUBRIC.exercises.values() if one.assignment == stem]
    assert bool(about) == any(one.banned or one.no_loops for one in rules)
