"""Say to a student which of several hand-ins counts, and why; kept in a record as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grader.course.attempts import AttemptRule
from grader.text.language import _
from grader.text.points import exact, shown

ATTEMPT = "attempt"
"""The key of a record that says which of a student's hand-ins it is of, where there are several."""


@dataclass(frozen=True)
class CountedHandIn:
    """The hand-in that counts, as a number from 1 on, and the rule that says so."""

    number: int
    of: int
    rule: AttemptRule
    points: tuple[Fraction | None, ...] = ()
    """Those of each hand-in, where the best counts; None for one that could not be read."""

    @property
    def short(self) -> str:
        """Return it for a table, such as `2 of 3`."""
        return f"{self.number} of {self.of}"

    @property
    def values(self) -> dict[str, object]:
        """Return it as a record holds it."""
        known: dict[str, object] = {"number": self.number, "of": self.of, "rule": self.rule.value}
        if not self.points:
            return known
        return known | {"points": [None if one is None else exact(one) for one in self.points]}


def counted_in(record: Mapping[str, Any]) -> CountedHandIn | None:
    """Return the hand-in that a record is of; None where a student has only one.

    Raises KeyError, TypeError, ValueError or AttributeError for what is no such record.
    """
    values = record.get(ATTEMPT)
    if values is None:
        return None
    each = (None if one is None else Fraction(one) for one in values.get("points", ()))
    rule = AttemptRule(values["rule"])
    return CountedHandIn(int(values["number"]), int(values["of"]), rule, tuple(each))


def sentences(counted: CountedHandIn | None) -> tuple[str, ...]:
    """Return a sentence for the student; none where there is nothing to choose from."""
    return () if counted is None else (in_words(counted),)


def in_words(counted: CountedHandIn) -> str:
    """Return a sentence for the student.

    >>> in_words(CountedHandIn(2, 3, AttemptRule.BEST, (Fraction(7), Fraction(9), None)))
    'You handed in 3 times. Number 2 counts, the best one; points of each: 7, 9, unreadable.'
    """
    numbers = {"number": counted.number, "times": counted.of}
    if counted.rule is AttemptRule.FIRST:
        return _("You handed in {times} times. Number {number} counts, the first one.", **numbers)
    if counted.rule is AttemptRule.LAST:
        return _("You handed in {times} times. Number {number} counts, the last one.", **numbers)
    return _(
        "You handed in {times} times. Number {number} counts, the best one; points of each: "
        "{points}.",
        points=", ".join(map(_points, counted.points)),
        **numbers,
    )


def _points(points: Fraction | None) -> str:
    return _("unreadable") if points is None else shown(points)
