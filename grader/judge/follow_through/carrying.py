"""Decide whether one known mistake explains what failed in two exercises.

Only numbers decide, and only numbers that nobody arrives at by chance. An exception does not count:
anybody can choose its name, and code that only raises would earn points for what it did not do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ..checks.check_trace import CheckTrace, Match, has_wrong_numbers, match, same
from ..checks.checks import Check
from ..mutants.mutant_runs import AGAIN, PROBES, MutantRuns
from ..mutants.mutants import KnownMistake


@dataclass(frozen=True)
class ExerciseFailures:
    """The failing checks of one exercise."""

    traces: Mapping[Check, CheckTrace]
    digest: str
    again: Callable[[Check], CheckTrace]
    """Runs a check on the same code with another draw of inputs."""


class Exclusion(Protocol):
    """Interface: know of mistakes that cannot explain what failed, without running them."""

    def rules_out(self, mistake: KnownMistake, failing: Iterable[Check]) -> bool:
        """Decide whether the mistake passes one of these failing checks of one exercise."""


class RepeatedMistakes:
    """Looks for a mistake that was made twice."""

    def __init__(self, mutant_runs: MutantRuns, *exclusions: Exclusion) -> None:
        self._mutant_runs, self._exclusions = mutant_runs, exclusions

    def made_twice(
        self,
        pairs: Iterable[tuple[KnownMistake, KnownMistake]],
        earlier: ExerciseFailures,
        later: ExerciseFailures,
    ) -> KnownMistake | None:
        """Return the later mistake of the first pair that explains both exercises, or None.

        Each mistake of a pair must explain its own exercise.
        """
        if not later.traces or not earlier.traces:
            return None
        for first, second in pairs:
            # Looking something up takes microseconds; a mistake is run in milliseconds a check.
            if self._is_ruled_out(first, earlier) or self._is_ruled_out(second, later):
                continue
            if self._explains(second, later) and self._explains(first, earlier):
                return second
        return None

    def _is_ruled_out(self, mistake: KnownMistake, failures: ExerciseFailures) -> bool:
        return any(one.rules_out(mistake, failures.traces) for one in self._exclusions)

    def _explains(self, mistake: KnownMistake, failures: ExerciseFailures) -> bool:
        """Decide whether the mistake gives all that the checks saw, with enough wrong numbers.

        Wrong numbers must be seen by at least `PROBES` independent probes.
        """
        distinguishing = []
        # What a mistake gives in a fresh check can't be remembered: asked last, and so hardly ever.
        for check in sorted(failures.traces, key=lambda check: check.fresh):
            made = self._mutant_runs.of(mistake, check, failures.digest)
            trace = failures.traces[check]
            if (
                made is None
                or made.outcome is not trace.outcome
                or not same(trace.compared, made.compared)
            ):
                return False
            if has_wrong_numbers(made, self._mutant_runs.right(check, failures.digest)):
                distinguishing.append(check)
        probes = len(distinguishing)
        for check in distinguishing:
            if probes >= PROBES:
                break
            probes += self._reproduces_again(mistake, check, failures)
        return probes >= PROBES

    def _reproduces_again(
        self, mistake: KnownMistake, check: Check, failures: ExerciseFailures
    ) -> bool:
        """Decide whether the mistake gives the same wrong numbers on another draw of the inputs."""
        made = self._mutant_runs.of(mistake, check, failures.digest, AGAIN)
        if made is None or not made.drew:
            return False
        if not has_wrong_numbers(made, self._mutant_runs.right(check, failures.digest, AGAIN)):
            return False
        return match(failures.again(check), made) is Match.SAME
