"""Find the course's known mistakes that give what a student's code gave.

A mistake fits if it reproduces what the checks of an exercise saw, including those that pass, to
the last digits in which right answers have to agree. The record of which mistake fails which check
tells which ones are worth trying: a mistake that fails a check which the student passes is not the
student's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from ...grade.evidence import Cause
from ..checks.check_trace import (
    CheckTrace,
    Draw,
    Match,
    ended_alike,
    has_other_layout,
    has_other_numbers,
    has_wrong_numbers,
    is_other_in_kind_alone,
    is_proof_alone,
    is_same_but_for_ones,
    is_same_where_finite,
    match,
    raised_a_name,
    raised_alike,
    shows_something,
)
from ..checks.checks import Check
from ..mutants.kill_records import KillRecords
from ..mutants.mutant_runs import AGAIN, AS_GRADED, FURTHER, PROBES, MutantRuns
from ..mutants.mutants import Mutants
from .case import NEARLY, Case, Suspect, by_id, is_further_than, narrowest
from .raised import may_mean_the_same, raised_kind, raised_the_same
from .second_mistakes import SecondMistakes

RESEEDED = Draw(reseeded=True)
NOT_FAR = 1e-3
"""Where numbers are added up or divided by small ones, that difference grows to about this. Such a
check is no evidence for or against a mistake that others show nearly to the last digits."""
BESIDE_ANOTHER = 4
"""One failing check may show other numbers if so many show the mistake's: on its inputs an eps
counts, or a gradient runs through a maximum that cancels in right code."""
ENOUGH = 6
"""With so many failing checks that show a mistake's numbers, one on new draws adds nothing."""
MOST_OTHERS = 2
FOR_EACH_OTHER = 3
"""A second one may if there are so many for each: the mistake itself has several ways to treat a
special case, such as a text without an answer in a mean of means."""
SPARED = 2
"""So many failing checks have to show a mistake's numbers for each that the student passes and the
mistake fails. Whoever passes more has made something else that looks like it in a few checks."""
MOSTLY = 3
"""So many failing checks have to show a mistake's numbers for each that shows others, and so many
in all."""
ENDED_ALIKE = 3
"""So many checks that end in exceptions of one kind are no chance, if nothing else fails. Sizes
that do not fit are told in other words where the code is another."""


@dataclass(frozen=True)
class MistakeMatch:
    """The agreement of a mistake with what the checks of a submission saw."""

    probes: int
    """So many independent ones agree with the mistake and not with the right answer."""
    is_complete: bool
    """True if there is no check whose numbers could not be compared."""


class Dictionary:
    """The known mistakes of a course, tried on what students wrote."""

    def __init__(
        self, mutants: Mutants, mutant_runs: MutantRuns, kill_records: KillRecords
    ) -> None:
        self._mutants, self._mutant_runs, self._records = mutants, mutant_runs, kill_records
        self._second = SecondMistakes(mutants, mutant_runs)
        self._suspects: dict[str, tuple[Suspect, ...]] = {}

    def causes(self, case: Case, unknown: Collection[str]) -> dict[str, tuple[Cause, ...]]:
        """Return, for each check, the causes that explain it, all equally well."""
        suspects = [s for s in self._of(case) if s.mistake.entry.id not in unknown]
        whole = [s for s in suspects if s.fails == case.failed]
        named = self._named(whole, case) or self._named(whole, case, NEARLY)
        if not named:
            # Right where the known mistake is wrong as well, and wrong in the very same way.
            wider = [s for s in suspects if s.fails > case.failed and _spares_few(s, case)]
            gives = [s for s in wider if self._gives(s, case, has_wrong_numbers)]
            # What a mistake does besides, and the student's code does not, is none of theirs.
            named = tuple(s.cause(len(case.failed)) for s in narrowest(gives))
        if named:
            return {check.id: named for check in case.failing}
        parts = self._parts(suspects, case) or self._parts(suspects, case, NEARLY)
        parts = parts or self._mostly(suspects, case)
        return parts or self._second.together(suspects, case) or self._second.beside(suspects, case)

    def _named(
        self, suspects: Sequence[Suspect], case: Case, room: float = 0.0
    ) -> tuple[Cause, ...]:
        """Return the mistakes that explain all.

        One that every check could be compared with leaves no room for those of which some checks
        say nothing, since their names and shapes are others than the student's.
        """
        tried = [(suspect, self._whole(suspect, case, room)) for suspect in suspects]
        agreeing = [(suspect, result) for suspect, result in tried if result is not None]
        compared = [each for each in agreeing if each[1].is_complete]
        return tuple(suspect.cause(result.probes) for suspect, result in compared or agreeing)

    def _parts(
        self, suspects: Sequence[Suspect], case: Case, room: float = 0.0
    ) -> dict[str, tuple[Cause, ...]]:
        """Return the causes of some failing checks: two mistakes at once, each at its own.

        Numbers of failing checks may differ by `room`.
        """
        raising = [s for s in suspects if s.fails <= case.failed and self._raises(s, case)]
        raised = frozenset[str]().union(*(s.fails for s in raising))
        narrower = [s for s in suspects if s.fails < case.failed and s not in raising]
        gives = [s for s in narrower if self._gives(s, case, beside=raised, room=room)]
        parts = [(s, s.fails) for s in raising] + [(s, s.fails - raised) for s in gives]
        # Of two that explain the same, one may have to fail more besides, which nothing shows.
        best = [
            (s, own)
            for s, own in parts
            if not any(
                own < other or (own == other and len(o.fails) < len(s.fails)) for o, other in parts
            )
        ]
        return {
            check: tuple(s.cause(len(own)) for s, own in best if check in own)
            for check in sorted(case.failed)
            if any(check in own for _, own in best)
        }

    def _mostly(self, suspects: Sequence[Suspect], case: Case) -> dict[str, tuple[Cause, ...]]:
        """Return the mistake that most failing checks show, beside special cases of another kind.

        Whoever makes a known mistake may treat a row without any key, a half precision or an
        empty cache in another way than the known code: those few checks show other numbers.
        """
        tried = [(s, self._shown_by(s, case)) for s in suspects if _may_be_mostly(s, case)]
        most = max((len(shown) for _, shown in tried), default=0)
        best = [(s, shown) for s, shown in tried if most and len(shown) == most]
        causes = tuple(s.cause(most) for s in narrowest([s for s, _ in best]))
        return {check: causes for _, shown in best for check in shown}

    def _shown_by(self, suspect: Suspect, case: Case) -> frozenset[str]:
        """Return the failing checks that saw the mistake's numbers; empty if they are too few."""
        room = len(case.failed) // (MOSTLY + 1)  # so many may have seen others
        shown, others, rounded = set(), 0, 0
        for check in by_id(case.failing):
            if check.fresh:
                continue
            made = self._mutant_runs.of(suspect.mistake, check, case.digest)
            trace = case.failing[check]
            result = Match.OTHER
            if made is not None:
                result = self._matched(suspect, check, case.digest, trace, made, NEARLY)
            if result is Match.SAME:
                shown.add(check.id)
                rounded += check in case.proving and is_further_than(NEARLY, trace)
            others += result is Match.OTHER
            if others > room:
                return frozenset()
        enough = rounded >= PROBES and len(shown) >= max(MOSTLY, MOSTLY * others)
        return frozenset(shown) if enough else frozenset()

    def _of(self, case: Case) -> tuple[Suspect, ...]:
        """Return every mistake of the exercise that the submission may have made."""
        if case.slug not in self._suspects:
            self._suspects[case.slug] = tuple(self._read(case.slug, case.stem))
        seen = {check.id for check in (*case.failing, *case.passing)}
        suspects = self._suspects[case.slug]
        if not case.names_what_is_banned:
            others = self._records.using_what_is_banned(case.slug)
            suspects = tuple(s for s in suspects if s.mistake.entry.id not in others)
        return tuple(Suspect(s.mistake, s.fails & seen) for s in suspects)

    def _read(self, slug: str, stem: str) -> Iterator[Suspect]:
        kills = self._records.of(slug)
        for mistake in self._mutants.reaching(stem):
            if mistake.entry.id in kills:
                yield Suspect(mistake, kills[mistake.entry.id])

    # ---- one mistake for all that fails --------------------------------------------------

    def _whole(self, suspect: Suspect, case: Case, room: float) -> MistakeMatch | None:
        """Return how far the mistake agrees with what all checks saw.

        None if one speaks against it, or if fewer than `PROBES` speak for it and none of them is
        enough by itself. Numbers of failing checks may differ by `room`.
        """
        distinguishing: list[Check] = []
        others = ended = apart = undecided = 0
        is_complete = True
        for check, trace in _in_order(case):
            if check.fresh and (
                self._records.passes(suspect.mistake, check)
                if check in case.passing
                else not others + undecided and case.proofs_among(distinguishing) >= ENOUGH
            ):
                continue  # it would add nothing, and has to be run: nothing is remembered of it
            made = self._mutant_runs.of(suspect.mistake, check, case.digest)
            if made is None:
                return None
            changes = self._mutant_runs.changes(suspect.mistake, check, case.digest, made)
            if not changes and check in case.passing:
                # It speaks of how the rest is written: a finite gradient of a row that nobody reads
                # may be any number.
                continue
            result = self._matched(suspect, check, case.digest, trace, made, room)
            if result is Match.OTHER:
                others += 1
                if not room or check in case.passing:
                    return None
            if result is Match.SAME and changes and is_further_than(room, trace):
                distinguishing.append(check)
            if result is Match.UNDECIDED and changes and ended_alike(trace, made):
                is_alike = may_mean_the_same(trace.error_text, made.error_text)
                ended, apart = ended + is_alike, apart + (not is_alike)
            undecided += result is Match.UNDECIDED and check in case.failing
            is_complete &= result is not Match.UNDECIDED
        failing = [case.failing[check] for check in distinguishing if check in case.failing]
        agreeing = case.proofs_among(distinguishing)
        if others > MOST_OTHERS or (
            others and agreeing < max(BESIDE_ANOTHER, FOR_EACH_OTHER * others)
        ):
            return None
        if undecided and failing and not any(map(shows_something, failing)):
            return None  # checks that could not begin are alike for whatever keeps them from it
        probes = self._probes(suspect, distinguishing, case, room)
        if probes >= PROBES:
            return MistakeMatch(probes, is_complete)
        if ended >= max(ENDED_ALIKE, apart):
            return MistakeMatch(1, is_complete)
        if any(self._is_enough(suspect, check, case) for check in distinguishing):
            return MistakeMatch(1, is_complete)
        return None

    def _is_enough(self, suspect: Suspect, check: Check, case: Case) -> bool:
        """Decide whether a check that draws nothing says enough, where nothing else is wrong."""
        made = self._mutant_runs.of(suspect.mistake, check, case.digest, AGAIN)
        return made is not None and not made.drew and is_proof_alone(made)

    def _probes(
        self, suspect: Suspect, distinguishing: Sequence[Check], case: Case, room: float = 0.0
    ) -> int:
        """Count these checks, and other draws of their inputs if they are too few."""
        probes = len(distinguishing)
        for check in distinguishing:
            if probes >= PROBES:
                break
            probes += self._reproduces_again(suspect, check, case, room)
        return probes

    def _matched(
        self,
        suspect: Suspect,
        check: Check,
        digest: str,
        trace: CheckTrace,
        made: CheckTrace,
        room: float,
    ) -> Match:
        result = match(trace, made, room)
        if room and result is not Match.SAME and _shows_the_same(trace, made, room):
            return Match.SAME
        if result is Match.OTHER and trace.outcome is made.outcome:
            if room and match(trace, made, NOT_FAR) is Match.SAME:
                return Match.UNDECIDED
            if _says_as_much(trace, made):
                return Match.UNDECIDED
            # Whoever draws in another order gets other numbers, and is no less wrong.
            reseeded = self._mutant_runs.of(suspect.mistake, check, digest, RESEEDED)
            if reseeded is not None and match(reseeded, made) is Match.OTHER:
                return Match.UNDECIDED
        return result

    def _reproduces_again(self, suspect: Suspect, check: Check, case: Case, room: float) -> bool:
        """Decide whether the mistake agrees on another draw of the check's inputs as well."""
        for draw in FURTHER:
            made = self._mutant_runs.of(suspect.mistake, check, case.digest, draw)
            if made is None or not made.drew:
                return False
            if self._mutant_runs.changes(suspect.mistake, check, case.digest, made, draw):
                trace = case.again(check, draw)
                return trace is not None and match(trace, made, room) is Match.SAME
        return False

    # ---- a share -------------------------------------------------------------------------

    def _gives(
        self,
        suspect: Suspect,
        case: Case,
        differs: Callable[[CheckTrace, CheckTrace], bool] = has_other_numbers,
        beside: frozenset[str] = frozenset(),
        room: float = 0.0,
    ) -> bool:
        """Decide whether the mistake gives, in numbers, what the failing checks saw.

        Only those checks count that the mistake is known to fail; it must give exactly what each
        saw, or what hangs on names and shapes that differ. `differs` tells its numbers from the
        right ones. At the checks in `beside` another mistake raised before there were numbers.
        """
        own = suspect.fails - beside
        checks = [check for check in by_id(case.failing) if check.id in own]
        # Where nothing but an exception was seen, no mistake needs to be run.
        if len(case.saw_numbers & {*checks}) < PROBES:
            return False
        distinguishing: list[Check] = []
        incomparable = False
        for check in checks:
            made = self._mutant_runs.of(suspect.mistake, check, case.digest, AS_GRADED)
            if made is None:
                return False
            result = match(case.failing[check], made, room)
            if result is Match.UNDECIDED and has_other_layout(case.failing[check], made):
                incomparable = True
            elif result is not Match.SAME:
                return False
            elif not is_further_than(room, case.failing[check]):
                continue
            elif differs(made, self._mutant_runs.right(check, case.digest)):
                distinguishing.append(check)
        if incomparable:
            return self._probes(suspect, distinguishing, case) >= PROBES
        return len(distinguishing) >= PROBES

    def _raises(self, suspect: Suspect, case: Case) -> bool:
        """Decide whether every check that the mistake fails raised the mistake's own exception.

        A name that does not exist is in the words of its exception, and nobody's numbers are.
        """
        checks = [check for check in by_id(case.failing) if check.id in suspect.fails]
        if len(checks) < PROBES or not all(raised_a_name(case.failing[check]) for check in checks):
            return False
        made = (self._mutant_runs.of(suspect.mistake, c, case.digest, AS_GRADED) for c in checks)
        pairs = zip(checks, made, strict=True)
        return all(one and raised_alike(case.failing[check], one) for check, one in pairs)


def _may_be_mostly(suspect: Suspect, case: Case) -> bool:
    """Tell whether by the record a mistake may be what most of the failing checks show."""
    both = len(suspect.fails & case.failed)
    others, spared = len(case.failed - suspect.fails), len(suspect.fails - case.failed)
    return both >= MOSTLY * max(1, others) and both >= spared


def _spares_few(suspect: Suspect, case: Case) -> bool:
    """Tell whether the student passes few of the checks that a mistake fails."""
    return SPARED * len(suspect.fails - case.failed) <= len(case.failed)


def _says_as_much(student: CheckTrace, made: CheckTrace) -> bool:
    """Tell whether two runs differ in nothing that speaks against one mistake behind both."""
    return (
        is_other_in_kind_alone(student, made)
        or is_same_where_finite(student, made)
        or _raised_one_kind(student, made)
    )


def _raised_one_kind(student: CheckTrace, made: CheckTrace) -> bool:
    """Tell whether two runs ended in exceptions that say the same, wherever each was raised."""
    kind = raised_kind(student.error_text)
    return kind is not None and kind is raised_kind(made.error_text)


def _shows_the_same(student: CheckTrace, made: CheckTrace, room: float) -> bool:
    """Tell whether two runs agree in all but axes of length 1, or in what an exception says."""
    if student.outcome is not made.outcome or not shows_something(student):
        return False
    if student.error_text or made.error_text:
        return raised_the_same(student.error_text, made.error_text)
    return is_same_but_for_ones(student, made, room)


def _in_order(case: Case) -> Iterator[tuple[Check, CheckTrace]]:
    """Yield checks and what they saw, in the order in which a mistake is best ruled out.

    Those most likely to differ come first; those that cannot be remembered (`fresh`) last.
    """
    checks = [*by_id(case.failing), *by_id(case.passing)]
    for check in sorted(checks, key=lambda check: check.fresh):
        yield check, case.failing.get(check) or case.passing[check]
