"""Load the course's list of mistakes that people make, by topic: `reference/mistakes/*.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .misconceptions import MisconceptionError
from .paths import CoursePaths

_HEAD = re.compile(r"\[(\w+)\]")


@dataclass(frozen=True)
class Mistake:
    """One mistake of the list. Entries of misconceptions and variants name its id."""

    id: str
    title: str
    reason: str = ""
    """The reason why no misconception and no variant stands for it."""
    open: str = ""
    """The slug of the exercise that is to come for it."""


@dataclass(frozen=True)
class MistakeList:
    """The list, and the file and line where each mistake stands."""

    mistakes: tuple[Mistake, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)

    def place(self, id: str) -> str:
        return self.places[id]


def topics(paths: CoursePaths) -> tuple[Path, ...]:
    """Return the files of the list, one for each topic, sorted; none if the course has no list."""
    others = (paths.criteria, paths.observations, paths.places, paths.shared_causes)
    return tuple(path for path in sorted(paths.mistakes.glob("*.toml")) if path not in others)


def load_mistakes(paths: CoursePaths) -> MistakeList:
    """Load the list of a course; it is empty if the course has none.

    Raises MisconceptionError for a file that is not valid, or an id that is there twice.
    """
    result: dict[str, Mistake] = {}
    places: dict[str, str] = {}
    for path in topics(paths):
        text, shown = path.read_text(encoding="utf-8"), paths.shown(path)
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise MisconceptionError(f"{shown}:1: not valid TOML: {error}") from None
        lines = _lines(text)
        for id, words in table.items():
            place = f"{shown}:{lines.get(id, 1)}"
            if not isinstance(words, dict) or not words.get("title"):
                raise MisconceptionError(f"{place}: {id}: expected a `title`")
            if id in result:
                raise MisconceptionError(f"{place}: {id} stands in {places[id]} as well")
            texts = (str(words.get(key, "")) for key in ("title", "reason", "open"))
            result[id], places[id] = Mistake(id, *texts), place
    return MistakeList(tuple(result.values()), places)


def _lines(text: str) -> dict[str, int]:
    heads = ((n, _HEAD.match(line)) for n, line in enumerate(text.splitlines(), 1))
    return {head[1]: number for number, head in heads if head}
