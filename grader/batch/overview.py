"""Show a class at a glance: one row per student, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from grader.batch.gradebook import Row
from grader.course.rubric import Rubric
from grader.report.cleaning import one_line
from grader.text.points import shown

_GAPS = (3, 2)
"""Blanks between columns: the wide gap if that fits."""
_SHORTEST_NAME = 16
"""The width to which a name may be folded, to make room for points."""

Columns = Mapping[str, tuple[str, ...]]
"""Maps the heading of a column to the exercises that are added up in it."""
Cells = list[list[Text]]
"""Texts by columns; the first two of each are the heading and the maximum of points."""


def overview(
    rows: Iterable[Row], rubric: Rubric, only: Iterable[str] = (), width: int = 80
) -> Table:
    """Return a table with the points of each student and in total; `?` stands for unknown points.

    There is a column per exercise if the width allows that, else per assignment, else the total
    alone: names and totals are always there.
    """
    known = list(rows)
    slugs = [slug for slug in rubric.exercises if not only or slug in set(only)]
    # What a person has to give is in nobody's sum here.
    total = "auto-\nmatic" if rubric.written_for(only) else "total"
    cells, gap = list[list[Text]](), 0
    for columns, gap in product((_exercises(slugs), _assignments(slugs), {}), _GAPS):
        cells = _cells(known, rubric, {**columns, total: tuple(slugs)})
        if _least_width(cells, gap) <= width:
            break
    return _table(cells, width, gap)


def _exercises(slugs: Iterable[str]) -> Columns:
    # A slug is long and its points are short: broken at its dot, it takes half the width.
    return {slug.replace(".", ".\n", 1): (slug,) for slug in slugs}


def _assignments(slugs: Sequence[str]) -> Columns:
    prefixes = dict.fromkeys(slug.partition(".")[0] for slug in slugs)
    return {
        prefix: tuple(slug for slug in slugs if slug.partition(".")[0] == prefix)
        for prefix in prefixes
    }


def _cells(rows: Iterable[Row], rubric: Rubric, columns: Columns) -> Cells:
    cells = [[Text("student"), Text()]]
    cells += [
        [Text(name), Text(f"of {shown(_most(rubric, slugs))}", style="bright_black")]
        for name, slugs in columns.items()
    ]
    *parts, every = columns.values()
    for row in rows:
        cells[0].append(Text(one_line(row.id), overflow="fold"))
        for column, slugs in zip(cells[1:-1], parts, strict=True):
            column.append(_points(_sum(row, slugs), _most(rubric, slugs)))
        total = _points(row.total, _most(rubric, every))
        if row.unchecked and row.total is not None:
            total.append(" + ?", style="yellow")
        cells[-1].append(total)
    return cells


def _most(rubric: Rubric, slugs: Iterable[str]) -> Fraction:
    return sum((rubric.exercises[slug].points for slug in slugs), Fraction(0))


def _sum(row: Row, slugs: Iterable[str]) -> Fraction | None:
    every = [row.points.get(slug) for slug in slugs]
    known = [points for points in every if points is not None]
    return sum(known, Fraction(0)) if len(known) == len(every) else None


def _width(column: Iterable[Text]) -> int:
    return max(cell_len(line) for cell in column for line in cell.plain.split("\n"))


def _least_width(cells: Cells, gap: int) -> int:
    names, *others = map(_width, cells)
    return min(names, _SHORTEST_NAME) + sum(gap + other for other in others)


def _table(cells: Cells, width: int, gap: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    others = sum(gap + _width(column) for column in cells[1:])
    for place, column in enumerate(cells):
        if place == 0:
            names = min(_width(column), max(_SHORTEST_NAME, width - others))
            table.add_column(column[0], width=names)
        else:
            table.add_column(column[0], justify="right", no_wrap=True)
    for row in list(zip(*cells, strict=True))[1:]:
        table.add_row(*row)
    return table


def _points(points: Fraction | None, most: Fraction) -> Text:
    if points is None:
        return Text("?", style="yellow")
    return Text(shown(points), style="green" if points == most else "yellow" if points else "red")
