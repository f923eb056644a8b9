"""The course's known mistakes as references that make them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ..misconceptions import (
    Misconception,
    MisconceptionError,
    Origin,
    apply_misconception,
    load_entries,
)
from .references import ReferenceBroken, References


@dataclass(frozen=True)
class Mistake:
    """A known mistake, and where it stands."""

    stem: str
    entry: Misconception
    origin: Origin


class Mistakes:
    """The mistakes of a course, by assignment; each is made only when somebody may have made it."""

    def __init__(self, root: Path, references: References) -> None:
        self._root, self._references = root, references
        self._entries: dict[str, tuple[Mistake, ...]] = {}
        self._made: dict[tuple[str, str], References | None] = {}

    def pairs(self, earlier: str, later: str) -> Iterator[tuple[Mistake, Mistake]]:
        """Mistakes of two assignments that are the same one: they have a number in common."""
        for first in self.of(earlier):
            for second in self.of(later):
                if set(first.entry.mistakes) & set(second.entry.mistakes):
                    yield first, second

    def within(self, stem: str, names: Collection[str]) -> Iterator[tuple[Mistake, Mistake]]:
        """The mistakes in definitions of these names, each as the same one as itself."""
        for mistake in self.of(stem):
            if mistake.entry.target.partition(".")[0] in names:
                yield mistake, mistake

    def made(self, mistake: Mistake, stem: str) -> ModuleType | None:
        """The reference of an assignment with the mistake in it or in what it imports; None if the
        entry does not fit the reference, which is the author's to hear of and not the student's to
        pay for."""
        key = (mistake.stem, mistake.entry.id)
        if key not in self._made:
            self._made[key] = self._make(mistake)
        made = self._made[key]
        try:
            return made.module(stem) if made is not None else None
        except ReferenceBroken:
            return None

    def _make(self, mistake: Mistake) -> References | None:
        path = self._root / "reference" / f"{mistake.stem}.py"
        try:
            text = path.read_text(encoding="utf-8")
            source = apply_misconception(text, mistake.entry, mistake.origin)
        except (MisconceptionError, OSError):
            return None
        return self._references.rewritten(mistake.stem, source)

    def of(self, stem: str) -> tuple[Mistake, ...]:
        """Those of an assignment, in the course's order."""
        if stem not in self._entries:
            path = self._root / "reference" / "misconceptions" / f"{stem}.py"
            try:
                found, origin = load_entries(path)
            except MisconceptionError:
                found, origin = (), Origin(str(path), {})
            self._entries[stem] = tuple(
                Mistake(stem, entry, origin) for entry in found if isinstance(entry, Misconception)
            )
        return self._entries[stem]
