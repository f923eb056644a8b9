"""Say to a student what rules on totals give and take, and keep that in a record as values.

The words are made from the values each time, in the language of whoever reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from grader.grade.totals import Rule, Ruled
from grader.text.language import _
from grader.text.points import exact, shown

TOTALS = "totals"
"""The key of a record under which stands what rules on totals change: an entry a rule."""


def kind_of(one: Ruled) -> str:
    """Return the kind of the adjustment that a rule makes, such as `drop 1`."""
    return f"{one.rule} {one.number}"


def values_of(one: Ruled) -> dict[str, object]:
    """Return what a rule changes as a record holds it."""
    return {
        "rule": one.rule.value,
        "number": one.number,
        "points": exact(one.points),
        "of": list(one.of),
        "left_out": list(one.left_out),
        "share": exact(one.share),
        "at_most": exact(one.at_most),
        "had": exact(one.had),
        "reason": one.reason,
    }


def ruled_in(record: Mapping[str, Any]) -> tuple[Ruled, ...]:
    """Return what rules on totals change in a record.

    Raises KeyError, TypeError or ValueError for what is no such record.
    """
    return tuple(
        Ruled(
            Rule(one["rule"]),
            int(one["number"]),
            Fraction(one["points"]),
            tuple(map(str, one["of"])),
            tuple(map(str, one["left_out"])),
            Fraction(one["share"]),
            Fraction(one["at_most"]),
            Fraction(one["had"]),
            str(one["reason"]),
        )
        for one in record.get(TOTALS, ())
    )


def in_words(one: Ruled) -> str:
    """Return in one line what a rule does, and how its points come about.

    >>> group, share = ("a1.x", "a1.y", "a1.z"), Fraction(9, 10)
    >>> in_words(Ruled(Rule.DROP, 1, Fraction(7, 2), group, ("a1.y",), share))
    'a1.y left out as the lowest of a1.x, a1.y, a1.z: the others have 90 %, and so the group has'
    >>> in_words(Ruled(Rule.CAP, 1, Fraction(-2), (), at_most=Fraction(40), had=Fraction(42)))
    'at most 40 points count in all, and there were 42'
    """
    group = ", ".join(one.of)
    if one.rule is Rule.BONUS:
        return _("bonus for {group}: {reason}", group=group, reason=one.reason)
    if one.rule is Rule.DROP:
        return _(
            "{names} left out as the lowest of {group}: the others have {share} %, and so the "
            "group has",
            group=group,
            names=", ".join(one.left_out),
            share=shown(one.share * 100),
        )
    numbers = {"most": shown(one.at_most), "had": shown(one.had)}
    if not one.of:
        return _("at most {most} points count in all, and there were {had}", **numbers)
    return _("at most {most} points count of {group}, and there were {had}", group=group, **numbers)
