"""The course's known mistakes as references that make them, and whether one of them is a student's.

A mistake is taken for the student's only if it reproduces everything that every failing check of an
exercise saw of the student's code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ..misconceptions import (
    Misconception,
    MisconceptionError,
    Origin,
    apply_misconception,
    load_entries,
)
from .compare import difference
from .precision import TOLERANCES
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
        for first in self._of(earlier):
            for second in self._of(later):
                if set(first.entry.mistakes) & set(second.entry.mistakes):
                    yield first, second

    def within(self, stem: str, names: Collection[str]) -> Iterator[tuple[Mistake, Mistake]]:
        """The mistakes in definitions of these names, each as the same one as itself."""
        for mistake in self._of(stem):
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

    def _of(self, stem: str) -> tuple[Mistake, ...]:
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


def same(student: Sequence[Any], mistaken: Sequence[Any]) -> bool:
    """Whether two runs of a check saw the same: as exactly as right answers have to agree."""
    if len(student) != len(mistaken):
        return False
    for left, right in zip(student, mistaken, strict=True):
        found, expected = _plain(left), _plain(right)
        tolerance = _tolerance((found, expected))
        if difference(found, expected, atol=tolerance, rtol=tolerance) is not None:
            return False
    return True


def _plain(value: Any) -> Any:
    """Gradients come by name; trees are compared as lists."""
    return list(value.items()) if isinstance(value, Mapping) else value


def _tolerance(trees: Any) -> float:
    dtypes = [leaf.dtype for leaf in tree_leaves(trees) if isinstance(leaf, torch.Tensor)]
    return max((TOLERANCES[dtype] for dtype in dtypes if dtype in TOLERANCES), default=0.0)
