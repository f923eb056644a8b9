"""Check that rubric.yaml agrees with the rest of the course.

Checks must match criteria, targets the reference, and banned names the libraries that have them. A
rubric alone cannot tell. Where they do not agree, points would not be what the author meant, and
students would be misled: so nothing is graded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.course.course import Course
from grader.course.rubric import POLICY, Exercise, Visibility
from grader.course.rubric_place import rubric_problem
from grader.messages.answers import CheckFacts, UnknownName
from grader.text.problem import Problem, Trail, closest, did_you_mean, quoted


def unknown_names(course: Course, unknown: Iterable[UnknownName]) -> tuple[Problem, ...]:
    """Return the problems of unknown names, as `grader.judge.checks.rubric_names` found them."""
    return _placed(course, ((row.trail, _unknown(row)) for row in unknown))


def criteria_without_checks(
    course: Course, only: Iterable[str], checks: Sequence[CheckFacts]
) -> tuple[Problem, ...]:
    """Return the criteria that have no checks, and the checks that have no criterion.

    `checks` are those collected for the exercises in `only`, or for all of them.
    """
    chosen = set(only) or set(course.rubric.exercises)
    differences: list[tuple[Trail, str]] = []
    for slug, exercise in course.rubric.exercises.items():
        if slug in chosen:
            differences += _criteria(course, exercise, [c for c in checks if c.exercise == slug])
    return _placed(course, differences)


def _placed(course: Course, differences: Iterable[tuple[Trail, str]]) -> tuple[Problem, ...]:
    return tuple(rubric_problem(course.root, trail, message) for trail, message in differences)


def _unknown(row: UnknownName) -> str:
    """Say where a name is unknown, and what there is instead."""
    options, name = row.options, row.name
    near = did_you_mean(name, options) if closest(name, options) else ""
    return f"{row.owner} has no {quoted(name)}{near or ' - ' + row.next}"


def _criteria(
    course: Course, exercise: Exercise, own: Sequence[CheckFacts]
) -> Iterator[tuple[Trail, str]]:
    """Yield checks whose criterion has no points, and criteria that no check can earn."""
    trail: Trail = ("exercises", exercise.slug, "criteria")
    homeless: dict[str, list[CheckFacts]] = {}
    for check in own:
        if check.criterion not in exercise.criteria:
            homeless.setdefault(check.criterion, []).append(check)
    idle = [name for name in exercise.criteria if not any(c.criterion == name for c in own)]
    for name in idle:
        suite = _suite_of(course, exercise, name)
        if suite is None:  # not in this copy of the course
            continue
        if meant := closest(name, homeless):
            first = homeless.pop(meant)[0]
            hint = f" - did you mean {quoted(meant)}, as in {first.file}:{first.line}?"
        else:
            hint = f" - write the class {_class_of(name)} in {suite}, or take the criterion out"
        yield (*trail, name), f"no check earns its points{hint}"
    for name, checks in homeless.items():
        count = f"{len(checks)} check{'s' * (len(checks) != 1)}"
        message = (
            f"no criterion {quoted(name)} for {count}, such as {checks[0].file}:{checks[0].line}"
        )
        yield trail, f"{message} - add it with its points, or take the class {_class_of(name)} out"


def _suite_of(course: Course, exercise: Exercise, name: str) -> Path | None:
    """Return the suite with the checks of a criterion, if this copy of the course has it."""
    if name == POLICY:
        return None
    is_public = exercise.criteria[name].visibility is Visibility.PUBLIC
    for path in course.suite_files(exercise):
        if (path.parent.name == "public") is is_public:
            return path.relative_to(course.root)
    return None


def _class_of(criterion: str) -> str:
    return "Test" + "".join(part.capitalize() for part in criterion.split("_"))
