"""Find the exercises that must be graded with an exercise: their mistakes could show in it."""

from __future__ import annotations

from collections.abc import Iterable

from grader.course.rubric import Exercise, Rubric


def needs(exercise: Exercise) -> frozenset[str]:
    """Return the slugs of the exercises that it uses or requires."""
    required = {name.partition("/")[0] for name in exercise.requires}
    return frozenset({*exercise.follow_through.calls.values(), *required})


def with_prerequisites(rubric: Rubric, slugs: Iterable[str]) -> tuple[str, ...]:
    """Return the exercises and all whose mistakes could show in them, in the rubric's order."""
    needed: dict[str, None] = {}
    waiting = list(slugs)
    while waiting:
        slug = waiting.pop()
        if slug in rubric.exercises and slug not in needed:
            needed[slug] = None
            waiting += needs(rubric.exercises[slug])
    return tuple(slug for slug in rubric.exercises if slug in needed)
