"""Grades what a course says about itself: its reference, its stubs, and every edit on its own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from grader.commands.stubs import render
from grader.course import Course, find_course
from grader.engine import Engine, Options
from grader.misconceptions import (
    Misconception,
    Variant,
    apply_misconception,
    apply_variant,
    criteria_named,
    load_entries,
)
from grader.score import block, score
from grader.submission import Submission, digest_of

Points = dict[tuple[str, str], Fraction | None]
"""By exercise and criterion."""


def texts(root: Path) -> Iterator[tuple[str, str, str]]:
    """Stem, name and text of everything there is to grade."""
    course = find_course(root)
    stubs = render(root)
    for stem in course.rubric.assignments.values():
        reference = course.reference(stem).read_text(encoding="utf-8")
        yield stem, "reference", reference
        yield stem, "stub", stubs[f"{stem}.py"]
        for folder in ("misconceptions", "variants"):
            entries, origin = load_entries(root / "reference" / folder / f"{stem}.py")
            for entry in entries:
                if isinstance(entry, Misconception):
                    yield stem, entry.id, apply_misconception(reference, entry, origin)
                else:
                    yield stem, entry.id, apply_variant(reference, entry, origin)


def graded(root: Path) -> dict[str, Points]:
    """Points for the assignment that each text belongs to, by its name."""
    course = find_course(root)
    found: dict[str, Points] = {}
    waiting = []
    for stem, name, text in texts(root):
        files = {f"{stem}.py": text.encode()}
        waiting.append(Submission(f"{stem} {name}", files, digest_of(files), ""))
    with Engine(course, Options(workers=2)) as engine:
        for result in engine.grade(waiting):
            stem, name = result.submission.id.split()
            points = found.setdefault(name, {})
            report = score(course.rubric, block(course.rubric, result.observations))
            for exercise in report.exercises:
                if course.rubric.exercises[exercise.slug].assignment == stem:
                    for criterion in exercise.criteria:
                        points[exercise.slug, criterion.criterion] = criterion.points
    return found


def full_marks(course: Course) -> Points:
    return {
        (slug, name): criterion.points
        for slug, exercise in course.rubric.exercises.items()
        for name, criterion in exercise.criteria.items()
    }


def promises_kept(root: Path, found: dict[str, Points]) -> list[str]:
    """Where an entry got something else than it states: nothing, in a good course."""
    course = find_course(root)
    broken = []
    for stem in course.rubric.assignments.values():
        for folder in ("misconceptions", "variants"):
            entries, origin = load_entries(root / "reference" / folder / f"{stem}.py")
            for entry in entries:
                is_right = isinstance(entry, Variant)
                names = entry.earns if isinstance(entry, Variant) else entry.fails
                for key in criteria_named(names, entry, course.rubric, origin):
                    points = found[entry.id][key]
                    if (points == full_marks(course)[key]) != is_right:
                        broken.append(f"{entry.id} {'/'.join(key)}: {points}")
    return broken
