"""Find two known mistakes in the same code: neither gives alone what a student's code gave."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, groupby, islice

from ...grade.evidence import Cause
from ..checks.check_trace import Match, match
from ..checks.checks import Check
from ..mutants.mutant_runs import MutantRuns
from ..mutants.mutants import Mutants
from .case import NEARLY, Case, Suspect, by_id, is_further_than, narrowest

Pair = tuple[Suspect, Suspect]
MOST_PAIRS = 100
"""The most pairs that are tried: each is made and run, which takes 3 to 40 ms."""
TOGETHER = 3
"""So many failing checks have to show the numbers of two mistakes, each of them rounded ones."""
BESIDE = 4
"""So many have to show one mistake's where others show a second one besides."""


class SecondMistakes:
    """Finds mistakes where a second one changes the same numbers."""

    def __init__(self, mutants: Mutants, mutant_runs: MutantRuns) -> None:
        self._mutants, self._mutant_runs = mutants, mutant_runs

    def together(self, suspects: Sequence[Suspect], case: Case) -> dict[str, tuple[Cause, ...]]:
        """Return two mistakes that give together what all failing checks saw, in numbers.

        Nothing is told where two pairs do: each of them may be chance.
        """
        proving = by_id([check for check in case.proving if not check.fresh])
        if len(proving) < TOGETHER:
            return {}
        tried = islice(_pairs(suspects, case), MOST_PAIRS)
        giving = [pair for pair in tried if self._give(pair, proving, case)]
        if len(giving) != 1:
            return {}
        (pair,) = giving
        return {
            check.id: tuple(_causes(pair, check.id, len(proving)))
            for check in by_id(case.saw_numbers)
            if not check.fresh and self._give(pair, [check], case)
        }

    def _give(self, pair: Pair, checks: Sequence[Check], case: Case) -> bool:
        first, second = pair
        both = self._mutants.both(first.mistake, second.mistake)
        if both is None:
            return False
        suspect = Suspect(both, first.fails | second.fails)
        return all(self._is_shown(suspect, check, case) for check in checks)

    def beside(self, suspects: Sequence[Suspect], case: Case) -> dict[str, tuple[Cause, ...]]:
        """Return the mistake that all failing checks of some criteria show.

        Those of other criteria show other numbers, since a second mistake lies on their way as
        well: layers in the wrong order show as such in `outputs`, and in `discard` they do so only
        if nothing is discarded wrongly besides.
        """
        tried = [(s, self._criteria_of(s, case)) for s in suspects if s.fails <= case.failed]
        most = max((len(shown) for _, shown in tried), default=0)
        best = [(s, shown) for s, shown in tried if most and len(shown) == most]
        causes = tuple(s.cause(most) for s in narrowest([s for s, _ in best]))
        return {check: causes for _, shown in best for check in shown}

    def _criteria_of(self, suspect: Suspect, case: Case) -> frozenset[str]:
        """Return the failing checks of the criteria in which all of them saw the mistake's numbers.

        It is empty if too few of them prove anything.
        """
        shown, proving = set[str](), 0
        for checks in _by_criterion(case.failing):
            if not {check.id for check in checks} <= suspect.fails:
                continue
            if all(self._is_shown(suspect, check, case) for check in checks):
                shown |= {check.id for check in checks}
                proving += sum(
                    check in case.proving and is_further_than(NEARLY, case.failing[check])
                    for check in checks
                )
        return frozenset(shown if proving >= BESIDE else ())

    def _is_shown(self, suspect: Suspect, check: Check, case: Case) -> bool:
        made = self._mutant_runs.of(suspect.mistake, check, case.digest)
        return made is not None and match(case.failing[check], made) is Match.SAME


def _pairs(suspects: Sequence[Suspect], case: Case) -> Iterator[Pair]:
    """Yield pairs in one assignment that are known to fail all checks that saw numbers.

    Neither fails what the student passes.
    """
    wrong = {check.id for check in case.saw_numbers if not check.fresh}
    own = [s for s in suspects if s.fails <= case.failed and s.mistake.stem == case.stem]
    for first, second in combinations(own, 2):
        if wrong <= first.fails | second.fails:
            yield first, second


def _causes(pair: Pair, check: str, count: int) -> Iterator[Cause]:
    """Yield the causes of a check: the mistakes of a pair that are known to fail it."""
    failing = [suspect for suspect in pair if check in suspect.fails]
    for place, suspect in enumerate(failing):
        yield suspect.cause(count, is_beside=place > 0)


def _by_criterion(checks: Collection[Check]) -> Iterator[list[Check]]:
    """Yield the checks of each criterion that see the same in every submission."""
    settled = by_id([check for check in checks if not check.fresh])
    for _, group in groupby(settled, key=lambda check: check.criterion):
        yield [*group]
