"""Tell from the course's records which known mistakes cannot explain what failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ...course.kill_record import read_kills
from ...course.rubric import POLICY
from ..checks.checks import Check
from .mutants import KnownMistake
from .recorded_runs import RecordedRuns


class KillRecords:
    """The checks that each known mistake of an exercise fails, by the exercise's slug.

    Only checks count that see the same in every submission, and in any process.
    """

    def __init__(
        self, root: Path, checks: Sequence[Check], recorded: RecordedRuns | None = None
    ) -> None:
        """Read nothing yet. `recorded`: what a kit knows in place of the course's records."""
        self._source = partial(read_kills, root) if recorded is None else recorded.fails
        self._firm = {check.id for check in checks if is_firm(check)}
        self._whole: dict[str, Mapping[str, frozenset[str]]] = {}
        self._read: dict[str, Mapping[str, frozenset[str]]] = {}
        self._using_what_is_banned: dict[str, frozenset[str]] = {}

    def of(self, slug: str) -> Mapping[str, frozenset[str]]:
        """Return, for each wrong answer on record, the ids of the checks that it fails."""
        if slug not in self._read:
            kills = self._kills(slug)
            self._read[slug] = {id: failed & self._firm for id, failed in kills.items()}
        return self._read[slug]

    def passes(self, mistake: KnownMistake, check: Check) -> bool:
        """Tell whether the mistake passes a check, on record: on the draws of one submission."""
        kills = self._kills(check.exercise.slug)
        return mistake.entry.id in kills and check.id not in kills[mistake.entry.id]

    def using_what_is_banned(self, slug: str) -> frozenset[str]:
        """Return the wrong answers that name what the exercise bans."""
        if slug not in self._using_what_is_banned:
            rule = rule_against_names(slug)
            kills = self._kills(slug)
            named = frozenset(id for id, failed in kills.items() if rule in failed)
            self._using_what_is_banned[slug] = named
        return self._using_what_is_banned[slug]

    def _kills(self, slug: str) -> Mapping[str, frozenset[str]]:
        if slug not in self._whole:
            self._whole[slug] = self._source(slug)
        return self._whole[slug]

    def rules_out(self, mistake: KnownMistake, failing: Iterable[Check]) -> bool:
        """Decide whether the mistake passes one of these failing checks of one exercise.

        It is then not what failed there, and need not be run. False if the exercise has no record
        of this mistake.
        """
        return any(
            check.exercise.assignment == mistake.stem
            and mistake.entry.id in (kills := self.of(check.exercise.slug))
            and check.id not in kills[mistake.entry.id]
            for check in failing
            if is_firm(check)
        )


def rule_against_names(slug: str) -> str:
    """Return the id of the check that what an exercise bans is not named."""
    return f"{slug}/{POLICY}/banned"


def is_firm(check: Check) -> bool:
    """Decide whether a check sees the same in every submission, and in any process."""
    return not check.fresh and not check.alone
