"""Say how often students handed in, what that brought, and who is stuck."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median

import numpy as np

from grader.class_report.data.class_data import ClassData, TryHistory
from grader.class_report.outline import (
    Column,
    Section,
    Sheet,
    TableCell,
    count,
    number,
    percent,
    text,
)
from grader.text.language import _

ID = "attempts"
STUCK_AFTER = 3
"""The number of tries without a gain after which somebody is called stuck."""
_SHOWN_TRIES = 5
_HOUR_S = 3600.0
_DAY_S = 24 * _HOUR_S
_GAIN = 0.005
SILENT_AFTER_DAYS = 7
"""The days without a result, before the last one of the class, after which somebody is silent."""


@dataclass(frozen=True)
class TryProgress:
    """The way of one student from try to try."""

    person: int
    tries: int
    totals: np.ndarray
    """Shape (tries)."""
    first_full: tuple[int | None, ...]
    """By exercise, the number of tries until all its points were earned, if they were."""
    hours: tuple[float | None, ...]
    """By exercise, the hours from the first result until then."""
    is_stuck: bool
    """True if the last tries brought nothing, although there is something to gain."""
    silent_days: float = 0.0
    """The days from the last result until the last one of the class; 0 with all points."""


def progress(data: ClassData) -> tuple[TryProgress, ...]:
    """Return the way of everybody who has a result."""
    most = np.array(data.exercise_max)
    end = max((datetime.fromisoformat(one.at[-1]) for one in data.tries), default=None)
    return tuple(_progress(one, most, end) for one in data.tries)


def _progress(own: TryHistory, most: np.ndarray, end: datetime | None) -> TryProgress:
    reached = own.points >= most - _GAIN  # tries exercises
    times = [datetime.fromisoformat(at) for at in own.at]
    since = [(at - times[0]).total_seconds() / _HOUR_S for at in times]
    ever = np.any(reached, axis=0)  # exercises
    first = [int(at) if ever[e] else None for e, at in enumerate(reached.argmax(axis=0))]
    totals = own.points.sum(axis=1)
    is_done = bool(totals.max() >= most.sum() - _GAIN)
    silent = 0.0 if is_done or end is None else (end - times[-1]).total_seconds() / _DAY_S
    return TryProgress(
        own.person,
        len(times),
        totals,
        tuple(None if at is None else at + 1 for at in first),
        tuple(None if at is None else since[at] for at in first),
        _is_stuck(totals, float(most.sum())),
        silent,
    )


def _is_stuck(totals: np.ndarray, most: float) -> bool:
    if len(totals) <= STUCK_AFTER:
        return False
    before, last = totals[:-STUCK_AFTER].max(), totals[-STUCK_AFTER:].max()
    return bool(last <= before + _GAIN and before < most - _GAIN)


def attempts(data: ClassData, ways: Sequence[TryProgress]) -> Section:
    """Return the section on tries; a sentence where everybody was graded once."""
    title = _("Attempts, and who is stuck")
    if all(one.tries < 2 for one in ways):
        once = _("Everybody was graded once, so there is no history to speak of yet.")
        silent = _silent(data, ways)
        return Section(ID, title, (once,), tables=(silent,) if silent.rows else ())
    lead = _(
        "{count} students handed in more than once; the median number of tries is {median}. A try "
        "is a submission that differs from the one before, and its time is when it was graded.",
        count=sum(one.tries > 1 for one in ways),
        median=f"{median(one.tries for one in ways):g}",
    )
    tables = (_stuck(data, ways), _silent(data, ways), _by_exercise(data, ways), _by_try(ways))
    return Section(ID, title, (lead,), tables=tables)


def _stuck(data: ClassData, ways: Sequence[TryProgress]) -> Sheet:
    rows = tuple(
        (
            text(data.people[one.person].id),
            count(one.tries),
            number(float(one.totals.max())),
            number(float(one.totals[-1])),
        )
        for one in ways
        if one.is_stuck
    )
    columns = (
        Column(_("Student"), _("Write to them: another try alone will not help.")),
        Column(_("Tries"), is_number=True),
        Column(_("Best"), is_number=True),
        Column(_("Last"), is_number=True),
    )
    title = _("Stuck: no gain in the last {count} tries", count=STUCK_AFTER)
    return Sheet("stuck", title, columns, rows, _("Nobody is stuck."), shown=40)


def _silent(data: ClassData, ways: Sequence[TryProgress]) -> Sheet:
    silent = sorted(
        (one for one in ways if one.silent_days > SILENT_AFTER_DAYS),
        key=lambda one: (-one.silent_days, one.person),
    )
    rows = tuple(
        (
            text(data.people[one.person].id),
            number(one.silent_days, 0),
            count(one.tries),
            number(float(one.totals[-1])),
        )
        for one in silent
    )
    columns = (
        Column(_("Student"), _("Write to them: they have given up, or think they are done.")),
        Column(_("Days"), _("Until the last result of the class."), is_number=True),
        Column(_("Tries"), is_number=True),
        Column(_("Points"), is_number=True),
    )
    title = _("Silent for more than {days} days, with points to gain", days=SILENT_AFTER_DAYS)
    return Sheet("silent", title, columns, rows, _("Nobody is silent."), shown=40)


def _by_exercise(data: ClassData, ways: Sequence[TryProgress]) -> Sheet:
    first = np.mean([one.points[0] for one in data.tries], axis=0)
    last = np.mean([one.points[-1] for one in data.tries], axis=0)
    rows = tuple(
        (
            text(slug),
            *_until_full(ways, at),
            percent(float(first[at]) / most if most else None),
            percent(float(last[at]) / most if most else None),
        )
        for at, (slug, most) in enumerate(zip(data.slugs, data.exercise_max, strict=True))
    )
    columns = (
        Column(_("Exercise")),
        Column(_("All points"), _("Who earned all points in some try."), is_number=True),
        Column(
            _("Tries"),
            _("The median of tries until then. Many: a hint is missing, or a check is unclear."),
            is_number=True,
        ),
        Column(_("Hours"), _("The median time from the first result until then."), is_number=True),
        Column(_("First try"), _("The mean share of points of the first try."), is_number=True),
        Column(
            _("Last try"),
            _("The mean share of the last. No better than the first: feedback does not help here."),
            is_number=True,
        ),
    )
    return Sheet("attempts", _("Tries by exercise"), columns, rows)


def _until_full(ways: Sequence[TryProgress], at: int) -> tuple[TableCell, ...]:
    done = [one for one in ways if one.first_full[at] is not None]
    tries = [tries for one in done if (tries := one.first_full[at]) is not None]
    hours = [hours for one in done if (hours := one.hours[at]) is not None]
    return (
        count(len(done), [one.person for one in done]),
        number(median(tries) if tries else None, 1),
        number(median(hours) if hours else None, 1),
    )


def _by_try(ways: Sequence[TryProgress]) -> Sheet:
    columns = (
        Column(_("Try")),
        Column(_("Students"), is_number=True),
        Column(_("Mean points"), is_number=True),
        Column(
            _("Gain"),
            _("The mean gain over the try before, of the same students. Near 0: stop and ask."),
            is_number=True,
        ),
    )
    return Sheet("tries", _("Points by try"), columns, tuple(_try_rows(ways)))


def _try_rows(ways: Sequence[TryProgress]) -> Iterator[tuple[TableCell, ...]]:
    for at in range(_SHOWN_TRIES):
        have = [one for one in ways if one.tries > at]
        if not have:
            return
        points = [float(one.totals[at]) for one in have]
        gains = [float(one.totals[at] - one.totals[at - 1]) for one in have] if at else []
        yield (
            text(str(at + 1)),
            count(len(have), [one.person for one in have]),
            number(fmean(points)),
            number(fmean(gains) if gains else None),
        )
