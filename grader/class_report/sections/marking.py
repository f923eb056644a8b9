"""Show how those who mark written answers compare, with each other and over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean, stdev

from grader.class_report.data.class_data import ClassData
from grader.class_report.data.marked_answers import MarkedAnswer
from grader.class_report.outline import (
    Column,
    Sheet,
    TableCell,
    number,
    proportion,
    text,
)
from grader.statistics.marking import Agreement, agreement, drift
from grader.statistics.proportion import Proportion
from grader.text.language import _

_MUCH = 0.1
"""The share of a question's points that a mean difference between two people may have."""


def marking(data: ClassData) -> Sheet:
    """Return the table of graders: a row for each of them and each question."""
    by_pair: dict[tuple[str, str], list[MarkedAnswer]] = defaultdict(list)
    for one in data.marked:
        by_pair[one.slug, one.grader].append(one)
    rows = tuple(_row(data, slug, grader, own) for (slug, grader), own in by_pair.items())
    columns = (
        Column(_("Question")),
        Column(_("Grader")),
        Column(_("Marked"), is_number=True),
        Column(
            _("Mean points"),
            _("Answers are dealt by chance: very different means are different people."),
            is_number=True,
        ),
        Column(_("SD"), is_number=True),
        Column(
            _("Against others"),
            _(
                "On answers that two people have marked, how much this one gave more. A tenth of "
                "the points or more: mark three together, then each their own again."
            ),
            is_number=True,
        ),
        Column(
            _("Equal"),
            _("Of those answers, the share with the same points from both."),
            is_number=True,
        ),
        Column(
            _("Drift"),
            _(
                "Mean of the second half less that of the first, in the order of the sheet. More "
                "than chance: read the first answers once more."
            ),
            is_number=True,
        ),
        Column(
            _("Minutes"),
            _(
                "For one answer, in the mean of those whose minutes were noted. Many: the scheme "
                "leaves too much open, or the question asks too much."
            ),
            is_number=True,
        ),
        Column(_("What to do")),
    )
    empty = _("No answers were dealt: grader marking RESULTS --graders N does it.")
    return Sheet("marking", _("Those who mark"), columns, rows, empty)


def _row(
    data: ClassData, slug: str, grader: str, own: Sequence[MarkedAnswer]
) -> tuple[TableCell, ...]:
    points = [one.points for one in own]
    minutes = [one.minutes for one in own if one.minutes is not None]
    both = agreement(_pairs(data, slug, grader, own))
    moved = drift(points)
    places = {person.id: place for place, person in enumerate(data.people)}
    behind = [places[one.student] for one in own if one.student in places]
    advice = _advice(data, slug, both, is_moving=moved is not None and moved.is_sure)
    return (
        text(slug),
        text(grader),
        TableCell(str(len(own)), float(len(own)), tuple(behind) or None),
        number(fmean(points)),
        number(stdev(points) if len(points) > 1 else None),
        number(None if both is None else both.by),
        proportion(Proportion(both.equal, both.answers) if both else Proportion(0, 0)),
        number(None if moved is None else moved.by),
        number(fmean(minutes) if minutes else None, 1),
        text(advice, is_warning=bool(advice)),
    )


def _pairs(
    data: ClassData, slug: str, grader: str, own: Sequence[MarkedAnswer]
) -> list[tuple[float, float]]:
    others: dict[str, list[float]] = defaultdict(list)
    for one in data.marked:
        if one.slug == slug and one.grader != grader:
            others[one.student].append(one.points)
    return [(one.points, other) for one in own for other in others[one.student]]


def _advice(data: ClassData, slug: str, both: Agreement | None, *, is_moving: bool) -> str:
    item = data.rubric.written.get(slug)
    if both is not None and item is not None and abs(both.by) >= _MUCH * float(item.points):
        return _("Marks otherwise than others: agree on the scheme, and mark again.")
    if is_moving:
        return _("Marks otherwise than at the beginning: read the first answers again.")
    return ""
