"""Put into a record what a student gets or loses beside the checks, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from ..grade.lateness import taken
from ..grade.totals import Rule
from ..report import total_lines
from ..report.beside import ADJUSTMENTS
from ..report.late_lines import LATE, in_words, lateness_in
from ..text.points import exact, shown, signed
from .store import Adjustment, Record

KEY = ADJUSTMENTS


def adjusted(record: Record, adjustments: Iterable[Adjustment]) -> Record:
    """Return a record with these adjustments in place of those it had, and those by rules.

    Rules are those for lateness and for totals.

    The record's `points` stay what the checks earned. Who has no points has no adjustments.
    """
    plain = {name: value for name, value in record.items() if name != KEY}
    if "problem" in record:
        return plain
    given = tuple(adjustments)
    late = tuple(_for_lateness(record, given))
    lines = [
        {
            "kind": one.kind,
            "points": exact(one.points),
            "automatic": exact(one.automatic),
            "reason": one.reason,
            "author": one.author,
        }
        for one in (*given, *late, *_for_totals(record, (*given, *late)))
    ]
    return {**plain, KEY: lines} if lines else plain


def _for_lateness(record: Record, given: Iterable[Adjustment]) -> Iterator[Adjustment]:
    """Yield what lateness takes, as the times in a record say; 0 where free days are used."""
    automatic, late = Fraction(record["points"]), lateness_in(record)
    by_people = sum((one.points for one in given if one.author), Fraction(0))
    losses = taken((one.cost for one in late), automatic, by_people)
    for one, lost in zip(late, losses, strict=True):
        kind = f"{LATE} {one.of.assignment}".rstrip()
        id = record["submission"]["id"]
        yield Adjustment(id, kind, -lost, automatic, in_words(one), "")


def _for_totals(record: Record, before: Iterable[Adjustment]) -> Iterator[Adjustment]:
    """Yield what rules on totals give and take; a cap leaves nobody below 0."""
    automatic, changes = Fraction(record["points"]), total_lines.ruled_in(record)
    # What people gave is not under a cap, and not taken by one.
    room = automatic + sum((o.points for o in before if not o.author or o.points < 0), Fraction(0))
    room += sum((one.points for one in changes if one.points > 0), Fraction(0))
    id = record["submission"]["id"]
    for one in changes:
        points = max(one.points, -max(room, Fraction(0)))
        room += min(points, Fraction(0))
        kind, words = total_lines.kind_of(one), total_lines.in_words(one)
        yield Adjustment(id, kind, points, automatic, words, "")


def changed_by_rules(record: Record) -> Mapping[Rule, Fraction]:
    """Return the points that rules on totals change in a record, by the kind of the rule."""
    result: dict[Rule, Fraction] = {}
    for one in record.get(KEY, ()):
        kind = one["kind"].partition(" ")[0]
        if not one["author"] and kind in set(Rule):
            result[Rule(kind)] = result.get(Rule(kind), Fraction(0)) + Fraction(one["points"])
    return result


def lost_by_lateness(record: Record) -> Mapping[str, Fraction]:
    """Return the points that lateness takes from a record, by assignment, or for all of it."""
    return {
        one["kind"].removeprefix(LATE).strip(): -Fraction(one["points"])
        for one in record.get(KEY, ())
        if not one["author"] and one["kind"].partition(" ")[0] == LATE
    }


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
