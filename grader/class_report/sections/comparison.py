"""Lay two classes side by side: this year and last, two sections, before and after a regrade."""

from __future__ import annotations

from collections.abc import Iterator

from grader.class_report.data.class_data import ClassData
from grader.class_report.data.mistakes import MistakeCounts
from grader.class_report.outline import (
    DASH,
    Column,
    Section,
    Sheet,
    TableCell,
    number,
    percent,
    proportion,
    text,
)
from grader.class_report.sections.head import class_spread
from grader.class_report.sections.items import ItemRows, of_criteria, of_exercises
from grader.statistics.proportion import Proportion, newcombe
from grader.text.language import _

ID = "comparison"


def comparison(
    data: ClassData, counts: MistakeCounts, other: ClassData, other_counts: MistakeCounts
) -> Section:
    """Return the section that compares this class with another one."""
    return Section(
        ID,
        _("Compared with another class"),
        lead=(
            _(
                "A difference whose interval spans 0 may be chance. Students who are in both, or "
                "another rubric, make the two depend on each other: read it as a hint."
            ),
        ),
        tables=(
            _heads(data, other),
            _items(of_exercises(data), of_exercises(other), "exercises", _("Exercises")),
            _items(of_criteria(data), of_criteria(other), "criteria", _("Criteria"), True),
            _mistakes(data, counts, other, other_counts),
        ),
    )


def _heads(data: ClassData, other: ClassData) -> Sheet:
    here, there = class_spread(data), class_spread(other)
    pairs = (
        ()
        if here is None or there is None
        else (
            (_("mean"), here.mean, there.mean),
            (_("standard deviation"), here.deviation, there.deviation),
            (_("median"), here.median, there.median),
        )
    )
    sizes = (text(_("with a result")), number(len(data.graded), 0), number(len(other.graded), 0))
    rows = (
        (*sizes, number(len(data.graded) - len(other.graded), 0)),
        *(
            (text(label), percent(one), percent(two), _points(one, two))
            for label, one, two in pairs
        ),
    )
    columns = (
        Column(_("Of all points")),
        Column(_("This class"), is_number=True),
        Column(_("The other"), is_number=True),
        Column(_("Difference"), is_number=True),
    )
    return Sheet("compared-marks", _("Marks"), columns, rows)


def _items(
    here: ItemRows, there: ItemRows, name: str, title: str, is_folded: bool = False
) -> Sheet:
    rows = tuple(
        (
            text(item),
            proportion(here.proportion(at)),
            proportion(there.proportion(there.names.index(item))),
            *difference(here.proportion(at), there.proportion(there.names.index(item))),
        )
        for at, item in enumerate(here.names)
        if item in there.names
    )
    return Sheet(
        f"compared-{name}", title, (Column(_("Name")), *_columns()), rows, is_folded=is_folded
    )


def _mistakes(
    data: ClassData, counts: MistakeCounts, other: ClassData, other_counts: MistakeCounts
) -> Sheet:
    here = {one.cause: one.rows for one in counts.known}
    there = {one.cause: one.rows for one in other_counts.known}

    def rows() -> Iterator[tuple[TableCell, ...]]:
        for cause in dict.fromkeys((*here, *there)):
            own = Proportion(len(here.get(cause, ())), len(data.graded))
            others = Proportion(len(there.get(cause, ())), len(other.graded))
            behind = data.people_of(here.get(cause, ()))
            yield (
                text(cause),
                proportion(own, behind),
                proportion(others),
                *difference(own, others),
            )

    return Sheet(
        "compared-mistakes",
        _("Known mistakes"),
        (Column(_("Mistake")), *_columns()),
        tuple(rows()),
        _("No known mistake was named in either class."),
        shown=40,
    )


def _columns() -> tuple[Column, ...]:
    return (
        Column(_("This class"), is_number=True),
        Column(_("The other"), is_number=True),
        Column(
            _("Difference"),
            _("In percentage points, with Newcombe's 95 % interval."),
            is_number=True,
        ),
        Column(_("What to do")),
    )


def difference(one: Proportion, other: Proportion) -> tuple[TableCell, TableCell]:
    interval = newcombe(one, other)
    if interval is None or one.share is None or other.share is None:
        return TableCell(DASH), text("")
    low, high = interval
    by = one.share - other.share
    words = f"{by * 100:+.0f} ({low * 100:+.0f} … {high * 100:+.0f})"
    sure = low > 0 or high < 0
    advice = _("More than chance: find out what was different.") if sure else ""
    return TableCell(words, by), text(advice)


def _points(one: float | None, other: float | None) -> TableCell:
    if one is None or other is None:
        return TableCell(DASH)
    return TableCell(f"{(one - other) * 100:+.0f}", one - other)
