"""Say to a student what lateness costs, and keep that in a record as values.

The words are made from the values each time, in the language of whoever reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from grader.course.late import Amount, amount_in
from grader.grade.lateness import HandedIn, Lateness
from grader.text.language import _, ngettext
from grader.text.moments import read_moment, span_in_short
from grader.text.points import exact, shown

HANDED_IN = "handed_in"
"""The key of a record under which its times stand: one entry a deadline."""


LATE = "late"
"""The kind of an adjustment for lateness; behind it stands the assignment, if it is of one."""


def values_of(late: Lateness) -> dict[str, object]:
    """Return a lateness as a record holds it."""
    return {
        "days": late.days,
        "free": late.free,
        "earned": exact(late.of.earned),
        "cost": exact(late.cost),
        "per_day": late.per_day.exact,
        "limit": None if late.limit is None else late.limit.exact,
        "closed_after_s": late.closed_after_s,
    }


def lateness_in(record: Mapping[str, Any]) -> tuple[Lateness, ...]:
    """Return each lateness in a record.

    Raises KeyError, TypeError or ValueError for what is no such record.
    """
    return tuple(_lateness(one) for one in record.get(HANDED_IN, ()) if one["late"] is not None)


def in_words(late: Lateness) -> str:
    """Return in one line how late it was, and how the points that it costs come about.

    >>> from grader.text.moments import read_moment
    >>> due, at = read_moment("2026-11-20T23:59Z"), read_moment("2026-11-22T08:10Z")
    >>> share = Amount(Fraction(1, 10), is_share=True)
    >>> in_words(Lateness(HandedIn(Fraction(41), at, due, due), 2, 0, Fraction(41, 5), share))
    '2 days late (deadline 2026-11-20 23:59, handed in 2026-11-22 08:10): 10 % a day of 41 points'
    """
    name = f"{late.of.assignment}: " if late.of.assignment else ""
    return f"{name}{_days(late)} ({_times(late.of)}): {', '.join(_costs(late))}"


def _days(late: Lateness) -> str:
    return ngettext("1 day late", "{count} days late", late.days)


def _times(one: HandedIn) -> str:
    times = {"deadline": one.due, "time": one.at.as_seen_from(one.deadline)}
    if one.due == one.deadline:
        return _("deadline {deadline}, handed in {time}", **times)
    return _(
        "deadline {deadline}, extended from {first}, handed in {time}", first=one.deadline, **times
    )


def _costs(late: Lateness) -> Iterator[str]:
    if late.closed_after_s is not None:
        span = span_in_short(late.closed_after_s)
        yield _("only what comes within {span} after the deadline counts", span=span)
        return
    if late.free:
        yield ngettext("1 free day used", "{count} free days used", late.free)
    if late.free < late.days and late.per_day.is_share:
        points = shown(late.of.earned)
        yield _("{share} a day of {points} points", share=late.per_day, points=points)
    elif late.free < late.days:
        yield _("a day costs {points}", points=late.per_day)
    if late.limit is not None:
        yield _("at most {limit} in all", limit=late.limit)


def _lateness(entry: Mapping[str, Any]) -> Lateness:
    late = entry["late"]
    of = HandedIn(
        Fraction(late["earned"]),
        read_moment(entry["at"]),
        read_moment(entry["due"]),
        read_moment(entry["deadline"]),
        entry["assignment"],
    )
    limit, closed = late["limit"], late["closed_after_s"]
    return Lateness(
        of,
        int(late["days"]),
        int(late["free"]),
        Fraction(late["cost"]),
        _amount(late["per_day"]),
        None if limit is None else _amount(limit),
        None if closed is None else int(closed),
    )


def _amount(text: str) -> Amount:
    amount = amount_in(text)
    if amount is None:
        raise ValueError(text)
    return amount
