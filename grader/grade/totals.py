"""Find what a course's rules on totals give and take: drops, bonuses and caps. Pure and exact.

Each goes on with what lateness left. Drops and bonuses never take, caps never take more than is
there; so a total never falls when something is earned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from grader.course.totals import Bonus, Cap, Drop, Totals, slugs_of

_NOTHING = Fraction(0)


class Rule(StrEnum):
    """A kind of rule on totals."""

    DROP = "drop"
    BONUS = "bonus"
    CAP = "cap"


@dataclass(frozen=True)
class Worth:
    """The points of one exercise."""

    earned: Fraction
    """What lateness left of what the checks earned."""
    most: Fraction


@dataclass(frozen=True)
class Ruled:
    """The points that one rule gives, or takes if they are below 0."""

    rule: Rule
    number: int
    """Its place among the rules of its kind, counted from 1."""
    points: Fraction
    of: tuple[str, ...]
    """The group as the rubric names it; everything if it is empty."""
    left_out: tuple[str, ...] = ()
    """The members that a drop left out."""
    share: Fraction = _NOTHING
    """The part of their points that the others earned, which counts for those left out."""
    at_most: Fraction = _NOTHING
    """The points of a cap."""
    had: Fraction = _NOTHING
    """The points that a capped group had before."""
    reason: str = ""
    """What a bonus is for, as the rubric says it."""


def ruled(totals: Totals, worth: Mapping[str, Worth], course: Collection[str]) -> tuple[Ruled, ...]:
    """Return what each rule changes, of those that change anything.

    `worth` has the exercises that were graded, `course` the slugs of all. A drop or a bonus waits
    until all of its group is graded; a cap holds for what is.

    >>> drop = Drop(1, ("a1.x", "a1.y", "a1.z"))
    >>> earned = {"a1.x": 4, "a1.y": 1, "a1.z": 5}
    >>> worth = {slug: Worth(Fraction(n), Fraction(5)) for slug, n in earned.items()}
    >>> [(str(one.points), one.left_out) for one in ruled(Totals((drop,)), worth, worth)]
    [('7/2', ('a1.y',))]
    """
    given = tuple(_given(totals, worth, course))
    capped = _capped(totals.caps, given, worth, course)
    return tuple(one for one in (*given, *capped) if one.points)


def _given(totals: Totals, worth: Mapping[str, Worth], course: Collection[str]) -> Iterator[Ruled]:
    for number, drop in enumerate(totals.drops, start=1):
        if slugs_of(drop.of, course) <= worth.keys():
            yield _dropped(drop, number, worth)
    for number, bonus in enumerate(totals.bonuses, start=1):
        own = slugs_of(bonus.of, course)
        if own <= worth.keys() and _reaches(bonus, _sum(worth[slug] for slug in own)):
            reason = bonus.reason
            yield Ruled(Rule.BONUS, number, bonus.points, bonus.of, reason=reason)


def _reaches(bonus: Bonus, group: Worth) -> bool:
    return group.earned >= bonus.reaching * group.most


def _dropped(drop: Drop, number: int, worth: Mapping[str, Worth]) -> Ruled:
    """Return what is gained if the lowest count as much of their points as the others earned."""
    members = {name: _sum(worth[s] for s in slugs_of([name], worth)) for name in drop.of}
    kept = _kept(members, len(members) - drop.lowest)
    of_kept, of_all = _sum(members[name] for name in kept), _sum(members.values())
    share = of_kept.earned / of_kept.most if of_kept.most else _NOTHING
    left_out = tuple(name for name in drop.of if name not in kept)
    gained = max(_NOTHING, share * of_all.most - of_all.earned)
    return Ruled(Rule.DROP, number, gained, drop.of, left_out, share)


def _kept(members: Mapping[str, Worth], count: int) -> frozenset[str]:
    """Return so many members that have the highest part of their points together.

    Where all are worth the same, these are the highest. Otherwise those that are worth most matter
    more, and a part that is assumed is raised until it is the one that is reached (Dinkelbach).
    """
    share = _NOTHING
    while True:
        ahead = {name: one.earned - share * one.most for name, one in members.items()}
        kept = sorted(members, key=lambda name: (-ahead[name], name))[:count]
        group = _sum(members[name] for name in kept)
        reached = group.earned / group.most if group.most else _NOTHING
        if reached <= share:
            return frozenset(kept)
        share = reached


def _capped(
    caps: Iterable[Cap],
    given: Iterable[Ruled],
    worth: Mapping[str, Worth],
    course: Collection[str],
) -> tuple[Ruled, ...]:
    """Return what caps take, the inner ones first: the outer ones count what these have left."""
    numbered = [(slugs_of(cap.of, course), cap, n) for n, cap in enumerate(caps, start=1)]
    changes = [(slugs_of(one.of, course), one.points) for one in given]
    result: dict[int, Ruled] = {}
    for own, cap, number in sorted(numbered, key=lambda one: (len(one[0]), one[1].at_most)):
        had = _sum(worth[slug] for slug in own & worth.keys()).earned
        had += sum((points for group, points in changes if group <= own), _NOTHING)
        taken = max(_NOTHING, had - cap.at_most)
        changes.append((own, -taken))
        result[number] = Ruled(Rule.CAP, number, -taken, cap.of, at_most=cap.at_most, had=had)
    return tuple(result[number] for number in sorted(result))


def _sum(all: Iterable[Worth]) -> Worth:
    known = tuple(all)
    earned = sum((one.earned for one in known), _NOTHING)
    return Worth(earned, sum((one.most for one in known), _NOTHING))
