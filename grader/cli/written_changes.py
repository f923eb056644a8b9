"""Say which points for written answers change with the mark scheme: what was ticked stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from grader.batch.class_results import GRADEBOOK_FILE
from grader.batch.gradebook import NOT_GIVEN, GivenPoints
from grader.class_report.data.gradebook_rows import gradebook_rows
from grader.course.questions import WrittenItem
from grader.report.cleaning import one_line
from grader.text.points import exact, shown, signed


@dataclass(frozen=True)
class WrittenChange:
    """The points for one answer, as the gradebook has them and as the ticked items are worth."""

    student: str
    slug: str
    before: str
    """As the gradebook shows it; empty if nothing was known then."""
    after: Fraction
    ticked: tuple[str, ...]

    @property
    def difference(self) -> Fraction:
        """Return the points more than before; of points that were not known, all of them."""
        return self.after - Fraction(self.before or 0)

    def __str__(self) -> str:
        ticked = ", ".join(self.ticked)
        before = self.before or "unknown"
        change = f"{before} -> {shown(self.after)}  (ticked: {ticked})"
        return f"{one_line(self.student)}  {self.slug}: {change}"

    def as_json(self) -> dict[str, object]:
        """Return the changes as JSON values."""
        return {
            "student": self.student,
            "question": self.slug,
            "before": self.before or None,
            "after": exact(self.after),
            "ticked": list(self.ticked),
        }


def sums(changes: Iterable[WrittenChange]) -> Iterator[str]:
    """Say for each question how many gain or lose by what was ticked, and how much in all."""
    by_slug: dict[str, list[Fraction]] = defaultdict(list)
    for change in changes:
        by_slug[change.slug].append(change.difference)
    for slug, differences in by_slug.items():
        up, down = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
        total = signed(sum(differences, Fraction(0)))
        yield f"by {slug}, as ticked: {up} up, {down} down, {total} points in all"


def written_changes(
    out: Path, items: Iterable[WrittenItem], given: GivenPoints
) -> Iterator[WrittenChange]:
    """Yield each answer whose ticked items give other points than the gradebook has.

    Raises RecordsError for a gradebook that cannot be read.
    """
    marked = [item for item in items if item.scheme]
    if not marked or not (out / GRADEBOOK_FILE).is_file():
        return
    for row in gradebook_rows(out):
        for item in marked:
            one = given.get((row.id, item.slug), NOT_GIVEN)
            before = row.cells.get(item.slug, "")
            if one.ticked and one.points is not None and shown(one.points) != before:
                yield WrittenChange(row.id, item.slug, before, one.points, one.ticked)
