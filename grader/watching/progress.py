"""Remember the results of each exercise so far, and which one is on the screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from grader.course.explanations import STEPS
from grader.report.content import ExerciseReport, Report


class View(StrEnum):
    """The views that the screen can show."""

    EXERCISE = "exercise"
    LIST = "list"
    ALL = "all"


@dataclass(frozen=True)
class Progress:
    """Everything that the screen shows."""

    order: tuple[str, ...]
    """The exercises, as in the rubric."""
    reports: Mapping[str, Report] = field(default_factory=dict)
    """Maps a slug to the report on this exercise alone."""
    whole: Report | None = None
    """The last report on all exercises."""
    current: str = ""
    view: View = View.EXERCISE
    hints: int = 0
    """The number of its hints that are shown."""
    causes: bool = False
    """True if the reader asked for the causes that the report keeps back."""
    note: str = ""
    """Something to say instead of a report."""
    busy: str = ""
    """The work that is being done, if that takes long."""
    about: str = ""
    """A remark on the folder, shown all the time."""
    turned: int = 0
    """The number of times that the reader asked for more of a page that does not fit."""

    def part(self, slug: str) -> ExerciseReport | None:
        report = self.reports.get(slug)
        return report.exercises[0] if report is not None else None

    def is_done(self, slug: str) -> bool:
        """Return whether all points are earned that can be checked.

        There may be no hidden suites in this copy of the course.
        """
        part = self.part(slug)
        criteria = [] if part is None else [one for one in part.grade.criteria if one.checks]
        return bool(criteria) and all(one.points == one.max_points for one in criteria)

    @property
    def done(self) -> int:
        return sum(map(self.is_done, self.order))

    def unfinished_after(self, slug: str) -> str:
        """Return the next exercise with points to earn, from the top again at the end.

        If there is none, returns `slug` itself, or the first exercise.
        """
        place = self.order.index(slug) if slug in self.order else -1
        around = (*self.order[place + 1 :], *self.order[: place + 1])
        return next((one for one in around if not self.is_done(one)), slug or self.order[0])

    def with_reports(self, reports: Mapping[str, Report]) -> Progress:
        """Add new reports. If one is on the current exercise, its hints are hidden again."""
        known = {**self.reports, **reports}
        if self.current not in reports:
            return replace(self, reports=known, note="")
        return replace(self, reports=known, note="", hints=0, causes=False, turned=0)

    def in_front(self, slug: str) -> Progress:
        """Put this exercise on the screen."""
        stays = slug == self.current
        hints, causes = self.hints if stays else 0, stays and self.causes
        return replace(self, current=slug, view=View.EXERCISE, hints=hints, causes=causes)

    def more(self) -> Progress:
        """Show the next part of a page that does not fit."""
        return replace(self, turned=self.turned + 1)

    def next(self) -> Progress:
        return self.in_front(self.unfinished_after(self.current))

    def hinted(self) -> Progress:
        """Show one more hint."""
        hints = min(self.hints + 1, STEPS)
        return replace(self, view=View.EXERCISE, hints=hints)

    def with_causes(self) -> Progress:
        """Name the causes that the report keeps back."""
        return replace(self, view=View.EXERCISE, causes=True)

    def listed(self) -> Progress:
        """Show the list, or go back from it."""
        view = View.EXERCISE if self.view is View.LIST else View.LIST
        return replace(self, view=view)

    def after(self, changed: Iterable[str], reached: Iterable[str]) -> str:
        """Return the exercise to show after a save: the current one if it changed, else the first.

        The current one stays, too, if no exercise changed itself.
        """
        first = tuple(changed)
        if self.current in first or not (first or tuple(reached)):
            return self.current
        return first[0] if first else self.current
