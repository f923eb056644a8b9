"""A class at a glance: one row a student, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rich.table import Table
from rich.text import Text

from grader.export.gradebook import Row
from grader.report.cleaning import one_line
from grader.report.points import shown
from grader.rubric import Rubric


def overview(rows: Iterable[Row], rubric: Rubric, only: Iterable[str] = ()) -> Table:
    """The points of each student by exercise and in total; `?` is what is not known."""
    slugs = [slug for slug in rubric.exercises if not only or slug in set(only)]
    most = {slug: rubric.exercises[slug].points for slug in slugs}
    possible = sum(most.values(), Fraction(0))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("student")
    for slug in slugs:
        # A slug is long and its points are short: broken at its dot, it takes half the width.
        table.add_column(slug.replace(".", ".\n", 1), justify="right")
    # What a person has to give is in nobody's sum here.
    table.add_column("auto-\nmatic" if rubric.written_for(only) else "total", justify="right")
    maxima = (Text(f"of {shown(points)}") for points in (*most.values(), possible))
    table.add_row("", *maxima, style="bright_black")
    for row in rows:
        cells = [_points(row.points.get(slug), most[slug]) for slug in slugs]
        total = _points(row.total, possible)
        if row.unchecked and row.total is not None:
            total.append(" + ?", style="yellow")
        table.add_row(Text(one_line(row.id), overflow="fold"), *cells, total)
    return table


def _points(points: Fraction | None, most: Fraction) -> Text:
    if points is None:
        return Text("?", style="yellow")
    return Text(shown(points), style="green" if points == most else "yellow" if points else "red")
