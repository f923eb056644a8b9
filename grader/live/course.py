"""The part of a course that is practised with: its public criteria, and nothing else of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.course import Course
from grader.hello import hello
from grader.language import _
from grader.processes import Hello
from grader.rubric import POLICY, Exercise, Rubric, Visibility


def practice_course(course: Course) -> Course:
    """The same course, as if nothing in it were hidden because nothing of that is there."""
    exercises = {
        slug: public
        for slug, exercise in course.rubric.exercises.items()
        if (public := _public(exercise)).criteria
    }
    name = _("{course}: practice on the public criteria, and nothing is handed in")
    rubric = replace(
        course.rubric,
        course=name.format(course=course.rubric.course),
        exercises=exercises,
        written={},
    )
    return Course(course.root, rubric)


def practice_hello(course: Course) -> Hello:
    """What a judge is told of a `practice_course`: of no hidden suite, not even where it lies."""
    told = dict(hello(course))
    rows = [{**row, "suites": _public_only(row["suites"])} for row in told["exercises"]]
    told["exercises"] = [row for row in rows if row["suites"]]
    return {**told, "trace": False, "diagnose": True, "live": True}


def exercise_of(rubric: Rubric) -> Mapping[str, str]:
    """Target -> the exercise that asks for it."""
    return {name: slug for slug, exercise in rubric.exercises.items() for name in exercise.targets}


def _public(exercise: Exercise) -> Exercise:
    kept = {
        name: criterion
        for name, criterion in exercise.criteria.items()
        if criterion.visibility is Visibility.PUBLIC
    }
    return replace(exercise, criteria={} if set(kept) <= {POLICY} else kept)


def _public_only(suites: Iterable[str]) -> list[str]:
    return [path for path in suites if Path(path).parent.name == "public"]
