"""Find the most likely place of a cause in a student's code.

The patterns of code are data of the course, and were matched before the code ran.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...course.misconceptions import Misconception
from ...course.mistake_diff import mistakes_of_assignment
from ...course.paths import CoursePaths
from ...grade.evidence import Observation
from ...messages.exercise_plan import ExercisePlan
from ..calls.student import SubmissionClient


class PlacesBroken(Exception):
    """The course's patterns can't be read: the author's fault."""


def load_places(root: Path) -> Mapping[str, tuple[str, ...]]:
    """Read patterns of code by id of a listed mistake or of a cause; none if there is no file.

    Raises PlacesBroken.
    """
    path = CoursePaths(root).places
    if not path.is_file():
        return {}
    try:
        patterns = tomllib.loads(path.read_text(encoding="utf-8"))
        return {key: tuple(map(str, texts)) for key, texts in patterns.items()}
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise PlacesBroken(f"{path}  {error}") from error


class LikelyPlaces:
    """Finds the place of a cause in a student's code.

    It knows which mistakes a cause stands for, and reads them only when there is a cause to place.
    """

    def __init__(self, root: Path) -> None:
        self._paths = CoursePaths(root)
        self.patterns = load_places(root)
        self._known: dict[str, Mapping[str, Misconception]] = {}

    def placed(
        self, exercise: ExercisePlan, seen: Observation, client: SubmissionClient
    ) -> Observation:
        """Return the observation with the likely place of its cause.

        An observation that knows a better place, where an exception came from, keeps it.
        """
        stem, survey = exercise.assignment, client.survey
        if seen.cause is None or survey is None or not self.patterns:
            return seen
        tops = (client.loaded.definition(stem, target) for target in exercise.targets)
        if seen.where not in (None, *tops):
            return seen
        entry = self._entries(stem).get(seen.cause.id)
        groups = [seen.cause.id, *(entry.mistakes if entry else ())]
        own = entry.target.partition(".")[0] if entry else ""
        targets = sorted(exercise.targets, key=lambda target: target != own)
        for group in groups:
            for target in targets:
                place = survey.place(stem, target, group)
                if place is not None:
                    return replace(seen, where=replace(place, likely=True))
        return seen

    def _entries(self, stem: str) -> Mapping[str, Misconception]:
        if stem not in self._known:
            result = mistakes_of_assignment(self._paths, stem)
            self._known[stem] = {entry.id: entry for each in result for entry in each.entries}
        return self._known[stem]
