"""Sort the checks that did not pass into the order and the groups that suit a reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from grader.course.rubric import POLICY
from grader.grade.evidence import Observation, Outcome
from grader.report.cleaning import one_line
from grader.report.content import LOST, ExerciseReport
from grader.text.language import _, joined, ngettext


@dataclass(frozen=True)
class Alike:
    """Checks that a reader cannot tell apart: `count` checks like `seen`."""

    seen: Observation
    count: int = 1


@dataclass(frozen=True)
class Findings:
    """The checks of one exercise that did not pass, each in exactly one place."""

    first: Observation | None
    """The check to mend first: shown in full. None if there is nothing to mend here."""
    echoes: tuple[Alike, ...]
    """The same check on other values, or the same words at the same place: likely one cause."""
    others: tuple[Alike, ...]
    waiting: tuple[Alike, ...]
    """Blocked checks, grouped by criterion and by the criteria they wait for."""

    def __bool__(self) -> bool:
        return self.first is not None or bool(self.waiting)


def findings(part: ExerciseReport) -> Findings:
    """Sort the checks of an exercise that did not pass."""
    unhappy = [seen for seen in part.observations if seen.outcome is not Outcome.PASSED]
    waiting = [seen for seen in unhappy if seen.outcome is Outcome.BLOCKED]
    open_ = [seen for seen in unhappy if seen.outcome is not Outcome.BLOCKED]
    first = _first(part, open_)
    rest = [seen for seen in open_ if seen is not first]
    echoes = [seen for seen in rest if first is not None and _is_echo(seen, first)]
    others = [seen for seen in rest if seen not in echoes]
    return Findings(
        first=first,
        echoes=_grouped(echoes, lambda seen: seen.criterion),
        others=_grouped(others, _face),
        waiting=_grouped(waiting, lambda seen: (seen.criterion, seen.observed)),
    )


def _first(part: ExerciseReport, open_: list[Observation]) -> Observation | None:
    """Return the check that teaches most: a broken rule, one with a known mistake, the dearest.

    Of those that cost as much, it is the one that stands first in the rubric.
    """
    lost = {one.criterion: one.max_points - (one.points or 0) for one in part.grade.criteria}
    mendable = [seen for seen in open_ if seen.outcome in LOST]
    return min(
        mendable,
        key=lambda seen: (
            seen.criterion != POLICY,  # what is forbidden may explain all that follows
            seen.cause is None or seen.cause.is_observation,
            -lost.get(seen.criterion, 0),
        ),
        default=next(iter(open_), None),
    )


def tally(groups: Iterable[Alike]) -> str:
    """Say how many checks there are, in all and by criterion.

    >>> masking = Observation("a/masking/one", "", Outcome.FAILED)
    >>> state = Observation("a/state/one", "", Outcome.FAILED)
    >>> tally([Alike(masking, 2), Alike(state)])
    '3 more checks: 2 in masking, 1 in state'
    """
    counts: Counter[str] = Counter()
    for group in groups:
        counts[group.seen.criterion] += group.count
    if len(counts) == 1:
        return ngettext(
            "1 more check in {criterion}",
            "{count} more checks in {criterion}",
            counts.total(),
            criterion=next(iter(counts)),
        )
    places = ", ".join(
        _("{count} in {criterion}", count=count, criterion=criterion)
        for criterion, count in counts.items()
    )
    return ngettext(
        "1 more check: {places}", "{count} more checks: {places}", counts.total(), places=places
    )


def waits(group: Alike) -> str:
    """Say in words which criteria a blocked criterion waits for.

    >>> waits(Alike(Observation("a/one/x", "", Outcome.FAILED).blocked_by(["a/two"])))
    'one needs two to pass first'
    """
    seen = group.seen
    others = joined(name.removeprefix(f"{seen.exercise}/") for name in seen.needs)
    message = _("{one} needs {others} to pass first", one=seen.criterion, others=others)
    return one_line(message)


def _is_echo(seen: Observation, first: Observation) -> bool:
    if _face(seen) == _face(first):
        return True
    return bool(seen.observed) and _ending(seen) == _ending(first)


def _face(seen: Observation) -> Hashable:
    """Return the facts that a line about a check shows, and what tells its cause from another."""
    return seen.title, seen.criterion, seen.outcome, seen.cause.id if seen.cause else None


def _ending(seen: Observation) -> Hashable:
    if seen.outcome is Outcome.TIMED_OUT and seen.where is not None:
        return seen.outcome, seen.where  # the first says for how long it was waited for
    return seen.outcome, seen.observed, seen.where, seen.cause


def _grouped(
    seen: Iterable[Observation], key: Callable[[Observation], Hashable]
) -> tuple[Alike, ...]:
    """Make one group for each key, in the order in which the keys first appear."""
    groups: dict[Hashable, list[Observation]] = {}
    for one in seen:
        groups.setdefault(key(one), []).append(one)
    return tuple(Alike(alike[0], len(alike)) for alike in groups.values())
