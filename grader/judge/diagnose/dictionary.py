"""Which known mistakes of the course give what a student's code gave.

A mistake fits if it reproduces what the checks of an exercise saw, those that pass included, to the
last digits that right answers have to agree in. The record of who fails what tells which ones are
worth trying: one that fails a check which the student passes is not the student's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...evidence import Cause
from ...kills import read_kills
from ...language import course_text
from ..checks import Check
from ..mistakes import Mistake, Mistakes
from ..rehearsal import AS_GRADED, Rehearsals
from ..sight import Draw, Match, Sight, has_numbers, match, numbers, telling

PROBES = 2
"""So many independent probes must tell a mistake from the right answer, and agree with it."""
AGAIN = Draw(inputs="once more")
STIRRED = Draw(stirred=True)


@dataclass(frozen=True)
class Case:
    """What the checks of one exercise saw of a submission."""

    slug: str
    stem: str
    digest: str
    failing: Mapping[Check, Sight]
    passing: Mapping[Check, Sight]
    again: Callable[[Check], Sight | None]
    """What a check sees on another draw; None if the code cannot be asked once more."""

    @property
    def failed(self) -> frozenset[str]:
        """Ids of the failing checks that see the same in every submission."""
        return frozenset(check.id for check in self.failing if not check.fresh)


@dataclass(frozen=True)
class Suspect:
    """A known mistake that may be the student's, and the checks that it is known to fail."""

    mistake: Mistake
    fails: frozenset[str]

    def cause(self, probes: int) -> Cause:
        text = course_text(self.mistake.entry.cause)
        return Cause(self.mistake.entry.id, text, probes, probes)


class Dictionary:
    """The known mistakes of a course, tried on what students wrote."""

    def __init__(
        self, root: Path, checks: Sequence[Check], mistakes: Mistakes, rehearsals: Rehearsals
    ) -> None:
        self._root, self._mistakes, self._rehearsals = root, mistakes, rehearsals
        self._checks = {check.id: check for check in checks}
        self._suspects: dict[str, tuple[Suspect, ...]] = {}

    def causes(self, case: Case, unknown: Collection[str]) -> dict[str, tuple[Cause, ...]]:
        """Check -> the causes that explain it, each as well as the others."""
        suspects = [s for s in self._of(case) if s.mistake.entry.id not in unknown]
        whole = [s for s in suspects if s.fails == case.failed]
        found = tuple(s.cause(probes) for s in whole if (probes := self._whole(s, case)))
        if not found:
            # Right where the known mistake is wrong as well, and wrong in the very same way.
            wider = [s for s in suspects if s.fails > case.failed]
            found = tuple(s.cause(len(case.failed)) for s in wider if self._gives(s, case))
        if found:
            return {check.id: found for check in case.failing}
        parts = [s for s in suspects if s.fails < case.failed and self._gives(s, case)]
        widest = [s for s in parts if not any(s.fails < other.fails for other in parts)]
        return {
            check: tuple(s.cause(len(s.fails)) for s in widest if check in s.fails)
            for check in sorted(case.failed)
            if any(check in s.fails for s in widest)
        }

    def _of(self, case: Case) -> tuple[Suspect, ...]:
        """Every mistake of the exercise that the submission may have made."""
        if case.slug not in self._suspects:
            self._suspects[case.slug] = tuple(self._read(case.slug, case.stem))
        seen = {check.id for check in (*case.failing, *case.passing)}
        return tuple(Suspect(s.mistake, s.fails & seen) for s in self._suspects[case.slug])

    def _read(self, slug: str, stem: str) -> Iterator[Suspect]:
        kills = read_kills(self._root, slug)
        firm = {check.id for check in self._checks.values() if not check.fresh and not check.alone}
        for mistake in self._mistakes.of(stem):
            if mistake.entry.id in kills:
                yield Suspect(mistake, kills[mistake.entry.id] & firm)

    # ---- one mistake for all that fails --------------------------------------------------

    def _whole(self, suspect: Suspect, case: Case) -> int:
        """How many independent probes tell the mistake and agree with it, if nothing speaks
        against it and they are enough; else 0."""
        told: list[Check] = []
        for check, sight in _in_order(case):
            made = self._rehearsals.of(suspect.mistake, check, case.digest)
            if made is None:
                return 0
            found = self._matched(suspect, check, case.digest, sight, made)
            if found is Match.OTHER:
                return 0
            if found is Match.SAME and telling(made, self._rehearsals.right(check, case.digest)):
                told.append(check)
        probes = len(told)
        for check in told:
            if probes >= PROBES:
                break
            probes += self._tells_again(suspect, check, case)
        return probes if probes >= PROBES else 0

    def _matched(
        self, suspect: Suspect, check: Check, digest: str, sight: Sight, made: Sight
    ) -> Match:
        found = match(sight, made)
        if found is Match.OTHER and sight.outcome is made.outcome:
            # Whoever draws in another order gets other numbers, and is no less wrong.
            stirred = self._rehearsals.of(suspect.mistake, check, digest, STIRRED)
            if stirred is not None and match(stirred, made) is Match.OTHER:
                return Match.UNTOLD
        return found

    def _tells_again(self, suspect: Suspect, check: Check, case: Case) -> bool:
        """Whether the mistake agrees on another draw of the check's inputs as well."""
        made = self._rehearsals.of(suspect.mistake, check, case.digest, AGAIN)
        if made is None or not made.drew:
            return False
        right = self._rehearsals.right(check, case.digest, AGAIN)
        sight = case.again(check) if telling(made, right) else None
        return sight is not None and match(sight, made) is Match.SAME

    # ---- a share -------------------------------------------------------------------------

    def _gives(self, suspect: Suspect, case: Case) -> bool:
        """Whether the mistake gives exactly what all failing checks saw that it is known to fail,
        in numbers."""
        checks = [check for check in _by_id(case.failing) if check.id in suspect.fails]
        # Where nothing but an exception was seen, no mistake needs to be rehearsed.
        if sum(has_numbers(case.failing[check]) for check in checks) < PROBES:
            return False
        probes = 0
        for check in checks:
            made = self._rehearsals.of(suspect.mistake, check, case.digest, AS_GRADED)
            if made is None or match(case.failing[check], made) is not Match.SAME:
                return False
            probes += numbers(made, self._rehearsals.right(check, case.digest))
        return probes >= PROBES


def _in_order(case: Case) -> Iterator[tuple[Check, Sight]]:
    """What is most likely to differ first; what cannot be remembered last."""
    checks = [*_by_id(case.failing), *_by_id(case.passing)]
    for check in sorted(checks, key=lambda check: check.fresh):
        yield check, case.failing.get(check) or case.passing[check]


def _by_id(checks: Mapping[Check, Sight]) -> list[Check]:
    return sorted(checks, key=lambda check: check.id)
