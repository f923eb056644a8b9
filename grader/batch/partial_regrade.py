"""Run again only those exercises of a submission on which changed suites can have an effect.

An exercise depends on those whose functions it calls (`follow_through` in the rubric), and on no
others: what is wrong there may be carried, blocked, or replaced by something right. So a changed
suite has an effect on its exercise and on all that call it, directly or not. These run again, and
with them all that they call, since what those showed is in no record. The other results stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.course.rubric import Exercise, Rubric
from grader.grade.evidence import Outcome
from grader.store.rescoring import rescored
from grader.store.store import Record

_UNSETTLED = frozenset({Outcome.COULD_NOT_CHECK, Outcome.TIMED_OUT})


@dataclass(frozen=True)
class PartialRun:
    """The exercises of a submission that run again after a change of suites, and what for."""

    again: frozenset[str]
    """The exercises whose results may be others now."""
    run: tuple[str, ...]
    """Those that run: these, and all that they call."""


def partial_run(changed: Collection[str], rubric: Rubric, graded: Iterable[str]) -> PartialRun:
    """Return what has to run where the suites of these exercises have changed."""
    slugs = tuple(graded)
    calls = {slug: _called(rubric.exercises[slug]) for slug in slugs}
    again = frozenset(slug for slug in slugs if _reached([slug], calls) & set(changed))
    needed = _reached(again, calls)
    return PartialRun(again, tuple(slug for slug in slugs if slug in needed))


def _called(exercise: Exercise) -> frozenset[str]:
    return frozenset(exercise.follow_through.calls.values())


def _reached(slugs: Iterable[str], calls: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return exercises with all that they call, directly or not, among those that are graded."""
    reached: set[str] = set()
    fresh = frozenset(slugs)
    while fresh:
        reached |= fresh
        called = frozenset[str]().union(*(calls[slug] for slug in fresh))
        fresh = frozenset(called & calls.keys()) - reached
    return frozenset(reached)


def can_be_joined(record: Record) -> bool:
    """Tell whether a record is one of a submission of which everything is known by exercise.

    Notes and flags are about a submission as a whole. What timed out or was refused may hang on
    what ran before it.
    """
    return not (record["notes"] or record.get("flags")) and all(
        Outcome(check["outcome"]) not in _UNSETTLED and not check.get("tried")
        for exercise in record["exercises"]
        for check in exercise["checks"]
    )


def joined(kept: Record, fresh: Record, part: PartialRun, rubric: Rubric) -> Record | None:
    """Return a record with the fresh results of `part.again`, and all others as they were kept.

    Scored by the rubric of now. None if the two do not fit together, so that everything has to run:
    the same code was not seen to do the same, or a file was chosen by other reasons.
    """
    if not (can_be_joined(kept) and can_be_joined(fresh)) or _tier(kept) != _tier(fresh):
        return None
    chosen = kept["submission"]["entries"]
    if any(chosen.get(stem) != file for stem, file in fresh["submission"]["entries"].items()):
        return None
    new = {exercise["slug"]: exercise for exercise in fresh["exercises"]}
    before = {exercise["slug"]: exercise for exercise in kept["exercises"]}
    if new.keys() != set(part.run) or not new.keys() <= before.keys():
        return None
    if any(_seen(new[slug]) != _seen(before[slug]) for slug in new.keys() - part.again):
        return None
    exercises = [new[slug] if slug in part.again else one for slug, one in before.items()]
    checks_ms = {**kept["timings"]["checks_ms"], **fresh["timings"]["checks_ms"]}
    timings = {**fresh["timings"], "checks_ms": checks_ms}
    return rescored({**kept, "exercises": exercises, "timings": timings}, rubric)


def _tier(record: Record) -> Any:
    return record["isolation"]["tier"]


def _seen(exercise: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return what the checks of an exercise saw, whatever the rubric made of it."""
    return [
        (
            check["check"],
            (finding := check.get("finding", check))["outcome"],
            finding["observed"],
            check["cause"],
        )
        for check in exercise["checks"]
    ]
