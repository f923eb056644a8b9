"""Run one check: on a submission, on the reference, and on references with a mistake in them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import torch

from ..grade.evidence import Observation, Outcome
from ..messages.exercise_plan import ExercisePlan
from ..text.language import _
from ..worker.side import seed_torch
from .bind.roles import Roles
from .calls.client import MINIMUM_LIMIT_S, REFERENCE_FACTOR, Client, LocalClient
from .calls.faults import CheckFailed, StudentFault, StudentRaised
from .calls.student import SubmissionClient
from .checks import plugin
from .checks.check_trace import CheckTrace, Draw
from .checks.checks import Check, checks_of
from .checks.namespace import Definitions
from .checks.observe import CheckRecord, CheckResult, observation, ours
from .checks.plugin import CheckContext, ContextPlugin
from .checks.probe import check_seed
from .checks.pytest_bridge import Phase, Suites
from .checks.sketch import fingerprint
from .mutants.mutant_runs import AS_GRADED
from .mutants.recorded_runs import RecordedRuns
from .reference.memo import Memo, Reference


class ReferenceDefinitions(Definitions):
    """The reference's definitions, looked up as if the reference were a submission."""

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self._modules = modules
        self.requested: set[str] = set()
        """The names that a check looked up."""

    def kind(self, stem: str, name: str) -> str:
        self.requested.add(name)
        value = getattr(self._modules[stem], name)
        return "class" if isinstance(value, type) else "function" if callable(value) else "value"


class _SubmissionDefinitions(Definitions):
    """A submission's definitions; records the target that a check looked up last."""

    def __init__(self, client: SubmissionClient, check: Check, record: CheckRecord) -> None:
        self._client, self._record = client, record
        self._targets = check.exercise.targets
        record.definition = client.loaded.definition(check.exercise.assignment, self._targets[0])

    def kind(self, stem: str, name: str) -> str:
        if name in self._targets:
            self._record.definition = self._client.loaded.definition(stem, name)
        return self._client.loaded.kind(stem, name)


class TimedClient(LocalClient):
    """The reference as something to call, which notes how long each call takes."""

    def __init__(self, modules: Mapping[str, ModuleType], times_s: dict[int, float]) -> None:
        super().__init__(lambda stem, name: getattr(modules[stem], name), _no_file)
        self._times_s = times_s

    def took(self, call: int, seconds: float) -> None:
        self._times_s[call] = seconds


class CheckRunner:
    """The checks of a course, and all that is needed to run one: reference, answers, times.

    Raises:
        CollectionFailed: a suite has an error.
    """

    def __init__(
        self,
        root: Path,
        course_seed: str,
        exercises: Sequence[ExercisePlan],
        modules: Mapping[str, ModuleType],
        roles: Roles,
        recorded: RecordedRuns | None = None,
        listen: Callable[[str], object] | None = None,
    ) -> None:
        """Collect the suites.

        `recorded`: what a kit knows, whose reference has passed all checks when it was recorded.
        `listen`: is called with the check and the draw that are about to be run. Then every
        question gets to the reference, and no answer is remembered.
        """
        self._recorded, self._listen = recorded, listen
        self._course_seed, self._modules = course_seed, modules
        self._memo = Memo()
        self._references = {
            stem: Reference(module, self._memo, roles) for stem, module in modules.items()
        }
        self._plugin = ContextPlugin()
        # Joined, so that they are paths of a sealed course if the root is one.
        files = [root / path for exercise in exercises for path in exercise.suites]
        self._suites = Suites(files, root, [plugin, self._plugin])
        self.checks = checks_of(self._suites.items, exercises)
        self._times: defaultdict[str, dict[int, float]] = defaultdict(dict)
        self._proofs: dict[str, Observation | None] = {}
        self._proven: dict[str, CheckTrace] = {}
        """The values that the proofs made for the submission at hand saw, by check."""
        self._requested: dict[str, Collection[str]] = {}

    def begin_submission(self) -> None:
        """Forget what is kept for one submission alone, so that it takes no lasting memory."""
        self._proven.clear()

    def attempt(
        self,
        check: Check,
        client: SubmissionClient,
        digest: str,
        prepare: Callable[[SubmissionClient], None] | None = None,
        draw: Draw = AS_GRADED,
    ) -> CheckResult:
        """Run a check on a submission. `prepare` comes before its first call.

        If a SIGKILL ended the student's process meanwhile, it is run once more: the kernel sends
        one where memory is short, whoever used it.
        """
        before = client.kills
        result = self._attempt(check, client, digest, prepare, draw)
        failed = result.observation.outcome is not Outcome.PASSED
        if failed and client.kills > before and client.is_worth_another_try:
            result = self._attempt(check, client, digest, prepare, draw)
        return result

    def _attempt(
        self,
        check: Check,
        client: SubmissionClient,
        digest: str,
        prepare: Callable[[SubmissionClient], None] | None,
        draw: Draw,
    ) -> CheckResult:
        record = CheckRecord()
        try:
            times = self._times[check.id]
            client.start_check(lambda call: times.get(call, 0.0), check.alone)
            if prepare is not None:
                prepare(client)
        except StudentFault as fault:
            result = observation(check, [Phase("setup", fault)], record)
            return CheckResult(result, record.trace(result.outcome))
        result = self._run(
            check, client, _SubmissionDefinitions(client, check, record), digest, record, draw
        )
        broken = self.proof_of(check, digest) if result.staff else None
        if result.outcome is not Outcome.PASSED and not check.fresh:
            result = replace(result, fingerprint=fingerprint(record.compared))
        return CheckResult(broken or result, record.trace(result.outcome))

    def outside_checks(self, check: Check, client: SubmissionClient) -> CheckContext:
        """Return what a check's fixtures hand out, for calls that are part of no check.

        Raises:
            StudentFault: the submission cannot be loaded.
        """
        client.start_check(lambda call: 0.0)
        record, stem = CheckRecord(), check.exercise.assignment
        seed = check_seed(self._course_seed, f"outside {check.id}")
        settle(seed)
        definitions = _SubmissionDefinitions(client, check, record)
        reference = self._references[stem]
        return CheckContext(client, definitions, stem, reference, self._memo, seed, record)

    def trace_on_references(
        self,
        check: Check,
        modules: Mapping[str, ModuleType],
        digest: str,
        draw: Draw,
        client: LocalClient,
    ) -> CheckTrace:
        """Run a check on references as if they were a submission; return what the check saw.

        If that is what a proof saw just before, nothing is run: it is the same run.
        """
        if modules is self._modules and draw == AS_GRADED and check.id in self._proven:
            return self._proven[check.id]
        result, record = self._run_on_references(check, client, modules, digest, draw)
        return record.trace(result.outcome)

    def requested_names(self, check: Check) -> Collection[str]:
        """Return the names that a check looks up.

        They are found by running it on the reference, as the suite decides what is looked up: that
        run is the proof that the reference passes.
        """
        if self._recorded is not None:
            return self._recorded.names(check.id)
        if check.id not in self._requested:
            self.proof_of(check)
        return self._requested[check.id]

    def _run_on_references(
        self,
        check: Check,
        client: LocalClient,
        modules: Mapping[str, ModuleType],
        digest: str,
        draw: Draw,
    ) -> tuple[Observation, CheckRecord]:
        record, own = CheckRecord(), ReferenceDefinitions(modules)
        client.begin_check()
        result = self._run(check, client, own, digest, record, draw)
        if modules is self._modules:
            self._requested[check.id] = own.requested
        return result, record

    def proof_of(self, check: Check, digest: str = "") -> Observation | None:
        """Grade the reference itself, before anybody loses a point on a check; None if it passes.

        With a `digest` also on what a fresh check draws for that submission.

        Also measures how long the reference takes, from which time limits follow. Once per check,
        and only when needed: most checks of most submissions pass, and what a check is worth
        without a failure is for `grader validate` to prove.
        """
        if self._recorded is not None:
            return None
        if check.id not in self._proofs:
            self._proofs[check.id] = self._proof(check, "reference")
        known = self._proofs[check.id]
        # What is drawn for this submission alone may be what nobody can get along with.
        return self._proof(check, digest) if check.fresh and digest and not known else known

    def _proof(self, check: Check, digest: str) -> Observation | None:
        client = TimedClient(self._modules, self._times[check.id])
        result, record = self._run_on_references(check, client, self._modules, digest, AS_GRADED)
        if result.outcome is Outcome.PASSED:
            if not check.fresh:
                self._proven[check.id] = record.trace(result.outcome)
            return None
        if result.staff:
            return ours(check, result.staff)
        why = _(
            "the reference itself does not pass ({outcome}): {observed}",
            outcome=result.outcome,
            observed=result.observed,
        )
        return ours(check, why)

    def limit_s(self, check: Check) -> float:
        """Return the longest time limit of any call in this check, from known reference times."""
        slowest = max(self._times[check.id].values(), default=0.0)
        return max(MINIMUM_LIMIT_S, REFERENCE_FACTOR * slowest)

    def _run(
        self,
        check: Check,
        client: Client,
        definitions: Definitions,
        digest: str,
        record: CheckRecord,
        draw: Draw,
    ) -> Observation:
        own = digest if check.fresh else ""
        seed = check_seed(self._course_seed, check.id, own + draw.inputs)
        self._memo.enabled = not check.fresh and self._listen is None
        if self._listen is not None:
            self._listen(f"{check.id} {draw}")
        stem = check.exercise.assignment
        reference = self._references[stem]
        context = CheckContext(client, definitions, stem, reference, self._memo, seed, record)
        self._plugin.prepared = context
        settle(seed ^ draw.reseeded)
        phases = self._suites.run(check.item, lambda name: getattr(context, name), plugin.FIXTURES)
        context.clear()
        reference.take_back()
        record.answer = client.answer
        raised = [phase.error for phase in phases if isinstance(phase.error, StudentRaised)]
        record.compared += [error.type_name for error in raised]
        record.refused = any(error.own and ValueError.__name__ in error.bases for error in raised)
        faults = [phase.error for phase in phases if isinstance(phase.error, StudentFault)]
        record.error_text = "\n".join(
            error.message if isinstance(error, StudentRaised) else type(error).__name__
            for error in faults
            if not isinstance(error, CheckFailed)
        )
        return observation(check, phases, record)


def settle(seed: int) -> None:
    """Set the same seeds and torch defaults before every check, whatever the last one changed."""
    seed_torch(seed)
    random.seed(seed)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


def _no_file(name: str) -> bool:
    return False
