"""Make references that contain the course's known mistakes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from ...course.misconceptions import (
    Misconception,
    MisconceptionError,
    Origin,
    apply_misconception,
)
from ...course.mistake_diff import mistakes_of_assignment
from ...course.paths import CoursePaths
from ..reference.references import ReferenceBroken, References
from .merging import merged
from .recorded_runs import RecordedRuns

MAX_MADE = 64
"""The most references with a mistake that are kept: each takes about 150 KB, and a course has more
than a thousand. What the checks saw of one is remembered for longer (see `MutantRuns`)."""


@dataclass(frozen=True)
class KnownMistake:
    """A known mistake, the assignment that it belongs to, and its place in the course's file."""

    stem: str
    entry: Misconception
    origin: Origin
    beside: KnownMistake | None = None
    """Another one in the same code, for two mistakes at once."""

    @property
    def name(self) -> str:
        """Return the name under which runs of it are kept."""
        beside = "" if self.beside is None else f" and {self.beside.entry.id}"
        return f"{self.stem}/{self.entry.id}{beside}"


Pair = tuple[KnownMistake, KnownMistake]
"""One of the list as it was made in an earlier exercise, and in a later one."""


class Mutants:
    """The known mistakes of a course, by assignment; each is made when it is asked for."""

    def __init__(
        self, root: Path, references: References, recorded: RecordedRuns | None = None
    ) -> None:
        """Read nothing yet. `recorded`: a kit's mistakes, which are there in words alone."""
        self._paths, self._references = CoursePaths(root), references
        self._recorded = recorded
        self._entries: dict[str, tuple[KnownMistake, ...]] = {}
        self._made: dict[str, References | None] = {}
        self._pairs: dict[tuple[str, str], tuple[Pair, ...]] = {}
        self._in_pairs: dict[str, str] = {}

    def pairs(self, earlier: str, later: str) -> tuple[Pair, ...]:
        """Return pairs of mistakes of two assignments that are the same one of the list."""
        key = (earlier, later)
        if key not in self._pairs:
            self._pairs[key] = tuple(self._alike(*key))
        return self._pairs[key]

    def _alike(self, earlier: str, later: str) -> Iterator[Pair]:
        seconds = self.of(later)
        places: dict[str, list[int]] = {}
        for place, second in enumerate(seconds):
            for name in second.entry.mistakes:
                places.setdefault(name, []).append(place)
        for first in self.of(earlier):
            shared = {place for name in first.entry.mistakes for place in places.get(name, ())}
            yield from ((first, seconds[place]) for place in sorted(shared))

    def within(self, stem: str, names: Collection[str]) -> Iterator[Pair]:
        """Yield each mistake in definitions of these names, paired with itself."""
        for mistake in self.of(stem):
            if mistake.entry.target.partition(".")[0] in names:
                yield mistake, mistake

    def made(self, mistake: KnownMistake, stem: str) -> ModuleType | None:
        """Return the reference of assignment `stem` with the mistake in it, or in what it imports.

        None if the entry does not fit the reference: that is for the author to hear of, and not for
        the student to pay for.
        """
        key = mistake.name
        made = self._made.pop(key) if key in self._made else self._make(mistake)
        self._made[key] = made  # the latest is last
        if len(self._made) > MAX_MADE:
            del self._made[next(iter(self._made))]
        try:
            return made.module(stem) if made is not None else None
        except ReferenceBroken:
            return None

    def _make(self, mistake: KnownMistake) -> References | None:
        try:
            source = self._source(mistake)
        except (MisconceptionError, OSError):
            return None
        return self._references.rewritten(mistake.stem, source) if source else None

    def _source(self, mistake: KnownMistake) -> str:
        """Return the reference with a mistake, or with two; "" if both change the same place."""
        if mistake.beside is None:
            text = self._text(mistake.stem)
            return apply_misconception(text, mistake.entry, mistake.origin)
        one, other = self._alone(replace(mistake, beside=None)), self._alone(mistake.beside)
        return merged(self._text(mistake.stem), one, other) or ""

    def _alone(self, mistake: KnownMistake) -> str:
        """Return the reference with one mistake: each stands in many pairs."""
        if mistake.name not in self._in_pairs:
            if len(self._in_pairs) >= MAX_MADE:
                self._in_pairs.clear()
            self._in_pairs[mistake.name] = self._source(mistake)
        return self._in_pairs[mistake.name]

    def _text(self, stem: str) -> str:
        return self._paths.solution(stem).read_text(encoding="utf-8")

    def both(self, first: KnownMistake, second: KnownMistake) -> KnownMistake | None:
        """Return two mistakes of an assignment as one; None where they are there in words alone."""
        alone = self._recorded is None and first.stem == second.stem
        return replace(first, beside=second) if alone else None

    def reaching(self, stem: str) -> Iterator[KnownMistake]:
        """Yield the mistakes of an assignment, then those of all others, whose code it may use."""
        for each in dict.fromkeys((stem, *self._references.assignments)):
            yield from self.of(each)

    def of(self, stem: str) -> tuple[KnownMistake, ...]:
        """Return the mistakes of an assignment: exercises by slug, in each as they were written."""
        if stem not in self._entries:
            self._entries[stem] = self._listed(stem)
        return self._entries[stem]

    def _listed(self, stem: str) -> tuple[KnownMistake, ...]:
        if self._recorded is not None:
            rows = self._recorded.misconceptions(stem)
            return tuple(KnownMistake(stem, entry, Origin("", {})) for entry in rows)
        return tuple(
            KnownMistake(stem, entry, result.origin)
            for result in mistakes_of_assignment(self._paths, stem)
            for entry in result.entries
        )
