"""Read from a graded class what its checks are worth: too hard, idle, alone in a verdict, slow.

Pure: records in, counts out. Nothing is said about fewer than `ENOUGH` submissions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import median
from typing import Any

from grader.course.rubric import POLICY
from grader.grade.evidence import OBSERVED, Outcome
from grader.grade.score import EARNS, MAY_BE_AN_ECHO
from grader.store.store import Record

ENOUGH = 5
"""The fewest submissions that anything is said about."""
NEARLY_ALL = Fraction(9, 10)
_SLOWEST = 5
"""The number of checks that are called the slowest."""


@dataclass(frozen=True)
class CheckCount:
    """The number of submissions that failed a check, of those whose own work it judged."""

    check: str
    """`slug/criterion/test`."""
    title: str
    failed: int
    of: int


@dataclass(frozen=True)
class SoleCheck:
    """A check that alone decided about a criterion, and for how many of those who lost it."""

    check: str
    title: str
    alone: int
    of: int
    checks: int
    """The number of checks that the criterion has."""


@dataclass(frozen=True)
class CheckTime:
    """The time that a check took, over all submissions."""

    check: str
    total_ms: float
    median_ms: float
    share: float
    """Its part of the time of all checks, from 0 to 1."""
    of: int


@dataclass(frozen=True)
class DryRun:
    """The findings of a class of earlier submissions about the checks of a course."""

    submissions: int
    graded: int
    """The number of submissions that could be read and graded."""
    unread: tuple[str, ...] = ()
    """Students whose submission could not be graded at all."""
    unchecked: tuple[str, ...] = ()
    """Students with a check that could not be made."""
    wrong: int = 0
    """The number of submissions with a wrong answer."""
    unnamed: tuple[str, ...] = ()
    """Those of them in which no known mistake was named."""
    nearly_all_fail: tuple[CheckCount, ...] = ()
    nobody_fails: tuple[CheckCount, ...] = ()
    sole: tuple[SoleCheck, ...] = ()
    slowest: tuple[CheckTime, ...] = ()
    checks: int = 0
    rare_checks: int = 0
    """The number of checks that judged too few submissions."""
    rare_losses: int = 0
    """The number of criteria that too few submissions lost."""

    @property
    def is_enough(self) -> bool:
        return self.graded >= ENOUGH


@dataclass
class _Tally:
    """One check over a class."""

    title: str = ""
    judged: int = 0
    failed: int = 0
    caught: int = 0
    """Failures, with those that were blocked or carried."""


@dataclass
class _Loss:
    """One criterion over those who lost it."""

    checks: int = 0
    of: int = 0
    alone: Counter[str] = field(default_factory=Counter)


def dry_run(records: Iterable[Record]) -> DryRun:
    """Return what the records of a class say about the checks.

    If fewer than `ENOUGH` were graded, that is all it says.
    """
    known = tuple(records)
    graded = tuple(record for record in known if "problem" not in record)
    if len(graded) < ENOUGH:
        return DryRun(len(known), len(graded))
    tallies, losses = _tallies(graded), _losses(graded)
    judged = {check: one for check, one in tallies.items() if one.judged >= ENOUGH}
    wrong = [record for record in graded if _wrong(record)]
    return DryRun(
        len(known),
        len(graded),
        unread=_ids(record for record in known if "problem" in record),
        unchecked=_ids(record for record in graded if _is_unchecked(record)),
        wrong=len(wrong),
        unnamed=_ids(record for record in wrong if not any(map(_is_named, _wrong(record)))),
        nearly_all_fail=tuple(
            _count(check, one)
            for check, one in judged.items()
            if one.failed >= NEARLY_ALL * one.judged
        ),
        nobody_fails=tuple(
            _count(check, one)
            for check, one in judged.items()
            if not one.caught and _criterion(check)[1] != POLICY
        ),
        sole=tuple(_sole(losses, tallies)),
        slowest=_slowest(graded),
        checks=len(tallies),
        rare_checks=len(tallies) - len(judged),
        rare_losses=sum(0 < one.of < ENOUGH for one in losses.values()),
    )


def _ids(records: Iterable[Record]) -> tuple[str, ...]:
    return tuple(sorted(record["submission"]["id"] for record in records))


def _checks(record: Record) -> Iterator[Mapping[str, Any]]:
    for exercise in record["exercises"]:
        yield from exercise["checks"]


def _criterion(check: str) -> tuple[str, str]:
    slug, name, _test = check.split("/", 2)
    return slug, name


def _tallies(records: Iterable[Record]) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    for record in records:
        for check in _checks(record):
            outcome, tally = Outcome(check["outcome"]), tallies[check["check"]]
            tally.title = check["title"]
            tally.judged += outcome is Outcome.PASSED or outcome in MAY_BE_AN_ECHO
            tally.failed += outcome in MAY_BE_AN_ECHO
            tally.caught += outcome in (*MAY_BE_AN_ECHO, Outcome.CARRIED, Outcome.BLOCKED)
    return dict(tallies)


def _count(check: str, tally: _Tally) -> CheckCount:
    return CheckCount(check, tally.title, tally.failed, tally.judged)


def _losses(records: Iterable[Record]) -> dict[tuple[str, str], _Loss]:
    """Count by criterion who lost it by a failure, and which check did that alone."""
    losses: dict[tuple[str, str], _Loss] = defaultdict(_Loss)
    for record in records:
        by_criterion: dict[tuple[str, str], dict[str, Outcome]] = defaultdict(dict)
        for check in _checks(record):
            by_criterion[_criterion(check["check"])][check["check"]] = Outcome(check["outcome"])
        for criterion, outcomes in by_criterion.items():
            _take_in(losses[criterion], outcomes)
    return dict(losses)


def _take_in(loss: _Loss, outcomes: Mapping[str, Outcome]) -> None:
    loss.checks = max(loss.checks, len(outcomes))
    lost = [check for check, outcome in outcomes.items() if outcome not in EARNS]
    if Outcome.COULD_NOT_CHECK in outcomes.values():
        return
    if any(outcomes[check] in MAY_BE_AN_ECHO for check in lost):
        loss.of += 1
        loss.alone.update(lost if len(lost) == 1 else ())


def _sole(
    losses: Mapping[tuple[str, str], _Loss], tallies: Mapping[str, _Tally]
) -> Iterator[SoleCheck]:
    for (_slug, name), loss in losses.items():
        for check, alone in loss.alone.items():
            # The checks of `policy` are the grader's own.
            if loss.of >= ENOUGH and alone >= NEARLY_ALL * loss.of and name != POLICY:
                yield SoleCheck(check, tallies[check].title, alone, loss.of, loss.checks)


def _slowest(records: Iterable[Record]) -> tuple[CheckTime, ...]:
    times: dict[str, list[float]] = defaultdict(list)
    for record in records:
        for check, taken_ms in record["timings"]["checks_ms"].items():
            times[check].append(taken_ms)
    all_ms = sum(sum(taken) for taken in times.values())
    known = (
        CheckTime(check, sum(taken), median(taken), sum(taken) / all_ms, len(taken))
        for check, taken in times.items()
        if len(taken) >= ENOUGH and any(taken)
    )
    return tuple(sorted(known, key=lambda one: (-one.total_ms, one.check))[:_SLOWEST])


def _is_unchecked(record: Record) -> bool:
    return any(check["outcome"] == Outcome.COULD_NOT_CHECK for check in _checks(record))


def _wrong(record: Record) -> list[Mapping[str, Any]]:
    """Return the checks that a wrong answer failed; an exception speaks for itself."""
    return [
        check
        for check in _checks(record)
        if check["outcome"] == Outcome.FAILED and _criterion(check["check"])[1] != POLICY
    ]


def _is_named(check: Mapping[str, Any]) -> bool:
    """Tell whether a known mistake was named, and not only what was seen of it."""
    causes = (check["cause"], *check["also"])
    return any(one is not None and one["id"].partition(".")[0] not in OBSERVED for one in causes)
