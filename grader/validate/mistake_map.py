"""The map of mistakes: every number of the course's list, and what stands for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..misconceptions import Misconception, Variant
from ..mistakes import FILE, Mistake
from .data import CourseData, Edited
from .gap import Gap, gap_at


@dataclass(frozen=True)
class Mapped:
    """One number of the list."""

    mistake: Mistake
    ids: tuple[str, ...]
    """Misconceptions and variants that name it."""

    @property
    def told(self) -> str:
        """What stands for it, in words."""
        if self.ids:
            return ", ".join(self.ids)
        return f"open: {self.mistake.open} is to come" if self.mistake.open else self.mistake.reason


def mistake_map(data: CourseData, edited: list[Edited]) -> tuple[Mapped, ...]:
    """The list with what stands for each number; empty if the course has no list."""
    if data.mistakes is None:
        return ()
    return tuple(
        Mapped(mistake, tuple(e.entry.id for e in edited if mistake.number in _numbers(e)))
        for mistake in data.mistakes.mistakes
    )


def map_gaps(data: CourseData, edited: list[Edited]) -> Iterator[Gap]:
    """Numbers that nothing stands for, and numbers that are not in the list."""
    if data.mistakes is None:
        return
    numbers = [mistake.number for mistake in data.mistakes.mistakes]
    for expected, number in enumerate(numbers, 1):
        if number != expected:
            message = f"mistake {number} stands where {expected} is expected"
            yield gap_at(data.mistakes.place(number), message, "number them from 1 without a gap")
            break
    for row in mistake_map(data, edited):
        yield from _row_gaps(data, row)
    for each in edited:
        for number in _numbers(each):
            if number not in numbers:
                message = f"{each.entry.id}: there is no mistake {number} in {FILE}"
                yield gap_at(each.place, message, "name one of the list, or add it there")


def _row_gaps(data: CourseData, row: Mapped) -> Iterator[Gap]:
    assert data.mistakes is not None
    mistake, place = row.mistake, data.mistakes.place(row.mistake.number)
    words = [word for word in (mistake.reason, mistake.open) if word]
    if not row.ids and not words:
        message = f"mistake {mistake.number} ({mistake.title}): nothing stands for it"
        next = "add a misconception or a variant that names it, or give a reason here"
        yield gap_at(place, message, next)
    if row.ids and words:
        message = f"mistake {mistake.number}: {row.ids[0]} stands for it, so '{words[0]}' is stale"
        yield gap_at(place, message, "take the reason away")
    if mistake.open in data.course.rubric.exercises and not row.ids:
        message = f"mistake {mistake.number} waits for {mistake.open}, which is there by now"
        yield gap_at(place, message, "add its misconception")


def _numbers(edited: Edited) -> tuple[int, ...]:
    entry = edited.entry
    return entry.mistakes if isinstance(entry, (Misconception, Variant)) else ()
