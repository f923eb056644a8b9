"""Say who is in the class, who was graded, and how the marks are spread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from grader.batch.summary import NOT_YET, NOTHING
from grader.class_report.data.class_data import ClassData, Person
from grader.class_report.outline import Bars, Column, Section, Sheet, TableCell, count, number, text
from grader.statistics.marks import BINS, Spread, spread
from grader.text.language import _

ID = "class"


def head(data: ClassData) -> Section:
    """Return the section with head counts and the spread of marks."""
    marks = class_spread(data)
    return Section(
        ID,
        _("The class"),
        lead=tuple(_lead(data, marks)),
        warning=_peaks(marks),
        bars=None if marks is None else _bars(marks),
        tables=(_counts(data), *([] if marks is None else [_marks(data, marks)]), _students(data)),
    )


def shares(data: ClassData) -> np.ndarray:
    """Return the mark of each graded student as a share of all points, adjustments included."""
    most = data.max_points or 1.0
    totals = [data.people[row.person].total or 0.0 for row in data.graded]
    return np.array(totals, dtype=np.float64) / most


def class_spread(data: ClassData) -> Spread | None:
    """Return the spread of marks; None if nobody was graded."""
    return spread(shares(data)) if data.max_points else None


def _lead(data: ClassData, marks: Spread | None) -> Iterator[str]:
    yield _(
        "{graded} of {all} students have a result.", graded=len(data.graded), all=len(data.people)
    )
    if marks is not None and marks.deviation is not None:
        yield _(
            "The mean mark is {mean} of the points, the median {median}, the standard "
            "deviation {sd}.",
            mean=f"{marks.mean:.0%}",
            median=f"{marks.median:.0%}",
            sd=f"{marks.deviation:.0%}",
        )
    if data.other_results:
        yield _(
            "For {count} of them the store holds a newer result that does not count: "
            "a regrade that was not committed. This report is about those that count.",
            count=data.other_results,
        )


def _peaks(marks: Spread | None) -> str:
    if marks is None or marks.valley is None:
        return ""
    return _(
        "The marks have two peaks, with a gap near {gap}. Often that is one idea which a part of "
        "the class has missed: look at what the upper part passes and the lower does not, in the "
        "strips of the exercises.",
        gap=f"{(marks.valley + 0.5) / BINS:.0%}",
    )


def _bars(marks: Spread) -> Bars:
    labels = tuple(f"{at * 100 // BINS}–{(at + 1) * 100 // BINS} %" for at in range(BINS))
    return Bars(
        _("Students by mark, in tenths of the points"),
        labels,
        marks.bins,
        ((_("mean"), marks.mean), (_("median"), marks.median)),
    )


def _counts(data: ClassData) -> Sheet:
    people = data.people
    where = {
        _("on the list"): (people, ""),
        _("handed in"): ([one for one in people if one.problem != NOTHING], ""),
        _("handed in nothing"): (
            [one for one in people if one.problem == NOTHING],
            _("Write to them before the next deadline: who misses one often misses the next."),
        ),
        _("not graded yet"): (
            [one for one in people if one.problem == NOT_YET],
            _("Run grader batch again: it grades who has no result."),
        ),
        _("could not be read"): (
            [one for one in people if one.total is None and one.problem not in (NOTHING, NOT_YET)],
            _("Ask them for the files once more; the reason stands in the gradebook."),
        ),
        _("with a result"): ([one for one in people if one.total is not None], ""),
        _("not wholly checked"): (
            [one for one in people if one.unchecked],
            _("Not their fault: run grader batch again, then grader why STUDENT."),
        ),
        _("late"): (
            [one for one in people if one.is_late],
            _("Nothing to do: the rubric's late policy has been applied where a time is known."),
        ),
        _("graded again by hand"): (
            [one for one in people if one.is_forced],
            _("Their mark counts as it came out, also if it fell: the reason stands in flags."),
        ),
        _("with a problem in the files"): (
            [one for one in people if one.problem and one.total is not None],
            _("Read the problem: a part of their work may not have been loaded."),
        ),
        _("with points by a person"): (
            [one for one in people if one.adjustments],
            _("See graders below for who gave them, and why."),
        ),
    }
    place = {id(one): at for at, one in enumerate(people)}
    rows = tuple(
        (
            text(label),
            count(len(chosen), (place[id(one)] for one in chosen)),
            text(advice if chosen else ""),
        )
        for label, (chosen, advice) in where.items()
    )
    columns = (
        Column(_("Students")),
        Column(_("Count"), is_number=True),
        Column(_("What to do")),
    )
    return Sheet("class", _("Head counts"), columns, rows)


def _marks(data: ClassData, marks: Spread) -> Sheet:
    most = data.max_points
    everybody = shares(data)
    low, _middle, high = marks.quartiles

    def points(share: float | None) -> TableCell:
        return number(None if share is None else share * most)

    rows = (
        (
            text(_("mean")),
            points(marks.mean),
            text(_("Compare it with the year before, not with a wish: see below how.")),
        ),
        (
            text(_("standard deviation")),
            points(marks.deviation),
            text(_("Small: the mark hardly tells students apart. Very large: look for two peaks.")),
        ),
        (
            text(_("median")),
            points(marks.median),
            text(_("Well above the mean: a few very low marks draw it down; see who is stuck.")),
        ),
        (text(_("quarter below")), points(low), text(_("Invite these to the next office hour."))),
        (text(_("quarter above")), points(high), text(_("Ask them what helped."))),
        (text(_("least")), points(marks.least), text("")),
        (text(_("most")), points(marks.most), text("")),
        (
            text(_("no points at all")),
            _of_all(marks, marks.zeros, data.people_of(everybody <= 0)),
            text(
                _("Look at one or two: often it is a file that was not loaded.")
                if marks.zeros
                else ""
            ),
        ),
        (
            text(_("all points")),
            _of_all(marks, marks.full, data.people_of(everybody >= 1)),
            text(_("More than a third: the assignment has no room at its upper end.")),
        ),
    )
    columns = (
        Column(_("Mark")),
        Column(_("Points"), is_number=True),
        Column(_("What to do")),
    )
    title = _("Marks, of {most} points by checks", most=f"{most:g}")
    return Sheet("marks", title, columns, rows)


def _of_all(marks: Spread, many: int, people: tuple[int, ...]) -> TableCell:
    """Return a count with its share of those who have a result."""
    return replace(count(many, people), text=f"{many} ({many / marks.count:.0%})")


def _students(data: ClassData) -> Sheet:
    failed = data.failed.sum(axis=1)
    row_of = {one.person: at for at, one in enumerate(data.graded)}
    causes: dict[int, set[str]] = {}
    for one in data.failures:
        if one.named:
            causes.setdefault(one.row, set()).add(one.named)
    columns = (
        Column(_("Student")),
        Column(_("Points"), _("By checks, with adjustments."), is_number=True),
        Column(_("Failed checks"), is_number=True),
        Column(_("Known mistakes")),
        Column(_("Problem or flag"), _("Read it; grader why STUDENT shows the evidence.")),
    )
    rows = tuple(
        (
            text(person.id),
            number(person.total),
            TableCell(str(failed[row_of[at]]) if at in row_of else "", 0.0),
            text(", ".join(sorted(causes.get(row_of.get(at, -1), ())))),
            text(_remark(person)),
        )
        for at, person in enumerate(data.people)
    )
    return Sheet("students", _("Everybody"), columns, rows, is_folded=True)


def _remark(person: Person) -> str:
    return "; ".join(filter(None, (person.problem, person.flags)))
