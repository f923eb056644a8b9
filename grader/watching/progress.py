"""What is known of each exercise so far, and which one is in front."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from grader.explanations import STEPS
from grader.report.content import ExerciseReport, Report


class View(StrEnum):
    """What the screen shows."""

    EXERCISE = "exercise"
    LIST = "list"
    ALL = "all"


@dataclass(frozen=True)
class Progress:
    """Everything that the screen shows."""

    order: tuple[str, ...]
    """The exercises, as in the rubric."""
    reports: Mapping[str, Report] = field(default_factory=dict)
    """Slug -> the report on this exercise alone."""
    whole: Report | None = None
    """The last report on all of them."""
    current: str = ""
    view: View = View.EXERCISE
    hints: int = 0
    """How many of its hints are shown."""
    note: str = ""
    """Something to say instead of a report."""

    def part(self, slug: str) -> ExerciseReport | None:
        report = self.reports.get(slug)
        return report.exercises[0] if report is not None else None

    def is_done(self, slug: str) -> bool:
        """Whether all points are earned that can be checked: there may be no hidden suite here."""
        part = self.part(slug)
        criteria = [] if part is None else [one for one in part.grade.criteria if one.checks]
        return bool(criteria) and all(one.points == one.max_points for one in criteria)

    @property
    def done(self) -> int:
        return sum(map(self.is_done, self.order))

    def unfinished_after(self, slug: str) -> str:
        """The next exercise with points to earn, from the top again at the end; itself if none."""
        place = self.order.index(slug) if slug in self.order else -1
        around = (*self.order[place + 1 :], *self.order[: place + 1])
        return next((one for one in around if not self.is_done(one)), slug or self.order[0])

    def with_reports(self, reports: Mapping[str, Report]) -> Progress:
        """With what was just found out. Hints belong to what was seen before."""
        hints = 0 if self.current in reports else self.hints
        return replace(self, reports={**self.reports, **reports}, hints=hints, note="")

    def in_front(self, slug: str) -> Progress:
        """With this exercise on the screen."""
        hints = self.hints if slug == self.current else 0
        return replace(self, current=slug, view=View.EXERCISE, hints=hints)

    def next(self) -> Progress:
        return self.in_front(self.unfinished_after(self.current))

    def hinted(self) -> Progress:
        """With one more hint."""
        hints = min(self.hints + 1, STEPS)
        return replace(self, view=View.EXERCISE, hints=hints)

    def listed(self) -> Progress:
        """The list, or back from it."""
        view = View.EXERCISE if self.view is View.LIST else View.LIST
        return replace(self, view=view)

    def after(self, changed: Iterable[str], reached: Iterable[str]) -> str:
        """The exercise to show after a save: the one in front if that was worked on."""
        first = tuple(changed)
        if self.current in first or not (first or tuple(reached)):
            return self.current
        return first[0] if first else self.current
