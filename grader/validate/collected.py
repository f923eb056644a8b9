"""Find gaps in the checks that were collected: their place and their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..course.course import Course
from ..course.rubric import POLICY, Exercise, Visibility
from ..course.rubric_place import RUBRIC_FILE
from ..messages.answers import CheckFacts
from ..text.problem import did_you_mean
from .gap import Gap
from .rubric_lines import rubric_gap


def collected_gaps(
    course: Course, exercise: Exercise, checks: Iterable[CheckFacts]
) -> Iterator[Gap]:
    """Yield checks without a criterion, criteria without a check, and checks in the wrong folder.

    Disabled checks, and an exercise without exactly one hidden fresh check, are gaps as well.
    """
    own = [check for check in checks if check.exercise == exercise.slug]
    for check in own:
        criterion = exercise.criteria.get(check.criterion)
        if criterion is None:
            message = (
                f"{check.id}: rubric.yaml gives {exercise.slug} no criterion"
                f" '{check.criterion}'{did_you_mean(check.criterion, exercise.criteria)}"
            )
            yield _at(check, message, "add it with its points, or rename the class")
        elif check.criterion == POLICY:
            if check.file != RUBRIC_FILE:
                message = f"{check.id}: the checks of '{POLICY}' are made of the rubric's own rules"
                yield _at(check, message, "move it to another criterion")
        elif (criterion.visibility is Visibility.PUBLIC) != _is_public(check):
            folder = "the public folder" if _is_public(check) else "the folder of hidden suites"
            message = f"{check.id} stands in {folder}, and rubric.yaml says {criterion.visibility}"
            yield _at(check, message, "move the class, or change `visibility`")
        if check.disabled:
            message = f"{check.id} is marked {check.disabled}: it proves nothing"
            yield _at(check, message, "let it run, or delete it")
    for name in exercise.criteria:
        if not any(check.criterion == name for check in own):
            message = f"exercises.{exercise.slug}.criteria.{name}: no check earns its points"
            title = "".join(part.capitalize() for part in name.split("_"))
            next = f"write a class Test{title} in {exercise.suite}, or take it out"
            trail = ("exercises", exercise.slug, "criteria", name)
            yield rubric_gap(course, trail, message, next)
    yield from _fresh(exercise, own)


def _fresh(exercise: Exercise, own: list[CheckFacts]) -> Iterator[Gap]:
    fresh = [check for check in own if check.fresh]
    if not fresh and own:
        message = f"{exercise.slug} has no fresh check: recorded answers would pass it"
        file = next((c.file for c in own if not _is_public(c)), own[0].file)
        yield Gap(file, 1, message, "mark one hidden check with @pytest.mark.fresh")
    for check in fresh[1:]:
        message = f"{check.id}: the second fresh check of {exercise.slug}; one is enough"
        yield _at(check, message, "take the mark away: fresh answers are never remembered")
    for check in fresh[:1]:
        if _is_public(check):
            message = f"{check.id}: the fresh check is public"
            yield _at(check, message, "move it to a hidden criterion")


def _is_public(check: CheckFacts) -> bool:
    return "public" in check.file.split("/")[:-1]


def _at(check: CheckFacts, message: str, next: str) -> Gap:
    return Gap(check.file, check.line, message, next)
