"""What is behind failing checks: a known mistake that gives the same numbers, or what is seen.

Runs after all checks, so that nothing hangs on their order.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...evidence import Observation, Outcome
from ...language import _
from ..checks import Check
from ..faults import SourceGone, Starved, StudentFault
from ..follow import ACCUSING, Found, Runs
from ..mistakes import Mistakes
from ..rehearsal import Rehearsals
from ..sight import Sight
from ..student import SubmissionClient
from .dictionary import AGAIN, Case, Dictionary
from .knowledge import Knowledge
from .observed import observed_causes
from .pictures import picture_of


class Diagnosis:
    """Adds causes to observations."""

    def __init__(
        self,
        root: Path,
        knowledge: Knowledge,
        checks: Sequence[Check],
        runs: Runs,
        mistakes: Mistakes,
        rehearsals: Rehearsals,
    ) -> None:
        self._runs, self._knowledge = runs, knowledge
        self._dictionary = Dictionary(root, checks, mistakes, rehearsals)
        self._by_exercise: dict[str, list[Check]] = {}
        for check in sorted(checks, key=lambda check: check.id):
            self._by_exercise.setdefault(check.exercise.slug, []).append(check)

    def told(
        self,
        found: Found,
        client: SubmissionClient,
        digest: str,
        lent: Collection[str] = (),
        unknown: Collection[str] = (),
    ) -> dict[str, Observation]:
        """Every observation, with its causes. In exercises named in `lent` the failing checks saw
        other functions than those that passed; mistakes named in `unknown` are not looked for."""
        told = {check: observation for check, (observation, _other) in found.items()}
        for slug, checks in self._by_exercise.items():
            case = self._case(checks, found, client, digest, slug in lent)
            if case is None:
                continue
            try:
                told.update(self._explained(case, told, unknown))
            except (Starved, SourceGone):
                raise  # the submission has to be graded once more
            except Exception as error:
                told.update(_unexplained(case, told, error))
        return told

    def _explained(
        self, case: Case, before: Mapping[str, Observation], unknown: Collection[str]
    ) -> dict[str, Observation]:
        """The failing checks of an exercise, with all that can be said of them."""
        told = {check.id: before[check.id] for check in case.failing}
        causes = self._dictionary.causes(case, unknown)
        for id, named in causes.items():
            told[id] = replace(told[id], cause=named[0], also=named[1:])
        for check, sight in case.failing.items():
            if not check.hidden:
                told[check.id] = replace(told[check.id], picture=picture_of(sight))
        rest = {c: sight for c, sight in case.failing.items() if c.id not in causes}
        for id, cause in observed_causes(self._knowledge, rest, case.again).items():
            told[id] = replace(told[id], cause=cause)
        return told

    def _case(
        self,
        checks: Sequence[Check],
        found: Found,
        client: SubmissionClient,
        digest: str,
        lent: bool,
    ) -> Case | None:
        """None if nothing failed that a mistake could be behind."""
        judged = [check for check in checks if check.id in found and not check.alone]
        sights = {check: found[check.id][1] for check in judged}
        outcomes = {check: found[check.id][0].outcome for check in judged}
        failing = {c: sights[c] for c in judged if outcomes[c] in ACCUSING}
        if not failing or any(outcomes[c] is Outcome.TIMED_OUT for c in failing):
            return None
        passing = {c: sights[c] for c in judged if outcomes[c] is Outcome.PASSED and not lent}
        exercise = checks[0].exercise
        again = partial(self._again, client, digest)
        return Case(exercise.slug, exercise.assignment, digest, failing, passing, again)

    def _again(self, client: SubmissionClient, digest: str, check: Check) -> Sight | None:
        try:
            return self._runs.attempt(check, client, digest, None, AGAIN)[1]
        except StudentFault:
            return None


def _unexplained(
    case: Case, told: Mapping[str, Observation], error: Exception
) -> dict[str, Observation]:
    """A mistake of ours in looking for causes costs nobody a point, and does not go unseen."""
    if os.environ.get("GRADER_DEBUG"):
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    note = _(
        "no cause was looked for to the end: {error} in {place} of the grader",
        error=type(error).__name__,
        place=place,
    )
    found = {check.id: told[check.id] for check in case.failing}
    return {id: replace(seen, notes=(*seen.notes, note)) for id, seen in found.items()}
