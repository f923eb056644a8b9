"""Right ways get full marks, known mistakes lose points where they say: all in one real batch."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path

import pytest

from grader.course import Course, find_course
from grader.engine import Engine, Options
from grader.follow_through import FollowThrough
from grader.misconceptions import (
    Misconception,
    Origin,
    Variant,
    apply_misconception,
    apply_variant,
    criteria_named,
    load_entries,
)
from grader.score import block, score
from grader.submission import Submission, digest_of

ROOT = Path(__file__).resolve().parents[2]
STEMS = sorted(path.stem for path in (ROOT / "reference").glob("a[0-9]*_*.py"))
Points = dict[tuple[str, str], Fraction | None]


def entries(folder: str) -> Iterator[tuple[str, Misconception | Variant, Origin]]:
    for stem in STEMS:
        path = ROOT / "reference" / folder / f"{stem}.py"
        found, origin = load_entries(path, f"reference/{folder}/{stem}.py")
        yield from ((stem, entry, origin) for entry in found)


MISCONCEPTIONS = [row for row in entries("misconceptions") if isinstance(row[1], Misconception)]
VARIANTS = [row for row in entries("variants") if isinstance(row[1], Variant)]


@functools.cache
def course() -> Course:
    """Without follow-through: edits of several assignments are tried at once, and each stands for
    itself."""
    found = find_course(ROOT)
    alone = {
        slug: replace(exercise, follow_through=FollowThrough())
        for slug, exercise in found.rubric.exercises.items()
    }
    return replace(found, rubric=replace(found.rubric, exercises=alone))


def text(folder: str, stem: str) -> str:
    return (ROOT / folder / f"{stem}.py").read_text(encoding="utf-8")


def edited(stem: str, entry: Misconception | Variant, origin: Origin) -> str:
    if isinstance(entry, Variant):
        return apply_variant(text("reference", stem), entry, origin)
    return apply_misconception(text("reference", stem), entry, origin)


def submissions() -> Iterator[Submission]:
    """The reference, the stub, and one edit of every assignment at a time.

    The assignments' files know nothing of each other, so a submission tries four edits at once.
    """
    rows: list[dict[str, tuple[str, str]]] = [
        {stem: ("reference", text("reference", stem)) for stem in STEMS},
        {stem: ("stub", text("assignments", stem)) for stem in STEMS},
    ]
    by_stem = {stem: [row for row in MISCONCEPTIONS + VARIANTS if row[0] == stem] for stem in STEMS}
    for found in zip_longest(*by_stem.values()):
        rows.append({row[0]: (row[1].id, edited(*row)) for row in found if row is not None})
    for row in rows:
        files = {f"{stem}.py": source.encode() for stem, (_, source) in row.items()}
        names = json.dumps({stem: id for stem, (id, _) in row.items()})
        yield Submission(id=names, files=files, digest=digest_of(files), path="")


@pytest.fixture(scope="module")
def graded() -> dict[str, Points]:
    """Points by exercise and criterion, by the id of what was handed in for that exercise."""
    rubric = course().rubric
    with Engine(course(), Options(workers=2)) as engine:
        results = list(engine.grade(submissions()))
    found: dict[str, Points] = defaultdict(dict)
    for result in results:
        names = json.loads(result.submission.id)
        for exercise in score(rubric, block(rubric, result.observations)).exercises:
            id = names.get(rubric.exercises[exercise.slug].assignment)
            for criterion in exercise.criteria:
                found[id][exercise.slug, criterion.criterion] = criterion.points
    return found


def full(names: tuple[tuple[str, str], ...]) -> Points:
    return {
        (slug, criterion): course().rubric.exercises[slug].criteria[criterion].points
        for slug, criterion in names
    }


def everything() -> tuple[tuple[str, str], ...]:
    exercises = course().rubric.exercises.values()
    return tuple((e.slug, criterion) for e in exercises for criterion in e.criteria)


def test_the_reference_gets_full_marks(graded: dict[str, Points]) -> None:
    assert graded["reference"] == full(everything())


def test_the_stub_gets_nothing(graded: dict[str, Points]) -> None:
    assert graded["stub"] == dict.fromkeys(everything(), 0)


@pytest.mark.parametrize(
    ("entry", "origin"), [row[1:] for row in VARIANTS], ids=[row[1].id for row in VARIANTS]
)
def test_a_right_way_earns_what_it_says(
    entry: Variant, origin: Origin, graded: dict[str, Points]
) -> None:
    wanted = full(criteria_named(entry.earns, entry, course().rubric, origin))
    found = graded[entry.id]
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    ("entry", "origin"),
    [row[1:] for row in MISCONCEPTIONS],
    ids=[row[1].id for row in MISCONCEPTIONS],
)
def test_a_mistake_costs_what_it_says(
    entry: Misconception, origin: Origin, graded: dict[str, Points]
) -> None:
    wanted = full(criteria_named(entry.fails, entry, course().rubric, origin))
    found = graded[entry.id]
    assert None not in found.values()
    assert [key for key in wanted if found[key] == wanted[key]] == []


def test_every_exercise_has_mistakes_and_right_ways() -> None:
    """At least five of the first and three of the second."""
    rubric = course().rubric
    mistakes, ways = dict.fromkeys(rubric.exercises, 0), dict.fromkeys(rubric.exercises, 0)
    for _, entry, origin in MISCONCEPTIONS:
        for slug in {slug for slug, _ in criteria_named(entry.fails, entry, rubric, origin)}:
            mistakes[slug] += 1
    for _, variant, origin in VARIANTS:
        for slug in {slug for slug, _ in criteria_named(variant.earns, variant, rubric, origin)}:
            ways[slug] += 1
    assert min(mistakes.values()) >= 5
    assert min(ways.values()) >= 3
