"""Decide an appeal by what the same code did when it was graded again. Pure: nothing runs here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.batch.appeal_file import Appeal
from grader.batch.discovery import BatchError
from grader.batch.ruling import Ruling
from grader.grade.evidence import Outcome
from grader.grade.score import EARNS
from grader.store.store import Record
from grader.text.problem import did_you_mean, quoted

NOT_THERE = "no check"
"""Stands for the outcome of a check that a replay did not make."""


@dataclass(frozen=True)
class ReplayedCheck:
    """A check that had earned nothing, and its outcome each time that the code ran again."""

    check: str
    before: str
    again: tuple[str, ...]

    @property
    def ruling(self) -> Ruling:
        """Return what this check alone says: only the same each time says anything."""
        known = {outcome for outcome in self.again}
        if not known or known & {NOT_THERE, Outcome.COULD_NOT_CHECK}:
            return Ruling.CANNOT_TELL
        earning = {outcome in EARNS for outcome in known}
        if len(earning) > 1:
            return Ruling.CANNOT_TELL
        return Ruling.STANDS if earning == {True} else Ruling.FALLS


def lost_checks(appeal: Appeal, record: Record) -> Mapping[str, str]:
    """Return the checks that a claim is on and that earned nothing, with their outcomes.

    Raises BatchError where there is no such check, or nothing was lost.
    """
    outcomes = _outcomes(record)
    about = {check: one for check, one in outcomes.items() if appeal.is_about(check)}
    if not about:
        criteria = dict.fromkeys(check.rpartition("/")[0] for check in outcomes)
        hint = did_you_mean(appeal.check, [*criteria, *outcomes])
        raise BatchError(
            f"check: nothing of {quoted(appeal.check)} was graded for {appeal.student}{hint}"
        )
    lost = {check: one for check, one in about.items() if one not in EARNS}
    if not lost:
        raise BatchError(f"{appeal.student} has lost nothing in {appeal.check}: nothing to appeal")
    return lost


def replayed(lost: Mapping[str, str], replays: Iterable[Record]) -> tuple[ReplayedCheck, ...]:
    """Return each check that was lost with its outcome in each record of a replay."""
    outcomes = [_outcomes(one) for one in replays]
    return tuple(
        ReplayedCheck(check, before, tuple(one.get(check, NOT_THERE) for one in outcomes))
        for check, before in lost.items()
    )


def ruling_of(checks: Iterable[ReplayedCheck]) -> Ruling:
    """Return the answer for several checks: one that is not clear makes all unclear."""
    counts = Counter(one.ruling for one in checks)
    for ruling in (Ruling.CANNOT_TELL, Ruling.STANDS):
        if counts[ruling]:
            return ruling
    return Ruling.FALLS if counts else Ruling.CANNOT_TELL


def _outcomes(record: Mapping[str, Any]) -> dict[str, str]:
    return {
        check["check"]: check["outcome"]
        for exercise in record.get("exercises", ())
        for check in exercise["checks"]
    }
