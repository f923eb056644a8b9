"""Reduce a course to the part for practice: its public criteria, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.course.course import Course
from grader.course.rubric import POLICY, Exercise, Rubric, Visibility
from grader.messages.hello import Hello, hello
from grader.text.language import _


def practice_course(course: Course) -> Course:
    """Return the course with only its public criteria, as if it had no others and no questions."""
    exercises = {
        slug: public
        for slug, exercise in course.rubric.exercises.items()
        if (public := _public(exercise)).criteria
    }
    name = _(
        "{course}: practice on the public criteria, and nothing is handed in",
        course=course.rubric.course,
    )
    rubric = replace(course.rubric, course=name, exercises=exercises, written={})
    return Course(course.root, rubric)


def practice_hello(course: Course) -> Hello:
    """Return the hello message that tells a judge about a `practice_course`.

    It names no hidden suite, not even by its path, and no seed, which the judge reads itself.
    """
    whole = hello(course)
    plans = (replace(plan, suites=_public_only(plan.suites)) for plan in whole.exercises)
    practised = tuple(plan for plan in plans if plan.suites)
    return replace(whole, exercises=practised, seed=None, live=True)


def exercise_of(rubric: Rubric) -> Mapping[str, str]:
    """Map each target to the exercise that asks for it."""
    return {name: slug for slug, exercise in rubric.exercises.items() for name in exercise.targets}


def _public(exercise: Exercise) -> Exercise:
    kept = {
        name: criterion
        for name, criterion in exercise.criteria.items()
        if criterion.visibility is Visibility.PUBLIC
    }
    return replace(exercise, criteria={} if set(kept) <= {POLICY} else kept)


def _public_only(suites: Iterable[str]) -> tuple[str, ...]:
    return tuple(path for path in suites if Path(path).parent.name == "public")
