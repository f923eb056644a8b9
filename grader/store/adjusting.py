"""Put into a record what a student gets or loses beside the checks, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..text.points import exact, shown, signed
from .store import Adjustment, Record

KEY = "adjustments"
"""The key of a record under which its adjustments stand."""


def adjusted(record: Record, adjustments: Iterable[Adjustment]) -> Record:
    """Return a record with these adjustments in place of those it had.

    The record's `points` stay what the checks earned. Who has no points has no adjustments.
    """
    plain = {name: value for name, value in record.items() if name != KEY}
    if "problem" in record:
        return plain
    lines = [
        {
            "kind": one.kind,
            "points": exact(one.points),
            "automatic": exact(one.automatic),
            "reason": one.reason,
            "author": one.author,
        }
        for one in adjustments
    ]
    return {**plain, KEY: lines} if lines else plain


def sum_of(record: Record) -> Fraction:
    """Return the points that adjustments add to those of the checks."""
    return sum((Fraction(one["points"]) for one in record.get(KEY, ())), Fraction(0))


def conflicts(record: Record) -> tuple[str, ...]:
    """Return a sentence for each adjustment that was made when the checks had earned other points.

    Those that the grader made itself, which have no author, are made anew with every regrade.
    """
    return tuple(
        f"{signed(Fraction(one['points']))} points ({one['reason']}, {one['author']}) were given "
        f"when the checks had earned {shown(Fraction(one['automatic']))}; now they earn "
        f"{shown(Fraction(record['points']))}"
        for one in record.get(KEY, ())
        if one["author"] and Fraction(one["automatic"]) != Fraction(record["points"])
    )
