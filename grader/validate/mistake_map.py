"""Map every mistake of the course's list to the entries that stand for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..course.misconceptions import Misconception, Variant
from ..course.mistake_list import Mistake
from ..text.problem import did_you_mean
from .data import CourseData, Edited
from .gap import Gap, gap_at


@dataclass(frozen=True)
class Mapped:
    """One mistake of the list, and the entries that name it."""

    mistake: Mistake
    ids: tuple[str, ...]
    """Misconceptions and variants that name it."""

    @property
    def coverage(self) -> str:
        """Return the ids that stand for it, or the reason why there are none."""
        if self.ids:
            return ", ".join(self.ids)
        return f"open: {self.mistake.open} is to come" if self.mistake.open else self.mistake.reason


def mistake_map(data: CourseData, edited: list[Edited]) -> tuple[Mapped, ...]:
    """Return the list with the entries for each mistake; empty if the course has no list."""
    return tuple(
        Mapped(mistake, tuple(e.entry.id for e in edited if mistake.id in _listed(e)))
        for mistake in data.mistakes.mistakes
    )


def map_gaps(data: CourseData, edited: list[Edited]) -> Iterator[Gap]:
    """Yield mistakes without an entry or reason, and ids that are not in the list.

    A reason beside an entry is stale, and a gap as well.
    """
    known = [mistake.id for mistake in data.mistakes.mistakes]
    for row in mistake_map(data, edited):
        yield from _row_gaps(data, row)
    for each in edited:
        for id in _listed(each):
            if known and id not in known:
                message = f"{each.entry.id}: no mistake '{id}' in the list{did_you_mean(id, known)}"
                yield gap_at(each.place, message, "name one of the list, or add it there")


def _row_gaps(data: CourseData, row: Mapped) -> Iterator[Gap]:
    mistake, place = row.mistake, data.mistakes.place(row.mistake.id)
    words = [word for word in (mistake.reason, mistake.open) if word]
    if not row.ids and not words:
        message = f"mistake {mistake.id} ({mistake.title}): nothing stands for it"
        next = "add a misconception or a variant that names it, or give a reason here"
        yield gap_at(place, message, next)
    if row.ids and words:
        message = f"mistake {mistake.id}: {row.ids[0]} stands for it, so '{words[0]}' is stale"
        yield gap_at(place, message, "take the reason away")
    if mistake.open in data.course.rubric.exercises and not row.ids:
        message = f"mistake {mistake.id} waits for {mistake.open}, which is there by now"
        yield gap_at(place, message, "add its misconception")


def _listed(edited: Edited) -> tuple[str, ...]:
    entry = edited.entry
    return entry.mistakes if isinstance(entry, (Misconception, Variant)) else ()
