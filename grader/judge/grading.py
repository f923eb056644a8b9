"""Run the checks of all exercises on one submission, and collect the observations."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from ..course.paths import CoursePaths
from ..course.scope import Scope
from ..grade.evidence import Observation, Outcome
from ..messages.exercise_plan import ExercisePlan
from ..text.language import _
from .bind.roles import load_roles
from .calls.student import SubmissionClient
from .check_runner import CheckRunner
from .checks.check_trace import CheckTrace, Draw, same
from .checks.checks import Check
from .checks.observe import CheckRecord, CheckResult, observation, ours
from .checks.pytest_bridge import Phase
from .diagnose.diagnosis import Diagnosis
from .diagnose.knowledge import load_knowledge
from .follow_through.follow_through import ACCUSING, FollowThroughPass
from .intermediates.right_up_to_here import RightUpToHere
from .mutants.kill_records import KillRecords, is_firm
from .mutants.mutant_runs import MutantRuns
from .mutants.mutants import Mutants
from .mutants.reach import Reach
from .recorded.kept_runs import KeptRuns
from .recorded.recording import load_recording
from .recorded.replay import Replay
from .reference.references import ReferenceBroken, References
from .smallest.counterexamples import Counterexamples
from .smallest.small_calls import load_small_calls

Data = TypeVar("Data")
EVERYTHING = Scope()
CHECKS_TRIED = 3
ANOTHER = Draw("falsified")
COMPARED = (Outcome.PASSED, Outcome.FAILED)


class Grading:
    """The grading of one submission after another: run all checks, follow through, diagnose.

    Raises:
        CollectionFailed, ReferenceBroken: the course has an error.
    """

    def __init__(
        self,
        root: Path,
        course_seed: str,
        exercises: Sequence[ExercisePlan],
        reverse: bool,
        assignments: Collection[str],
        *,
        traced: bool = False,
    ) -> None:
        """Learn the course. `traced`: True for `grader validate`, which notes every answer."""
        stems = dict.fromkeys(exercise.assignment for exercise in exercises)
        references = References(root, assignments)
        recorded = _course_data(root, "recorded.json.gz", load_recording)
        replay = None if recorded is None else Replay(recorded)
        self.stubs = {} if recorded is None else recorded.stubs
        """Digests of the hand-outs' definitions, where the recording of a kit knows them."""
        self._modules = {stem: (replay or references).module(stem) for stem in stems}
        roles = _course_data(root, "roles.py", load_roles)
        knowledge = (
            _course_data(root, "diagnosis.py", load_knowledge)
            if recorded is None
            else recorded.course_knowledge()
        )
        listen = None if replay is None else replay.listen
        runner = CheckRunner(root, course_seed, exercises, self._modules, roles, recorded, listen)
        checks, mutants = runner.checks, Mutants(root, references, recorded)
        self.checks = checks[::-1] if reverse else checks
        self._runner = runner
        kept = KeptRuns(CoursePaths(root), course_seed) if recorded is None else None
        self._mutants = mutants
        self._mutant_runs = MutantRuns(
            self._modules, mutants, runner, recorded, kept, traced=traced
        )
        self._kill_records = KillRecords(root, checks, recorded)
        reach = Reach(root, assignments, runner.requested_names)
        # A kit has no text of a reference to read; its records rule out the same and more.
        exclusions = (self._kill_records,) if recorded else (self._kill_records, reach)
        self._follow_through = FollowThroughPass(
            self._modules, checks, runner, mutants, self._mutant_runs, exclusions
        )
        self.tell: Callable[[str, int, int], object] = lambda slug, number, count: None
        """Called before each check: its exercise, its number, and how many checks there are."""
        self.diagnoses = True
        """True to look for the causes of failures."""
        self._diagnosis = Diagnosis(
            knowledge, checks, runner, mutants, self._mutant_runs, self._kill_records
        )
        self.counterexamples = False
        """True to look for the smallest input on which a failing exercise is wrong.

        Then the last right line is looked for as well."""
        small_calls = load_small_calls(root, [one.slug for one in exercises])
        self._counterexamples = Counterexamples(small_calls, checks, runner)
        self._right_lines = RightUpToHere(small_calls, checks, runner)

    def grade(
        self,
        client: SubmissionClient,
        digest: str,
        scope: Scope = EVERYTHING,
    ) -> tuple[list[Observation], list[Observation]]:
        """Return one observation per check of the exercises in `scope.only`; of all if it is empty.

        The second list holds the observations as they would be if nobody knew of the mistakes in
        `scope.unknown`; it is empty if that is.

        Public checks are run first: a process that has seen hidden inputs could tell them in the
        words of its exceptions, which a public check shows. With `scope.until_failure`, which is
        for edits of the reference, the order is another one, and what comes after a failure is
        left out. So is what `scope.checks` does not name.

        Raises `Starved`, `SourceGone`.
        """
        self._runner.begin_submission()
        results: dict[str, CheckResult] = {}
        only, unknown = scope.only, scope.unknown
        diagnoses = self.diagnoses and scope.diagnose
        wanted = [check for check in self.checks if not only or check.exercise.slug in only]
        wanted = [check for check in wanted if self._is_about(check, scope)]
        wanted = [check for check in wanted if not scope.checks or check.id in scope.checks]
        wanted = self._deadliest_first(wanted) if scope.until_failure else wanted
        in_order = wanted if scope.until_failure else sorted(wanted, key=lambda check: check.hidden)
        for number, check in enumerate(in_order, start=1):
            client.note_check(check.id)
            self.tell(check.exercise.slug, number, len(wanted))
            known = self._known(check, scope, digest if diagnoses else None)
            known = known or self._passed_here(check, scope, client, digest)
            result = results[check.id] = known or self._grade_one(check, client, digest)
            if scope.until_failure and result.observation.outcome in ACCUSING:
                wanted = wanted[:number]
                break
        client.note_check("")
        self.tell("", len(wanted), len(wanted))
        final = self._follow_through.through(results, client, digest)
        observations = {check: result.observation for check, result in final.results.items()}
        without = observations if unknown else {}
        if diagnoses:
            observations = self._diagnosis.explained(final, client, digest)
        if diagnoses and unknown:
            without = self._diagnosis.explained(final, client, digest, unknown)
        self._mutant_runs.write()
        if self.counterexamples:
            observations = self._counterexamples.added(observations, client)
            is_fresh = self._counterexamples.is_fresh
            observations = self._right_lines.added(observations, client, is_fresh=is_fresh)
        return [observations[c.id] for c in wanted], [without[c.id] for c in wanted if unknown]

    @property
    def references(self) -> Mapping[str, ModuleType]:
        """Return the reference of each assignment."""
        return self._modules

    def suite_modules(self) -> dict[str, ModuleType]:
        """Return the imported suites, by their path in the course."""
        return {check.item.location[0]: check.item.module for check in self.checks}

    def _deadliest_first(self, checks: Sequence[Check]) -> list[Check]:
        """Return the checks in another order: those that most known mistakes fail come first."""
        failed = Counter(
            check
            for slug in {check.exercise.slug for check in checks}
            for fails in self._kill_records.of(slug).values()
            for check in fails
        )
        return sorted(checks, key=lambda check: -failed[check.id])

    def _known(self, check: Check, scope: Scope, digest: str | None) -> CheckResult | None:
        """Return the reference's observation, if a check cannot see an edit of the reference.

        That is the case if it looks up none of the definitions in `scope.seen_in`. The second value
        is what the check sees of the reference for `digest`. None if the check has to be run.
        """
        if scope.seen_in is None or check.disabled:
            return None
        stem = check.exercise.assignment
        if any((stem, name) in scope.seen_in for name in self._runner.requested_names(check)):
            return None
        broken = self._runner.proof_of(check)
        if broken is not None:
            return CheckResult(broken, CheckTrace(broken.outcome))
        trace = CheckTrace(Outcome.PASSED)
        if digest is not None and not check.alone:
            trace = self._mutant_runs.right(check, digest)
        return CheckResult(Observation(check.id, check.title, Outcome.PASSED), trace)

    def _passed_here(
        self, check: Check, scope: Scope, client: SubmissionClient, digest: str
    ) -> CheckResult | None:
        """Return what the judge's own process sees of a known mistake that passes a check.

        None unless the submission is a mistake that passes it, on record and here: what fails has
        to be seen to fail on the submission.
        """
        if not scope.mistake:
            return None  # of a student's work no record is read unless a check fails
        slug = check.exercise.slug
        failed = self._kill_records.of(slug).get(scope.mistake)
        if failed is None or check.id in failed or check.disabled or not is_firm(check):
            return None
        if scope.mistake in self._kill_records.using_what_is_banned(slug):
            return None  # what is banned is seen to run where it runs
        stem = check.exercise.assignment
        known = (one for one in self._mutants.reaching(stem) if one.entry.id == scope.mistake)
        mistake = next(known, None)
        trace = self._mutant_runs.of(mistake, check, digest) if mistake else None
        if mistake is None or trace is None or trace.outcome is not Outcome.PASSED:
            return None
        answers = self._mutant_runs.answers_to(mistake, check)
        if answers is None:
            return None
        client.note_answers(answers)
        return CheckResult(Observation(check.id, check.title, Outcome.PASSED), trace)

    def _grade_one(self, check: Check, client: SubmissionClient, digest: str) -> CheckResult:
        if check.disabled:
            why = _("marked {mark}: a check that is skipped proves nothing", mark=check.disabled)
            return CheckResult(ours(check, why), CheckTrace(Outcome.COULD_NOT_CHECK))
        absent = client.absent(check.exercise.assignment, check.exercise.targets)
        if absent is not None:
            fault = observation(check, [Phase("setup", absent)], CheckRecord())
            return CheckResult(fault, CheckTrace(absent.outcome))
        started = time.perf_counter()
        self._watch(check, client)
        client.ran.begin(check.exercise.slug, check.id, hidden=check.hidden)
        result = self._runner.attempt(check, client, digest)
        if result.observation.outcome in ACCUSING:
            limit_s = self._runner.limit_s(check)
            broken = self._runner.proof_of(check)
            timed_out = result.observation.outcome is Outcome.TIMED_OUT
            if broken is not None:
                result = replace(result, observation=broken)
            elif timed_out and self._runner.limit_s(check) > limit_s:
                result = self._runner.attempt(check, client, digest)
        client.count()
        client.ran.begin()
        duration_ms = (time.perf_counter() - started) * 1e3
        timed = replace(result.observation, duration_ms=duration_ms)
        return replace(result, observation=timed)

    def _watch(self, check: Check, client: SubmissionClient) -> None:
        """Watch the calls of an exercise's first public check for banned operations.

        Not those of a hidden check: the worker, which tells what ran, must not have seen its
        inputs.
        """
        slug = check.exercise.slug
        first = not check.hidden and not client.ran.watched(slug)
        client.ran.watch(slug, check.exercise.banned if first else ())

    def depends(self, slug: str, client: SubmissionClient, digest: str) -> bool:
        """Tell whether answers in an exercise change when counted operations give wrong answers.

        Runs up to `CHECKS_TRIED` checks on inputs that the submission has not had before, by
        workers that remember nothing.

        Raises `Starved`, `SourceGone`.
        """
        ran = client.ran.checks(slug)
        checks = [check for check in self.checks if check.id in ran and not check.alone]
        checks.sort(key=lambda check: check.hidden)
        return any(self._depends(check, client, digest) for check in checks[:CHECKS_TRIED])

    def _depends(self, check: Check, client: SubmissionClient, digest: str) -> bool:
        traces = []
        for falsified, times in ((False, 2), (True, 1)):
            with client.falsified(falsified):
                for _time in range(times):
                    traces.append(self._runner.attempt(check, client, digest, draw=ANOTHER).trace)
        if any(trace.outcome not in COMPARED for trace in traces):
            return False
        right, again, wrong = (trace.compared for trace in traces)
        return same(right, again) and not same(right, wrong)

    def _is_about(self, check: Check, scope: Scope) -> bool:
        """Tell whether a check is wanted when only the definitions in `scope.about` are.

        A check of an exercise without any of them is wanted. In the other exercises a check is
        wanted if it looks up one of them and no target in `scope.absent`.
        """
        own = {(check.exercise.assignment, target) for target in check.exercise.targets}
        chosen = own.intersection(scope.about)
        if not chosen:
            return True
        requested = self._runner.requested_names(check)
        names = {name for _stem, name in own.intersection(scope.absent)}
        return not names.intersection(requested) and any(
            name in requested for _stem, name in chosen
        )


def _course_data(root: Path, name: str, load: Callable[[Path], Data]) -> Data:
    try:
        return load(root)
    except Exception as error:
        path = root / "reference" / name
        raise ReferenceBroken(f"{path}  {type(error).__name__}: {error}") from error
