"""Find what lateness costs, from deadlines, times and earned points. Pure: no clock is looked at.

A late day is 24 hours that have begun after the deadline and its grace. Points are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from grader.course.late import WHOLE_COURSE, Amount, LatePolicy
from grader.text.moments import DAY_S, Moment


@dataclass(frozen=True)
class HandedIn:
    """One thing that was handed in by a deadline of its own or after it: an assignment, or all."""

    earned: Fraction
    """The points that its checks earned."""
    at: Moment
    due: Moment
    """The student's own deadline: that of the course, or what an extension made of it."""
    deadline: Moment
    """The deadline of the course."""
    assignment: str = WHOLE_COURSE
    """The prefix of the assignment, such as `a1`."""


@dataclass(frozen=True)
class Lateness:
    """The late days of one thing that was handed in, and what they cost."""

    of: HandedIn
    days: int
    free: int
    """So many of the days cost nothing."""
    cost: Fraction
    """The points that are taken, at most those that were earned."""
    per_day: Amount
    limit: Amount | None = None
    """The most that days take, if they would have taken more."""
    closed_after_s: int | None = None
    """So long after the deadline anything was worth nothing, and this came later."""


def lateness(policy: LatePolicy, all: Iterable[HandedIn]) -> tuple[Lateness, ...]:
    """Return the lateness of each thing that one student handed in late, the first deadline first.

    Free days are used up in this order, by what is worth nothing as well: so nobody gains by
    handing in later.

    >>> from grader.text.moments import read_moment
    >>> due, at = read_moment("2026-11-20T23:59Z"), read_moment("2026-11-22T08:10Z")
    >>> policy = LatePolicy({"": due}, per_day=Amount(Fraction(1, 10), is_share=True))
    >>> [(one.days, one.cost) for one in lateness(policy, [HandedIn(Fraction(41), at, due, due)])]
    [(2, Fraction(41, 5))]
    """
    return tuple(_in_order(policy, sorted(all, key=lambda one: one.deadline)))


def taken(costs: Iterable[Fraction], earned: Fraction, others: Fraction) -> tuple[Fraction, ...]:
    """Return the points that are taken for each cost, so that nobody gets below 0 by lateness.

    `others` are the points that a student gets or loses for other reasons. What was given beside
    the checks is not taken.

    >>> taken([Fraction(4), Fraction(4)], Fraction(10), Fraction(-5))
    (Fraction(4, 1), Fraction(1, 1))
    """
    room = max(Fraction(0), earned + min(others, Fraction(0)))
    result = []
    for cost in costs:
        result.append(min(cost, room))
        room -= result[-1]
    return tuple(result)


def late_days(policy: LatePolicy, one: HandedIn) -> int:
    """Return the days that have begun since the deadline and its grace; 0 is in time."""
    return max(0, -(-_late_s(policy, one) // DAY_S))


def _in_order(policy: LatePolicy, all: Iterable[HandedIn]) -> Iterator[Lateness]:
    left = policy.free_days
    for one in all:
        days = late_days(policy, one)
        free = min(days, left)
        left -= free
        if days:
            yield _lateness(policy, one, days, free)


def _lateness(policy: LatePolicy, one: HandedIn, days: int, free: int) -> Lateness:
    closes = policy.closes_after_s
    if closes is not None and _late_s(policy, one) > closes:
        return Lateness(one, days, free, one.earned, policy.per_day, closed_after_s=closes)
    cost = min((days - free) * policy.per_day.of(one.earned), one.earned)
    limit = policy.at_most
    if limit is None or cost <= limit.of(one.earned):
        return Lateness(one, days, free, cost, policy.per_day)
    return Lateness(one, days, free, limit.of(one.earned), policy.per_day, limit)


def _late_s(policy: LatePolicy, one: HandedIn) -> int:
    return one.at.seconds - one.due.seconds - policy.grace_s
