"""Say to a student the points beside those of the checks, a line each, from a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grader.report import total_lines
from grader.report.cleaning import one_line
from grader.report.late_lines import LATE, in_words, lateness_in
from grader.text.language import _
from grader.text.points import shown, signed

ADJUSTMENTS = "adjustments"
"""The key of a record under which its adjustments stand."""


@dataclass(frozen=True)
class BesideChecks:
    """Points that a student gets, or loses if they are below 0, and the reason."""

    points: Fraction
    reason: str


def beside_checks(record: Mapping[str, Any]) -> tuple[BesideChecks, ...]:
    """Return the adjustments in a record in words for the student, without their authors.

    What the grader itself says is in the language in use, what a person wrote as it was written.
    Raises KeyError, TypeError or ValueError for what is no such record.
    """
    rules = {f"{LATE} {one.of.assignment}".strip(): in_words(one) for one in lateness_in(record)}
    rules |= {
        total_lines.kind_of(one): total_lines.in_words(one) for one in total_lines.ruled_in(record)
    }
    return tuple(
        BesideChecks(Fraction(one["points"]), _reason(one, rules))
        for one in record.get(ADJUSTMENTS, ())
    )


def lines(earned: Fraction, beside: Iterable[BesideChecks]) -> tuple[str, ...]:
    """Return a line with what the checks earned and one for each adjustment; none without any."""
    pieces = tuple(
        _("{points} points: {reason}", points=signed(one.points), reason=one_line(one.reason))
        for one in beside
    )
    return (_("{points} points by the checks", points=shown(earned)), *pieces) if pieces else ()


def _reason(one: Mapping[str, Any], rules: Mapping[str, str]) -> str:
    reason = str(one["reason"])
    return reason if one["author"] else rules.get(one["kind"]) or _(reason)
