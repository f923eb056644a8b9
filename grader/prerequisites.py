"""Which exercises an exercise is graded with: those whose mistakes could show in it."""

from __future__ import annotations

from collections.abc import Iterable

from grader.rubric import Exercise, Rubric


def needs(exercise: Exercise) -> frozenset[str]:
    """The exercises that it uses, or waits for."""
    required = {name.partition("/")[0] for name in exercise.requires}
    return frozenset({*exercise.follow_through.calls.values(), *required})


def with_prerequisites(rubric: Rubric, slugs: Iterable[str]) -> tuple[str, ...]:
    """The exercises, and all whose mistakes could show in them, in the rubric's order."""
    found: dict[str, None] = {}
    waiting = list(slugs)
    while waiting:
        slug = waiting.pop()
        if slug in rubric.exercises and slug not in found:
            found[slug] = None
            waiting += needs(rubric.exercises[slug])
    return tuple(slug for slug in rubric.exercises if slug in found)
