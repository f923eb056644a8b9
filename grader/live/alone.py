"""Describe a request for a check, and limit the check if only a part of an exercise was passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType

from grader.course.rubric import Exercise, Rubric
from grader.course.scope import Definition, Scope
from grader.grade.evidence import Note
from grader.messages.answers import GradedSubmission
from grader.text.language import _, joined
from grader.worker.live import Kernel


@dataclass(frozen=True)
class CheckRequest:
    """One request: the exercises to check, and the objects and modules that were passed."""

    slugs: tuple[str, ...]
    given: Mapping[str, object]
    """Maps a target to the object that was passed for it."""
    modules: tuple[ModuleType, ...]
    whole: frozenset[str] = frozenset()
    """The exercises that were named, or are in a module that was passed."""


def scope_of(request: CheckRequest, only: Iterable[str], kernel: Kernel, rubric: Rubric) -> Scope:
    """Limit the check to the targets that were passed, if only some of an exercise's targets were.

    Exercises that were named, or are in a module that was passed, are checked as a whole.
    """
    about: list[Definition] = []
    absent: list[Definition] = []
    for slug in request.slugs:
        exercise = rubric.exercises[slug]
        passed = [name for name in exercise.targets if name in request.given]
        if slug in request.whole or not passed or len(passed) == len(exercise.targets):
            continue
        there = held(exercise, kernel)
        about += [(exercise.assignment, name) for name in passed]
        absent += [(exercise.assignment, name) for name in exercise.targets if name not in there]
    return Scope(tuple(only), about=tuple(about), absent=tuple(absent))


def seen_of(rubric: Rubric, slugs: Iterable[str], graded: GradedSubmission) -> Rubric:
    """Return the rubric with only those criteria of `slugs` that were checked."""
    seen = {tuple(one.check.split("/", 2)[:2]) for one in graded.observations}
    exercises = dict(rubric.exercises)
    for slug in slugs:
        criteria = rubric.exercises[slug].criteria
        kept = {name: one for name, one in criteria.items() if (slug, name) in seen}
        exercises[slug] = replace(exercises[slug], criteria=kept)
    return replace(rubric, exercises=exercises)


def left_out(scope: Scope, rubric: Rubric) -> Iterator[Note]:
    """Yield a note for each exercise if only some of its targets were passed."""
    for exercise in rubric.exercises.values():
        passed = {name for stem, name in scope.about if stem == exercise.assignment}
        others = [name for name in exercise.targets if name not in passed]
        if passed.intersection(exercise.targets) and others:
            text = _(
                "only what was passed is checked. {exercise} also asks for {others}; "
                'for all of it: grader.check("{exercise}")',
                others=joined(others),
                exercise=exercise.slug,
            )
            yield Note("note", text)


def held(exercise: Exercise, kernel: Kernel) -> set[str]:
    """Return those targets of an exercise that the kernel holds or was given."""
    path = kernel.entries.get(exercise.assignment, "")
    values = next((space.values for space in kernel.spaces if space.path == path), {})
    given = kernel.given.get(path, {})
    return {name for name in exercise.targets if name in values or name in given}
