"""Hold what a submission's text says, as read by a worker that had run none of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import NamedTuple

from ...grade.evidence import Where
from ...messages.exercise_plan import ExercisePlan
from ...text.language import _
from ...wire.load_plan import Wanted
from ...wire.survey_report import CodeFinding, SurveyReport, TargetSurvey
from .faults import StudentFault


class Occurrence(NamedTuple):
    """A piece of the student's code."""

    what: str
    """The name that was looked for; otherwise the same as `text`."""
    text: str
    where: Where


@dataclass(frozen=True)
class Survey:
    """The findings in a text: assignment -> target -> what its code and all that it reaches say."""

    report: SurveyReport = field(default_factory=dict)
    fault: StudentFault | None = None
    """The reason why the text could not be read, if that is the text's own fault."""
    ours: str = ""
    """The reason why the text could not be read, if that is our fault: nobody loses a point."""

    @property
    def is_read(self) -> bool:
        """Tell whether the text could be read."""
        return self.fault is None and not self.ours

    def uses(self, stem: str, target: str) -> Iterator[Occurrence]:
        """Find the places where names that were asked for are used."""
        for use in self._of(stem, target).uses:
            yield Occurrence(use.name, use.text, Where(use.file, use.line, use.cell))

    def loops(self, stem: str, target: str) -> Iterator[Occurrence]:
        """Find loops, comprehensions, and functions that call themselves."""
        own = self._of(stem, target)
        yield from map(_occurrence, (*own.loops, *own.again))

    def opaque(self, stem: str, target: str) -> Iterator[Occurrence]:
        """Find calls such as `exec`, behind which nothing can be read."""
        yield from map(_occurrence, self._of(stem, target).opaque)

    def numbers(self, stem: str, target: str) -> Iterator[Occurrence]:
        """Find long lists of numbers in the code."""
        for row in self._of(stem, target).numbers:
            place = Where(row.file, row.line, row.cell)
            yield Occurrence("", _("{count} numbers", count=row.numbers), place)

    def place(self, stem: str, target: str, group: str) -> Where | None:
        """Return the place where the code looks most like a group of patterns."""
        spot = self._of(stem, target).places.get(group)
        return None if spot is None else Where(spot.file, spot.line, spot.cell)

    def _of(self, stem: str, target: str) -> TargetSurvey:
        return self.report.get(stem, {}).get(target, TargetSurvey())


def _occurrence(piece: CodeFinding) -> Occurrence:
    return Occurrence(piece.text, piece.text, Where(piece.file, piece.line, piece.cell))


def wanted(
    exercises: Sequence[ExercisePlan],
    references: Mapping[str, ModuleType],
    patterns: Mapping[str, Sequence[str]],
) -> Wanted | None:
    """Return what to look for in the code of the exercises' targets; None if nothing at all.

    A method that the reference's class shows may be called from outside.
    """
    names = dict.fromkeys(name for exercise in exercises for name in exercise.banned)
    if not names and not patterns and not any(exercise.no_loops for exercise in exercises):
        return None
    targets: dict[str, list[str]] = {}
    methods: dict[str, tuple[str, ...]] = {}
    for exercise in exercises:
        targets.setdefault(exercise.assignment, []).extend(exercise.targets)
        for target in exercise.targets:
            value = getattr(references.get(exercise.assignment), target, None)
            if isinstance(value, type):
                methods[target] = tuple(name for name in vars(value) if not name.startswith("_"))
    return Wanted(
        targets={stem: tuple(own) for stem, own in targets.items()},
        methods=methods,
        names=tuple(names),
        patterns={group: tuple(texts) for group, texts in patterns.items()},
    )
