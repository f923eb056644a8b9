"""Hold what the checks of one exercise saw in a submission, and the mistakes it may contain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...grade.evidence import Cause, Outcome
from ...text.language import course_text
from ..checks.check_trace import CheckTrace, Draw, has_fractions, has_numbers, is_proof_alone
from ..checks.checks import Check
from ..compare.compare import difference
from ..mutants.mutant_runs import AGAIN
from ..mutants.mutants import KnownMistake

NEARLY = 3e-5
"""The difference that right programs may have: an eps of 1e-5 or 1e-6, float32 on the way."""
FAR_FROM_RIGHT = 10
"""So many times the room that is allowed have numbers to be wrong by, to be evidence."""


@dataclass(frozen=True)
class Case:
    """The values that the checks of one exercise saw in a submission."""

    slug: str
    stem: str
    digest: str
    failing: Mapping[Check, CheckTrace]
    passing: Mapping[Check, CheckTrace]
    again: Callable[[Check, Draw], CheckTrace | None]
    """Runs a check on another draw of its inputs; None if the code cannot be asked once more."""
    names_what_is_banned: bool = True
    """False if nothing that the exercise bans stands in the submission's text."""

    @cached_property
    def failed(self) -> frozenset[str]:
        """Return the ids of the failing checks that see the same in every submission."""
        return frozenset(check.id for check in self.failing if not check.fresh)

    @cached_property
    def saw_numbers(self) -> frozenset[Check]:
        """Return the failing checks that saw numbers, and not only an exception."""
        return frozenset(check for check, trace in self.failing.items() if has_numbers(trace))

    @cached_property
    def proving(self) -> frozenset[Check]:
        """Return the failing checks that no chance lets agree with a mistake.

        They saw rounded numbers, or many whole ones.
        """
        return frozenset(
            check
            for check, trace in self.failing.items()
            if has_fractions(trace) or is_proof_alone(trace)
        )

    def proofs_among(self, checks: Collection[Check]) -> int:
        """Count the failing checks among these that no chance lets agree with a mistake."""
        return len(self.proving & {*checks})

    def once_more(self, check: Check) -> CheckTrace | None:
        """Run a check on the first other draw of its inputs."""
        return self.again(check, AGAIN)


@dataclass(frozen=True)
class Suspect:
    """A known mistake that may be the student's, and the checks that it is known to fail."""

    mistake: KnownMistake
    fails: frozenset[str]

    def cause(self, probes: int, *, is_beside: bool = False) -> Cause:
        """Return the mistake as a cause. `is_beside`: it is so together with the one before it."""
        text = course_text(self.mistake.entry.cause)
        return Cause(self.mistake.entry.id, text, probes, probes, is_beside)


def by_id(checks: Collection[Check]) -> list[Check]:
    """Return the checks in one and the same order."""
    return sorted(checks, key=lambda check: check.id)


def narrowest(suspects: Sequence[Suspect]) -> Iterator[Suspect]:
    """Yield the suspects of which no other one fails a part only."""
    for suspect in suspects:
        if not any(other.fails < suspect.fails for other in suspects):
            yield suspect


def is_further_than(room: float, trace: CheckTrace) -> bool:
    """Tell whether a check saw anything else than numbers that are right but for some `room`.

    Whatever makes a difference as small as that looks like everything else that does.
    """
    if not room or trace.failure is None:
        return not room or trace.outcome is not Outcome.PASSED
    observed, expected = trace.failure.observed, trace.failure.expected
    if isinstance(observed, Mapping) and isinstance(expected, Mapping):
        names = observed.keys() & expected.keys()
        observed, expected = ([each[name] for name in names] for each in (observed, expected))
    much = FAR_FROM_RIGHT * room
    return difference(observed, expected, atol=much, rtol=much) is not None
