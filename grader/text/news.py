"""Say how far the grading of one submission has got, in words for somebody who waits."""

from __future__ import annotations

from dataclasses import dataclass

from .language import _


@dataclass(frozen=True)
class News:
    """The step that grading one submission is at."""

    ready: bool = False
    """True once torch and the course are loaded."""
    exercise: str = ""
    """The exercise that is graded; empty before the first, and while causes are looked for."""
    number: int = 0
    """The number of the check, counted from 1."""
    count: int = 0

    def __str__(self) -> str:
        if not self.ready:
            return _("loading torch and the course ...")
        if not self.exercise:
            return _("looking for causes ...")
        return _(
            "grading {exercise} (check {number} of {count}) ...",
            exercise=self.exercise,
            number=self.number,
            count=self.count,
        )
