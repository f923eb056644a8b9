"""The course's known mistakes as references that make them."""

from __future__ import annotations

from collections.abc import Iterator
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


@dataclass(frozen=True)
class Mistake:
    """A known mistake, and where it stands."""

    stem: str
    entry: Misconception
    origin: Origin


class Mistakes:
    """The mistakes of a course, by assignment; each is made only when somebody may have made it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._entries: dict[str, tuple[Mistake, ...]] = {}
        self._modules: dict[tuple[str, str], ModuleType | None] = {}

    def pairs(self, earlier: str, later: str) -> Iterator[tuple[Mistake, Mistake]]:
        """Mistakes of two assignments that are the same one: they have a number in common."""
        for first in self.of(earlier):
            for second in self.of(later):
                if set(first.entry.mistakes) & set(second.entry.mistakes):
                    yield first, second

    def made(self, mistake: Mistake) -> ModuleType | None:
        """The reference with the mistake in it; None if the entry does not fit the reference, which
        is the author's to hear of and not the student's to pay for."""
        key = (mistake.stem, mistake.entry.id)
        if key not in self._modules:
            self._modules[key] = self._make(mistake)
        return self._modules[key]

    def _make(self, mistake: Mistake) -> ModuleType | None:
        path = self._root / "reference" / f"{mistake.stem}.py"
        module = ModuleType(f"reference.{mistake.stem}")
        try:
            text = path.read_text(encoding="utf-8")
            source = apply_misconception(text, mistake.entry, mistake.origin)
            exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
        except (MisconceptionError, OSError):
            return None
        return module

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
