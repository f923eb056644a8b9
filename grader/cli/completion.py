"""Complete names in a shell: exercises and causes of the course around the current folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.course.course import Course


def exercises(context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Complete assignments (a1) and exercises (a1.sums)."""
    course = _course(context)
    return [] if course is None else _beginning(begun, _slugs(course))


def explained(context: click.Context, _argument: click.Parameter, begun: str) -> list[str]:
    """Complete all that `explain` has words for: causes, exercises, criteria behind a slash."""
    from grader.course.explanations import ExplanationError, load_explanations
    from grader.course.misconceptions import MisconceptionError

    course = _course(context)
    if course is None:
        return []
    slug, slash, _criterion = begun.partition("/")
    if slash and slug in course.rubric.exercises:
        criteria = course.rubric.exercises[slug].criteria
        return _beginning(begun, (f"{slug}/{name}" for name in criteria))
    try:
        known = load_explanations(course.root, course.rubric)
    except (ExplanationError, MisconceptionError):
        return []
    return _beginning(
        begun, [*known.by_exercise, *known.by_target, *known.entries, *known.by_cause]
    )


def _course(context: click.Context) -> Course | None:
    """Return the course; None if none can be read: completion is no time to say why."""
    from grader.course.course import CourseError, find_course
    from grader.course.rubric_file import RubricError

    try:
        return find_course(context.params.get("course_folder") or Path.cwd())
    except (CourseError, RubricError, OSError):
        return None


def _slugs(course: Course) -> Iterator[str]:
    yield from course.rubric.assignments
    yield from course.rubric.exercises


def _beginning(begun: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(begun)]
