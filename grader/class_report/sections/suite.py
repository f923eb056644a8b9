"""Say what the checks are worth, and how much a mark hangs on which of them there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from grader.class_report.data.class_data import ClassData
from grader.class_report.outline import (
    Column,
    Section,
    Sheet,
    TableCell,
    count,
    number,
    percent,
    proportion,
    text,
)
from grader.course.rubric import POLICY
from grader.grade.evidence import Outcome
from grader.statistics.halves import CriterionPart, Sensitivity, sensitivity
from grader.statistics.proportion import Proportion
from grader.text.language import _

ID = "suite"
ENOUGH = 5
"""The fewest students of whom anything is said about a check."""
NEARLY_ALL = 0.9
_STILL = 0.05
"""A mark that moves by fewer points stays as it is, in words with one decimal."""
_FAR = 0.05
"""The part of all points by which a mark may move before that is said on top of the page."""
_SEED = 20
"""Of the random halves: the same class gives the same report."""


def suite(data: ClassData, moves: Sensitivity | None) -> Section:
    """Return the section on the health of the suites; `moves` is what `halves` returns."""
    tables = [_idle(data), _impossible(data), _sole(data), _never_alone(data), _unsteady(data)]
    if moves is not None:
        tables.insert(0, _sensitive(data, moves))
    return Section(
        ID,
        _("What the checks are worth"),
        lead=() if moves is None else (sensitivity_line(data, moves),),
        tables=tuple(tables),
    )


def halves(data: ClassData) -> Sensitivity | None:
    """Return the spread of marks over random halves of the checks; None if nobody was graded."""
    if len(data.graded) < ENOUGH or not data.checks:
        return None
    parts = tuple(
        CriterionPart(one.max_points, one.checks, one.all_or_nothing) for one in data.criteria
    )
    return sensitivity(data.earned, parts, _SEED)


def is_moving(data: ClassData, moves: Sensitivity) -> bool:
    """Tell whether marks of one in ten move so far that it has to be said first."""
    return bool(np.quantile(moves.deviations, 0.9) > _FAR * data.max_points)


def sensitivity_line(data: ClassData, moves: Sensitivity) -> str:
    """Say how far marks move with another half of the checks."""
    usual, high = (float(one) for one in np.quantile(moves.deviations, (0.5, 0.9)))
    if usual < _STILL:
        return _(
            "With a random half of the checks the mark of half the class stays as it is, and nine "
            "in ten move by less than {high} points (standard deviation), of {most}. A mark that "
            "moves far hangs on few checks.",
            high=f"{max(high, _STILL):.1f}",
            most=f"{data.max_points:g}",
        )
    return _(
        "With a random half of the checks the mark of half the class moves by less than {usual} "
        "points (standard deviation), and of nine in ten by less than {high}, of {most}. A mark "
        "that moves far hangs on few checks.",
        usual=f"{usual:.1f}",
        high=f"{high:.1f}",
        most=f"{data.max_points:g}",
    )


def _sensitive(data: ClassData, moves: Sensitivity) -> Sheet:
    order = np.argsort(-moves.deviations, kind="stable")
    rows = tuple(
        (
            text(data.people[data.graded[int(row)].person].id),
            number(float(data.totals[row])),
            number(float(moves.deviations[row])),
            percent(float(moves.deviations[row]) / (data.max_points or 1.0)),
        )
        for row in order
        if moves.deviations[row] > 0
    )
    columns = (
        Column(_("Student")),
        Column(_("Points by checks"), is_number=True),
        Column(
            _("SD over halves"),
            _("In points, over random halves of the checks. Near a grade's border: look twice."),
            is_number=True,
        ),
        Column(_("Of all points"), is_number=True),
    )
    title = _("Marks that hang on few checks")
    return Sheet("sensitivity", title, columns, rows, is_folded=True, shown=20)


def _idle(data: ClassData) -> Sheet:
    caught = data.failed | data.with_outcome(Outcome.BLOCKED) | data.with_outcome(Outcome.CARRIED)
    judged = (data.passed | data.failed).sum(axis=0)
    rows = tuple(
        (text(one.id), count(int(judged[at])), text(one.title))
        for at, one in enumerate(data.checks)
        if judged[at] >= ENOUGH and not caught[:, at].any() and one.criterion != POLICY
    )
    columns = (
        Column(
            _("Check"),
            _("Keep it if a known mistake fails it (grader validate says so); else it is idle."),
        ),
        Column(_("Passed by"), is_number=True),
        Column(_("What it asks")),
    )
    return Sheet(
        "never-failed",
        _("Checks that nobody fails"),
        columns,
        rows,
        _("Every check was failed by somebody."),
        is_folded=True,
        shown=40,
    )


def _impossible(data: ClassData) -> Sheet:
    judged, failed = (data.passed | data.failed).sum(axis=0), data.failed.sum(axis=0)
    rows = tuple(
        (
            text(one.id),
            proportion(
                Proportion(int(failed[at]), int(judged[at])), data.people_of(data.failed[:, at])
            ),
            text(one.title),
        )
        for at, one in enumerate(data.checks)
        if judged[at] >= ENOUGH and failed[at] >= NEARLY_ALL * judged[at]
    )
    columns = (
        Column(
            _("Check"),
            _("Does the hand-out say what is wanted? If not, mend that and run grader regrade."),
        ),
        Column(_("Failed by"), is_number=True),
        Column(_("What it asks")),
    )
    title = _("Checks that 90 % or more fail")
    return Sheet("nearly-all-fail", title, columns, rows, _("There is no such check."))


def _sole(data: ClassData) -> Sheet:
    columns = (
        Column(
            _("Check"),
            _("It alone decides about the points of its criterion: is it sure to be right?"),
        ),
        Column(
            _("Alone"),
            _("Of those who lost points of the criterion, who failed this check and no other."),
            is_number=True,
        ),
        Column(_("Checks there"), is_number=True),
    )
    title = _("Verdicts that rest on one check")
    empty = _("No verdict rests on one check of several.")
    return Sheet("one-check", title, columns, tuple(_sole_rows(data)), empty, is_folded=True)


def _sole_rows(data: ClassData) -> Iterator[tuple[TableCell, ...]]:
    for one in data.criteria:
        if len(one.checks) < 2:
            continue
        own = data.failed[:, list(one.checks)]
        lost = own.any(axis=1)
        alone = own & (own.sum(axis=1) == 1)[:, None]
        for at, check in enumerate(one.checks):
            many = int(alone[:, at].sum())
            if lost.sum() >= ENOUGH and many >= NEARLY_ALL * lost.sum():
                behind = data.people_of(alone[:, at])
                share = Proportion(many, int(lost.sum()))
                yield (
                    text(data.checks[check].id),
                    proportion(share, behind),
                    count(len(one.checks)),
                )


def _unsteady(data: ClassData) -> Sheet:
    """List checks with two answers to the same files, from regrades under the same conditions."""
    columns = (
        Column(
            _("Check"),
            _("Chance or a busy machine decides: mend the check before it costs anybody points."),
        ),
        Column(_("Students"), _("With whose files it gave two answers."), is_number=True),
        Column(_("What it asks")),
    )
    by_check: dict[int, list[int]] = defaultdict(list)
    for check, person in data.unsteady:
        by_check[check].append(person)
    rows = tuple(
        (text(data.checks[at].id), count(len(people), people), text(data.checks[at].title))
        for at, people in sorted(by_check.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    )
    title = _("Checks with two answers to the same files")
    empty = _("None, as far as anything was graded twice with the same course and grader.")
    return Sheet("unsteady", title, columns, rows, empty)


def _never_alone(data: ClassData) -> Sheet:
    columns = (
        Column(
            _("Check"),
            _("It decides nothing that another check there does not: it may be saved time."),
        ),
        Column(_("Failed by"), is_number=True),
        Column(_("Always with"), _("A check of the same criterion that fails whenever it does.")),
    )
    title = _("Checks that never fail alone")
    rows = tuple(_never_alone_rows(data))
    return Sheet("never-alone", title, columns, rows, is_folded=True, shown=40)


def _never_alone_rows(data: ClassData) -> Iterator[tuple[TableCell, ...]]:
    for one in data.criteria:
        own = data.failed[:, list(one.checks)].astype(np.int64)
        both = own.T @ own  # checks checks
        for at, check in enumerate(one.checks):
            many = int(both[at, at])
            others = [k for k in range(len(one.checks)) if k != at and both[at, k] == many]
            # Of two that always fail together only the later one can be spared.
            spare = [k for k in others if both[k, k] > many or k < at]
            if many >= ENOUGH and spare:
                behind = data.people_of(data.failed[:, check])
                other = data.checks[one.checks[spare[0]]].name
                yield text(data.checks[check].id), count(many, behind), text(other)
