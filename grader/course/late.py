"""Read `late` in a rubric: the deadlines of a course, and the points that lateness takes.

late:
  deadline: 2026-11-20T23:59:00+09:00
  per_day: 10%
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from grader.course.schema import Described, Form, described, optional, record, required
from grader.course.yaml_source import Place
from grader.text.language import _
from grader.text.moments import Moment, lacks_offset, read_moment, read_span
from grader.text.points import exact, shown
from grader.text.problem import Trail, did_you_mean, quoted

_AMOUNT = re.compile(r"((?:0|[1-9][0-9]{0,5})(?:\.[0-9]{1,4})?)( ?%)?")
_WHOLE = re.compile(r"0|[1-9][0-9]{0,4}")
EXAMPLE = "2026-11-20T23:59:00+09:00"
WHOLE_COURSE = ""
"""Stands where the name of an assignment would, if there is one deadline for all."""


@dataclass(frozen=True)
class Amount:
    """Points, or a share of the points that were earned.

    >>> str(Amount(Fraction(1, 10), is_share=True)), str(Amount(Fraction(5, 2)))
    ('10 %', '2.5')
    """

    number: Fraction
    is_share: bool = False

    def of(self, earned: Fraction) -> Fraction:
        """Return the points that it is of those that were earned."""
        return self.number * earned if self.is_share else self.number

    @property
    def exact(self) -> str:
        """Return it as `amount_in` reads it: `10%`, or `2.5`."""
        return f"{exact(self.number * 100)}%" if self.is_share else exact(self.number)

    def __str__(self) -> str:
        return f"{shown(self.number * 100)} %" if self.is_share else shown(self.number)


def amount_in(text: str) -> Amount | None:
    """Return the amount in a text such as `10%` or `2.5`; None if it is none.

    >>> amount_in("10%"), amount_in("ten")
    (Amount(number=Fraction(1, 10), is_share=True), None)
    """
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    number = Fraction(match[1])
    return Amount(number / 100, is_share=True) if match[2] else Amount(number)


@dataclass(frozen=True)
class LatePolicy:
    """The deadlines of a course, and what it costs to miss one."""

    deadlines: Mapping[str, Moment] = field(default_factory=dict)
    """By the prefix of an assignment, such as `a1`, or one for WHOLE_COURSE."""
    grace_s: int = 0
    """So much after the deadline nothing is late yet."""
    per_day: Amount = Amount(Fraction(0))
    """Taken for each day that has begun."""
    at_most: Amount | None = None
    """The most that days take."""
    free_days: int = 0
    """The late days of a student that cost nothing, over all assignments."""
    closes_after_s: int | None = None
    """So much after the deadline, and anything later is worth nothing."""


def late_policy() -> Form[LatePolicy]:
    """Return the form for `late`."""
    read = record(
        _policy,
        deadline=required(_deadlines(), "Until when something is in time."),
        grace=optional(_span(), 0, "So much later is still in time."),
        per_day=optional(_amount(), None, "What each late day takes that has begun."),
        at_most=optional(_amount(), None, "The most that late days take."),
        free_days=optional(_days(), 0, "So many late days of a student cost nothing."),
        closes_after=optional(_span(), None, "What comes later than this earns nothing any more."),
    )

    def checked(at: Place | None) -> LatePolicy:
        policy = read(at)
        entries = (at.entries() if at else None) or {}
        if at and "deadline" in entries and not {"per_day", "closes_after"} & set(entries):
            at.key_problem(_("nothing costs anything here - give 'per_day' or 'closes_after'"))
        if "at_most" in entries and "per_day" not in entries:
            entries["at_most"].key_problem(
                _("limits what 'per_day' takes, and there is none - write one, or delete this")
            )
        return policy

    return Described(checked, read.wanted, read.keys)


def _policy(
    _name: str,
    *,
    deadline: Mapping[str, Moment],
    grace: int,
    per_day: Amount | None,
    at_most: Amount | None,
    free_days: int,
    closes_after: int | None,
) -> LatePolicy:
    per_day = per_day or Amount(Fraction(0))
    return LatePolicy(deadline, grace, per_day, at_most, free_days, closes_after)


def late_problems(
    policy: LatePolicy | None, assignments: Mapping[str, str]
) -> Iterator[tuple[Trail, str]]:
    """Yield a problem for each deadline of an assignment that the course does not have."""
    for prefix in policy.deadlines if policy else ():
        if prefix != WHOLE_COURSE and assignments and prefix not in assignments:
            hint = did_you_mean(prefix, assignments)
            unknown = _("unknown assignment {name}{hint}", name=quoted(prefix), hint=hint)
            yield ("late", "deadline", prefix), unknown


def _deadlines() -> Form[dict[str, Moment]]:
    """Return the form for one time, or for a mapping of assignments to times."""

    def read(at: Place | None) -> dict[str, Moment]:
        if at is None:
            return {}
        entries = at.entries()
        if entries is None:
            return {WHOLE_COURSE: _moment(at)}
        if not entries and at.node.value == []:
            at.problem(_("expected at least one assignment and its deadline"))
        return {name: _moment(place) for name, place in entries.items()}

    return described(read, f"a time such as {EXAMPLE}, or a mapping of assignments to times")


def _moment(at: Place) -> Moment:
    text = at.text or ""
    if lacks_offset(text):
        at.problem(
            _(
                "this time does not say its offset from UTC - write it behind the time, such as "
                "{example}",
                example=quoted(f"{text}+09:00"),
            )
        )
        return Moment(0)
    try:
        return read_moment(text)
    except ValueError:
        message = _(
            "expected a time such as {example}, got {found}",
            example=quoted(EXAMPLE),
            found=_got(at),
        )
        at.problem(message)
        return Moment(0)


def _got(at: Place) -> str:
    return at.shown if at.text is None or at.kind != "timestamp" else quoted(at.text)


def _span() -> Form[int]:
    def read(at: Place | None) -> int:
        span = read_span(at.text or "") if at else 0
        if at and span is None:
            at.problem(
                _(
                    "expected minutes, hours or days, such as '10m', '2h' or '7d', got {found}",
                    found=at.shown,
                )
            )
        return span or 0

    return described(read, "minutes, hours or days: 10m, 2h or 7d")


def _amount() -> Form[Amount]:
    def read(at: Place | None) -> Amount:
        amount = amount_in(at.text or "") if at else None
        if at and amount is None:
            at.problem(
                _(
                    "expected points such as 2, or a share of what was earned such as 10%, "
                    "got {found}",
                    found=at.shown,
                )
            )
        if at and amount and amount.is_share and amount.number > 1:
            at.problem(_("nobody loses more than 100% of what was earned - write 100%"))
        if at and amount and not amount.number:
            at.problem(_("expected more than 0 - leave this key out if nothing is meant"))
        return amount or Amount(Fraction(0))

    return described(read, "points such as 2, or a share of what was earned such as 10%")


def _days() -> Form[int]:
    def read(at: Place | None) -> int:
        if at is None:
            return 0
        if not _WHOLE.fullmatch(at.text or ""):
            at.problem(_("expected a whole number of days, such as 3, got {found}", found=at.shown))
            return 0
        return int(at.text or "")

    return described(read, "a whole number of days")
