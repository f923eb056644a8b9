"""What a submission's text says, as a worker read it that had run nothing of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

from ..evidence import Where
from ..language import _
from .checks import ExercisePlan
from .faults import StudentFault


class Found(NamedTuple):
    """A piece of the student's code."""

    what: str
    """The name that was looked for; else as `text`."""
    text: str
    where: Where


@dataclass(frozen=True)
class Survey:
    """Assignment -> target -> what its code says, and that of everything it reaches."""

    found: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    fault: StudentFault | None = None
    """Why the text could not be read."""

    def uses(self, stem: str, target: str) -> Iterator[Found]:
        """Names that were asked for, where they are used."""
        for name, text, *place in self._rows(stem, target, "uses"):
            yield Found(name, text, _where(place))

    def loops(self, stem: str, target: str) -> Iterator[Found]:
        """Loops, comprehensions, and functions that call themselves."""
        for kind in ("loops", "again"):
            yield from self._pieces(stem, target, kind)

    def opaque(self, stem: str, target: str) -> Iterator[Found]:
        """Calls such as `exec`, behind which nothing can be read."""
        return self._pieces(stem, target, "opaque")

    def numbers(self, stem: str, target: str) -> Iterator[Found]:
        """Long lists of numbers in the code."""
        for count, *place in self._rows(stem, target, "numbers"):
            yield Found("", _("{count} numbers", count=count), _where(place))

    def place(self, stem: str, target: str, group: str) -> Where | None:
        """Where code looks most like a group of patterns."""
        targets = self.found.get(stem, {})
        row = targets.get(target, {}).get("places", {}).get(group)
        return None if row is None else _where(row)

    def _pieces(self, stem: str, target: str, kind: str) -> Iterator[Found]:
        for text, *place in self._rows(stem, target, kind):
            yield Found(text, text, _where(place))

    def _rows(self, stem: str, target: str, kind: str) -> Sequence[Sequence[Any]]:
        rows: Sequence[Sequence[Any]] = self.found.get(stem, {}).get(target, {}).get(kind, [])
        return rows


def wanted(
    exercises: Sequence[ExercisePlan],
    references: Mapping[str, ModuleType],
    patterns: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """What to look for in the code of the exercises' targets; empty for nothing at all.

    The methods that a reference's classes show are those that may be called from outside.
    """
    names = dict.fromkeys(name for exercise in exercises for name in exercise.banned)
    if not names and not patterns and not any(exercise.no_loops for exercise in exercises):
        return {}
    targets: dict[str, list[str]] = {}
    methods: dict[str, list[str]] = {}
    for exercise in exercises:
        targets.setdefault(exercise.assignment, []).extend(exercise.targets)
        for target in exercise.targets:
            value = getattr(references.get(exercise.assignment), target, None)
            if isinstance(value, type):
                methods[target] = [name for name in vars(value) if not name.startswith("_")]
    return {
        "targets": targets,
        "methods": methods,
        "names": list(names),
        "patterns": {group: list(texts) for group, texts in patterns.items()},
    }


def _where(place: Sequence[Any]) -> Where:
    file, cell, line = place
    return Where(file, line, cell)
