"""Explain failing checks: by a known mistake that gives the same numbers, or by what is seen.

SubmissionRunner after all checks, so that nothing depends on their order.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...grade.evidence import Observation, Outcome
from ...text.language import _
from ..calls.faults import SourceGone, Starved, StudentFault
from ..calls.student import SubmissionClient
from ..checks.check_trace import CheckTrace, Draw
from ..checks.checks import Check
from ..checks.observe import MAX_TEXT, NO_CAUSE
from ..follow_through.follow_through import ACCUSING, FollowedThrough, Results, SubmissionRunner
from ..mutants.kill_records import KillRecords
from ..mutants.mutant_runs import MutantRuns
from ..mutants.mutants import Mutants
from ..policy import policy
from .case import Case
from .dictionary import Dictionary
from .knowledge import Knowledge, constants_of
from .observed import observed_causes
from .pictures import picture_of, weights_of


class Diagnosis:
    """Adds causes to the observations of one submission after another."""

    def __init__(
        self,
        knowledge: Knowledge,
        checks: Sequence[Check],
        runner: SubmissionRunner,
        mutants: Mutants,
        mutant_runs: MutantRuns,
        kill_records: KillRecords,
    ) -> None:
        self._runner, self._knowledge = runner, knowledge
        self._dictionary = Dictionary(mutants, mutant_runs, kill_records)
        self._by_exercise: dict[str, list[Check]] = {}
        for check in sorted(checks, key=lambda check: check.id):
            self._by_exercise.setdefault(check.exercise.slug, []).append(check)

    def explained(
        self,
        after: FollowedThrough,
        client: SubmissionClient,
        digest: str,
        unknown: Collection[str] = (),
    ) -> dict[str, Observation]:
        """Return every observation, the failing ones with their causes.

        In exercises of `after.substituted` the failing checks saw other functions than those that
        passed. Mistakes named in `unknown` are not looked for.
        """
        observations = {check: result.observation for check, result in after.results.items()}
        for slug, checks in self._by_exercise.items():
            case = self._case(checks, after.results, client, digest, slug in after.substituted)
            if case is None:
                continue
            try:
                observations.update(self._explained(case, observations, unknown))
            except (Starved, SourceGone):
                raise  # the submission has to be graded once more
            except Exception as error:
                observations.update(_unexplained(case, observations, error))
        return observations

    def _explained(
        self, case: Case, before: Mapping[str, Observation], unknown: Collection[str]
    ) -> dict[str, Observation]:
        """Return the observations of an exercise's failing checks, with causes and pictures."""
        explained = {check.id: before[check.id] for check in case.failing}
        causes = self._dictionary.causes(case, unknown)
        for id, named in causes.items():
            explained[id] = replace(explained[id], cause=named[0], also=named[1:])
        for check, trace in case.failing.items():
            if not check.hidden:
                words = self._knowledge.words(constants_of(check.item.module))
                explained[check.id] = replace(
                    explained[check.id], picture=picture_of(trace), weights=weights_of(trace, words)
                )
        known = {c: trace for c, trace in case.failing.items() if c.id in causes}
        rest = {c: trace for c, trace in case.failing.items() if c.id not in causes}
        seen = observed_causes(self._knowledge, rest, known, case.once_more)
        for id, cause in seen.items():
            explained[id] = replace(explained[id], cause=cause)
        return explained

    def _case(
        self,
        checks: Sequence[Check],
        results: Results,
        client: SubmissionClient,
        digest: str,
        substituted: bool,
    ) -> Case | None:
        """Collect what an exercise's checks saw.

        None if nothing failed, or if a check timed out: then no mistake is looked for.
        """
        judged = [check for check in checks if check.id in results and not check.alone]
        traces = {check: results[check.id].trace for check in judged}
        outcomes = {check: results[check.id].observation.outcome for check in judged}
        failing = {c: traces[c] for c in judged if outcomes[c] in ACCUSING}
        if not failing or any(outcomes[c] is Outcome.TIMED_OUT for c in failing):
            return None
        passing = {
            c: traces[c] for c in judged if outcomes[c] is Outcome.PASSED and not substituted
        }
        exercise = checks[0].exercise
        again = partial(self._again, client, digest)
        named = policy.is_named(exercise, client)
        return Case(exercise.slug, exercise.assignment, digest, failing, passing, again, named)

    def _again(
        self, client: SubmissionClient, digest: str, check: Check, draw: Draw
    ) -> CheckTrace | None:
        try:
            return self._runner.attempt(check, client, digest, None, draw).trace
        except StudentFault:
            return None


def _unexplained(
    case: Case, observations: Mapping[str, Observation], error: Exception
) -> dict[str, Observation]:
    """Note an error of the grader's in the observations of the failing checks.

    A mistake of ours in looking for causes costs nobody a point, and does not go unseen: staff get
    its place, and the traceback is printed if GRADER_DEBUG is set.
    """
    if os.environ.get("GRADER_DEBUG"):
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    staff = f"diagnosis: {frame.filename}:{frame.lineno}: {type(error).__name__}: {error}"
    failing = {check.id: observations[check.id] for check in case.failing}
    return {
        id: replace(
            seen,
            notes=tuple(dict.fromkeys([*seen.notes, _(NO_CAUSE)])),
            staff=seen.staff or staff[:MAX_TEXT],
        )
        for id, seen in failing.items()
    }
