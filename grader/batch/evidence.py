"""Lay out the evidence for the points that a student lost, from the record that counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grader.grade.evidence import Outcome, Tried, Where
from grader.grade.score import EARNS
from grader.report.tried import tried_in_words
from grader.store.store import Record


@dataclass(frozen=True)
class NamedCause:
    """A known mistake that explains a failing check."""

    id: str
    text: str
    fits: int
    """How many of the `of` probes give the student's own numbers."""
    of: int


@dataclass(frozen=True)
class LostCheck:
    """A check that earned nothing, and all that is known about it."""

    name: str
    title: str
    outcome: Outcome
    facts: tuple[tuple[str, str], ...]
    """Pairs of a label and a text, such as ("observed", "shape (2, 3)")."""
    causes: tuple[NamedCause, ...] = ()


@dataclass(frozen=True)
class Loss:
    """A criterion that did not earn all its points, and the checks that say why."""

    name: str
    """`slug/criterion`."""
    points: Fraction | None
    """None if it could not be checked."""
    max_points: Fraction
    checks: tuple[LostCheck, ...]


def losses(record: Record, slug: str | None = None) -> tuple[Loss, ...]:
    """Return what a student lost, in one exercise or in all, in the order of the record."""
    return tuple(
        loss
        for exercise in record["exercises"]
        if slug in (None, exercise["slug"])
        for loss in _losses_in(exercise)
    )


def checks_by_cause(lost: Iterable[Loss]) -> Mapping[NamedCause, tuple[str, ...]]:
    """Map each mistake to the criteria of the checks that it explains, one for each check.

    The mistake that explains most comes first; how well it fits a single check is left out.
    """
    by_id: dict[str, NamedCause] = {}
    criteria: dict[str, list[str]] = defaultdict(list)
    for loss in lost:
        for check in loss.checks:
            for cause in check.causes:
                by_id.setdefault(cause.id, cause)
                criteria[cause.id].append(loss.name)
    most_first = sorted(by_id, key=lambda id: -len(criteria[id]))
    return {by_id[id]: tuple(criteria[id]) for id in most_first}


def _losses_in(exercise: Mapping[str, Any]) -> Iterator[Loss]:
    for criterion in exercise["criteria"]:
        name = f"{exercise['slug']}/{criterion['name']}"
        points = None if criterion["points"] is None else Fraction(criterion["points"])
        most = Fraction(criterion["max_points"])
        if points != most:
            own = (one for one in exercise["checks"] if one["check"].startswith(f"{name}/"))
            lost = tuple(_lost(one) for one in own if Outcome(one["outcome"]) not in EARNS)
            yield Loss(name, points, most, lost)


def _lost(check: Mapping[str, Any]) -> LostCheck:
    return LostCheck(
        check["check"].split("/", 2)[2],
        check["title"],
        Outcome(check["outcome"]),
        tuple(_facts(check)),
        tuple(
            NamedCause(one["id"], one["text"], one["fits"], one["of"])
            for one in (check["cause"], *check["also"])
            if one is not None
        ),
    )


def _facts(check: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for label in ("observed", "expected"):
        if check[label]:
            yield label, check[label]
    if check["where"]:
        yield "where", str(Where(**check["where"]))
    for note in check["notes"]:
        yield "note", note
    if "finding" in check:
        yield "before it was blocked", f"{check['finding']['outcome']}"
    if check.get("tried"):
        yield "tried and refused", tried_in_words(Tried(check["tried"]))
    if check.get("staff"):
        yield "for staff", check["staff"]
