"""Read `totals` in a rubric: what is left out, given and capped beside what the checks earn.

totals:
  drop: [{lowest: 1, of: [a1.softmax, a1.mask, a1.sdpa]}]
  bonuses: [{points: 2, of: [a2], reason: everything about masks}]
  caps: [{at_most: 40}]
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from grader.course.late import amount_in
from grader.course.schema import (
    Form,
    above_zero,
    described,
    listing,
    optional,
    record,
    required,
    sequence,
    text,
)
from grader.course.yaml_source import Place
from grader.text.language import _, marked
from grader.text.problem import Trail, did_you_mean, quoted

_WHOLE = re.compile(r"[1-9][0-9]{0,3}")
_NAME = r"[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_]*)?"
_NOTHING = marked("expected more than 0 - leave this rule out if nothing is meant")
_Faults = Iterator[tuple[Trail, str]]


@dataclass(frozen=True)
class Drop:
    """A group of which the lowest do not count; the others count for them."""

    lowest: int
    """So many of the members are left out."""
    of: tuple[str, ...]
    """Exercises, or assignments as a whole; each is one member."""


@dataclass(frozen=True)
class Bonus:
    """Points for whoever earns enough of a group."""

    points: Fraction
    of: tuple[str, ...]
    reason: str
    """As students read it."""
    reaching: Fraction = Fraction(1)
    """The share of the group's points that it takes."""


@dataclass(frozen=True)
class Cap:
    """The most points that count for a group."""

    at_most: Fraction
    of: tuple[str, ...] = ()
    """Everything, if it is empty."""


@dataclass(frozen=True)
class Totals:
    """The rules of a course that change a total, and no check."""

    drops: tuple[Drop, ...] = ()
    bonuses: tuple[Bonus, ...] = ()
    caps: tuple[Cap, ...] = ()


def slugs_of(names: Iterable[str], slugs: Collection[str]) -> frozenset[str]:
    """Return the exercises that are meant by names of exercises and assignments; all by none.

    >>> sorted(slugs_of(["a1"], ["a1.sdpa", "a1.mask", "a2.mask"]))
    ['a1.mask', 'a1.sdpa']
    """
    meant = set(names)
    return frozenset(slug for slug in slugs if not meant or meant & {slug, slug.partition(".")[0]})


def totals_rules() -> Form[Totals]:
    """Return the form for `totals`."""
    group = listing(
        text(marked("an exercise or an assignment, such as 'a1.sums' or 'a1'"), _NAME),
        at_least_one=marked("at least one exercise"),
    )
    drop = record(
        _drop,
        lowest=required(_count(), "So many of the group are left out."),
        of=required(group, "The group."),
    )
    bonus = record(
        _bonus,
        points=required(above_zero(_NOTHING), "The points that are given."),
        of=required(group, "The group that is looked at."),
        reason=required(text(marked("a reason that students read")), "Shown in the report."),
        reaching=optional(_share(), Fraction(1), "The share of the group's points that it takes."),
    )
    cap = record(
        _cap,
        at_most=required(above_zero(_NOTHING), "The most points that count."),
        of=optional(group, (), "The group; everything, if it is left out."),
    )
    return record(
        _totals,
        drop=optional(sequence(drop), (), "Groups of which the lowest do not count."),
        bonuses=optional(sequence(bonus), (), "Points for whoever earns enough of a group."),
        caps=optional(sequence(cap), (), "The most points that count for a group."),
    )


def totals_problems(totals: Totals | None, points: Mapping[str, Fraction]) -> _Faults:
    """Yield a problem for each rule that names what is not there, or that contradicts another.

    `points` are those of each exercise.
    """
    if totals is None or not points:
        return
    kinds: dict[str, list[tuple[str, ...]]] = {
        "drop": [rule.of for rule in totals.drops],
        "bonuses": [rule.of for rule in totals.bonuses],
        "caps": [rule.of for rule in totals.caps],
    }
    for kind, groups in kinds.items():
        for place, names in enumerate(groups):
            yield from _name_problems(names, points, ("totals", kind, place))
    yield from _drop_problems(totals.drops, points)
    yield from _cap_problems(totals, points)


def _name_problems(names: tuple[str, ...], points: Mapping[str, Fraction], at: Trail) -> _Faults:
    known = dict.fromkeys(name for slug in points for name in (slug.partition(".")[0], slug))
    for index, name in enumerate(names):
        trail: Trail = (*at, "of", index)
        if name and name not in known:
            hint = did_you_mean(name, known)
            yield trail, _("unknown exercise {name}{hint}", name=quoted(name), hint=hint)
        elif (whole := name.partition(".")[0]) != name and whole in names:
            yield (
                trail,
                _(
                    "{name} is in {whole} already - delete one of them",
                    name=quoted(name),
                    whole=quoted(whole),
                ),
            )


def _drop_problems(drops: tuple[Drop, ...], points: Mapping[str, Fraction]) -> _Faults:
    taken: set[str] = set()
    for place, drop in enumerate(drops):
        at: Trail = ("totals", "drop", place)
        if drop.of and drop.lowest >= len(drop.of):
            yield (
                (*at, "lowest"),
                _(
                    "leaves out {lowest} of {count} - at least one has to count",
                    lowest=drop.lowest,
                    count=len(drop.of),
                ),
            )
        for index, name in enumerate(drop.of):
            own = slugs_of([name], points)
            if own & taken:
                again = _(
                    "{name} is in an earlier 'drop' - nothing is left out twice", name=quoted(name)
                )
                yield (*at, "of", index), again
            elif own and not sum(points[slug] for slug in own):
                nothing = _(
                    "{name} is worth no points, so nothing is lost in it - take it out",
                    name=quoted(name),
                )
                yield (*at, "of", index), nothing
        taken |= slugs_of(drop.of, points) if drop.of else frozenset()


def _cap_problems(totals: Totals, points: Mapping[str, Fraction]) -> _Faults:
    """Yield a problem where it would not be known what of a group is under a cap."""
    caps = [slugs_of(cap.of, points) for cap in totals.caps]
    drops = [slugs_of(drop.of, points) for drop in totals.drops]
    for place, own in enumerate(caps):
        trail: Trail = ("totals", "caps", place)
        if any(own & other and not other <= own for other in drops):
            yield (
                trail,
                _("holds a part of a group of 'drop' - take in all of its exercises, or none"),
            )
        before = caps[:place]
        if any(own & other and not (other <= own or own <= other) for other in before):
            yield (
                trail,
                _("shares exercises with another cap - one has to hold all of the other"),
            )


def _drop(_name: str, *, lowest: int, of: tuple[str, ...]) -> Drop:
    return Drop(lowest, of)


def _bonus(
    _name: str, *, points: Fraction, of: tuple[str, ...], reason: str, reaching: Fraction
) -> Bonus:
    return Bonus(points, of, reason, reaching)


def _cap(_name: str, *, at_most: Fraction, of: tuple[str, ...]) -> Cap:
    return Cap(at_most, of)


def _totals(
    _name: str, *, drop: tuple[Drop, ...], bonuses: tuple[Bonus, ...], caps: tuple[Cap, ...]
) -> Totals:
    return Totals(drop, bonuses, caps)


def _count() -> Form[int]:
    def read(at: Place | None) -> int:
        if at is None:
            return 1
        if not _WHOLE.fullmatch(at.text or ""):
            at.problem(_("expected a whole number above 0, got {found}", found=at.shown))
            return 1
        return int(at.text or "")

    return described(read, "a whole number above 0")


def _share() -> Form[Fraction]:
    def read(at: Place | None) -> Fraction:
        amount = amount_in(at.text or "") if at else None
        if amount is None or not amount.is_share or not 0 < amount.number <= 1:
            if at:
                message = _("expected a share up to 100%, such as 80%, got {found}", found=at.shown)
                at.problem(message)
            return Fraction(1)
        return amount.number

    return described(read, "a share up to 100%, such as 80%")
