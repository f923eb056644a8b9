"""Where in a student's code a stated cause most likely sits: course data, matched before it ran."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..evidence import Observation
from ..misconceptions import Misconception, MisconceptionError, load_entries
from .checks import ExercisePlan
from .student import SubmissionClient

FILE = "reference/places.toml"


class PlacesBroken(Exception):
    """The course's patterns can't be read: the author's fault."""


def load_places(root: Path) -> Mapping[str, tuple[str, ...]]:
    """Patterns of code by number of a mistake or id of a cause; none for a course without any.

    Raises PlacesBroken.
    """
    path = root / FILE
    if not path.is_file():
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        return {key: tuple(map(str, texts)) for key, texts in found.items()}
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise PlacesBroken(f"{path}  {error}") from error


class Likely:
    """Knows which mistakes a cause stands for; reads them when there is a cause to place."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.patterns = load_places(root)
        self._known: dict[str, Mapping[str, Misconception]] = {}

    def placed(
        self, exercise: ExercisePlan, seen: Observation, client: SubmissionClient
    ) -> Observation:
        """The observation with the likely place of its cause, unless it knows a better place: that
        where an exception came from."""
        stem, survey = exercise.assignment, client.survey
        if seen.cause is None or survey is None or not self.patterns:
            return seen
        if seen.where not in (None, client.definition(stem, exercise.targets[0])):
            return seen
        entry = self._entries(stem).get(seen.cause.id)
        groups = [seen.cause.id, *map(str, entry.mistakes if entry else ())]
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
            path = self._root / "reference" / "misconceptions" / f"{stem}.py"
            try:
                found, _ = load_entries(path)
            except MisconceptionError:
                found = ()
            self._known[stem] = {one.id: one for one in found if isinstance(one, Misconception)}
        return self._known[stem]
