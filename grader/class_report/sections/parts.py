"""Lay the parts of one class side by side: sections, programmes, whose tutorial it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from grader.class_report.data.class_data import ClassData, Mask
from grader.class_report.data.class_list import ListedPart
from grader.class_report.data.mistakes import MistakeCounts
from grader.class_report.outline import (
    Column,
    Section,
    Sheet,
    TableCell,
    count,
    percent,
    proportion,
    text,
)
from grader.class_report.sections.comparison import difference
from grader.class_report.sections.head import shares
from grader.class_report.sections.items import of_exercises
from grader.statistics.marks import spread
from grader.statistics.proportion import Proportion, newcombe
from grader.text.language import _

ID = "parts"
_Counter = Callable[[Mask], Proportion]
"""Counts an item among the rows of a mask."""


def parts(data: ClassData, counts: MistakeCounts, all_parts: Sequence[ListedPart]) -> Section:
    """Return the section that compares each part with all others."""
    rows = tuple((one, _rows_of(data, one)) for one in all_parts)
    lead = _(
        "Each part against all others of the class. With many lines a few differ by chance alone: "
        "one in twenty. Look for what several lines say together."
    )
    return Section(
        ID,
        _("Parts of the class side by side"),
        (lead,),
        tables=(_marks(data, rows), _exercises(data, rows), _mistakes(data, counts, rows)),
    )


def _rows_of(data: ClassData, part: ListedPart) -> Mask:
    mask: Mask = np.isin([one.person for one in data.graded], part.people)
    return mask


_Parts = Sequence[tuple[ListedPart, Mask]]


def _marks(data: ClassData, rows: _Parts) -> Sheet:
    columns = (
        Column(_("Part")),
        Column(_("Students"), is_number=True),
        Column(_("With a result"), is_number=True),
        Column(_("Mean"), _("Of all points."), is_number=True),
        Column(_("SD"), is_number=True),
        Column(_("Median"), is_number=True),
    )
    everybody = shares(data)
    lines = []
    for part, mask in rows:
        own = spread(everybody[mask])
        values = (None, None, None) if own is None else (own.mean, own.deviation, own.median)
        lines.append(
            (
                text(part.name),
                count(len(part.people), part.people),
                count(int(mask.sum()), data.people_of(mask)),
                *(percent(value) for value in values),
            )
        )
    return Sheet("parts-marks", _("Marks"), columns, tuple(lines))


def _exercises(data: ClassData, rows: _Parts) -> Sheet:
    own = of_exercises(data)

    def counter(at: int) -> _Counter:
        return lambda mask: Proportion(
            int((own.full & own.judged)[mask, at].sum()), int(own.judged[mask, at].sum())
        )

    items = [(name, counter(at)) for at, name in enumerate(own.names)]
    return _compared("parts-exercises", _("Exercises"), Column(_("Exercise")), _lines(items, rows))


def _mistakes(data: ClassData, counts: MistakeCounts, rows: _Parts) -> Sheet:
    def counter(own: tuple[int, ...]) -> _Counter:
        has = np.zeros(len(data.graded), bool)
        has[list(own)] = True
        return lambda mask: Proportion(int(has[mask].sum()), int(mask.sum()))

    items = [(one.cause, counter(one.rows)) for one in counts.known if len(one.rows) > 1]
    title = _("Known mistakes")
    return _compared("parts-mistakes", title, Column(_("Mistake")), _lines(items, rows))


def _lines(
    items: Sequence[tuple[str, _Counter]], rows: _Parts
) -> tuple[tuple[TableCell, ...], ...]:
    """Return a line for each item and part, those first that differ most surely."""
    lines = [
        (_sureness(here, there), (text(name), text(part.name), *_cells(here, there)))
        for name, counter in items
        for part, mask in rows
        for here, there in [(counter(mask), counter(~mask))]
    ]
    lines.sort(key=lambda pair: -pair[0])
    return tuple(line for _sure, line in lines)


def _sureness(here: Proportion, there: Proportion) -> float:
    """Return how far the interval of the difference is from 0; below 0 if it spans 0."""
    interval = newcombe(here, there)
    return -1.0 if interval is None else max(interval[0], -interval[1])


def _cells(here: Proportion, there: Proportion) -> Iterator[TableCell]:
    yield proportion(here)
    yield proportion(there)
    yield from difference(here, there)


def _compared(
    name: str, title: str, first: Column, lines: tuple[tuple[TableCell, ...], ...]
) -> Sheet:
    columns = (
        first,
        Column(_("Part")),
        Column(_("This part"), is_number=True),
        Column(_("The others"), is_number=True),
        Column(
            _("Difference"),
            _("In percentage points, with Newcombe's 95 % interval."),
            is_number=True,
        ),
        Column(_("What to do")),
    )
    return Sheet(name, title, columns, lines, _("There is nothing to compare."), shown=30)
