"""Runs the checks of all exercises against one client and collects observations."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import torch

from ..evidence import Observation, Outcome
from ..worker.side import seed_torch
from . import plugin
from .bind.roles import Roles, load_roles
from .checks import Check, ExercisePlan, checks_of
from .client import MINIMUM_LIMIT_S, REFERENCE_FACTOR, Client, LocalClient
from .faults import StudentFault, StudentRaised
from .follow import ACCUSING, Following, Seen
from .memo import Memo, Reference
from .mistakes import Mistakes
from .namespace import Definitions
from .observe import Record, observation, ours
from .plugin import Bench, BenchPlugin
from .probe import check_seed
from .pytest_bridge import Phase, Suites
from .references import ReferenceBroken, References
from .student import SubmissionClient


class OwnDefinitions(Definitions):
    """The reference as if it were a submission."""

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self._modules = modules
        self.asked: set[str] = set()
        """Names that were looked up."""

    def kind(self, stem: str, name: str) -> str:
        self.asked.add(name)
        value = getattr(self._modules[stem], name)
        return "class" if isinstance(value, type) else "function" if callable(value) else "value"


class Grading:
    """The course as the judge knows it: checks, reference, remembered answers, reference times.

    Raises:
        CollectionFailed, ReferenceBroken: the course has an error.
    """

    def __init__(
        self,
        root: Path,
        course_seed: str,
        exercises: Sequence[ExercisePlan],
        reverse: bool,
        assignments: Iterable[str],
    ) -> None:
        self._course_seed = course_seed
        self._memo = Memo()
        stems = dict.fromkeys(exercise.assignment for exercise in exercises)
        references = References(root, assignments)
        self._modules = {stem: references.module(stem) for stem in stems}
        roles = _roles(root)
        self._references = {
            stem: Reference(module, self._memo, roles) for stem, module in self._modules.items()
        }
        self._plugin = BenchPlugin()
        files = [Path(path) for exercise in exercises for path in exercise.suites]
        self._suites = Suites(files, root, [plugin, self._plugin])
        checks = checks_of(self._suites.items, exercises)
        self.checks = checks[::-1] if reverse else checks
        self._times: dict[tuple[str, int], float] = {}
        self._proofs: dict[str, Observation | None] = {}
        self._asked: dict[str, Collection[str]] = {}
        follows = any(exercise.calls for exercise in exercises)
        self._following = (
            Following(Mistakes(root, references), self._modules, checks, self) if follows else None
        )

    def grade(
        self, client: SubmissionClient, digest: str, only: Sequence[str] = ()
    ) -> list[Observation]:
        """One observation per check of the exercises in `only`, of all if that is empty.

        Public checks are run first: a process that has seen hidden inputs could tell them in the
        words of its exceptions, which a public check shows.


        Raises `Starved`, `SourceGone`.
        """
        found = {}
        wanted = [check for check in self.checks if not only or check.exercise.slug in only]
        for check in sorted(wanted, key=lambda check: check.hidden):
            client.note_check(check.id)
            found[check.id] = self._grade_one(check, client, digest)
        if self._following is not None:
            self._following.through(found, client, digest)
        return [found[check.id][0] for check in wanted]

    def suite_modules(self) -> dict[str, ModuleType]:
        """The suites as they were imported, by their place in the course."""
        return {check.item.location[0]: check.item.module for check in self.checks}

    def _grade_one(
        self, check: Check, client: SubmissionClient, digest: str
    ) -> tuple[Observation, Seen]:
        if check.disabled:
            why = f"marked {check.disabled}: a check that is skipped proves nothing"
            return ours(check, why), []
        started = time.perf_counter()
        found, seen = self.attempt(check, client, digest)
        if found.outcome in ACCUSING:
            limit = self._limit(check)
            broken = self._prove(check)
            if broken is not None:
                found = broken
            elif found.outcome is Outcome.TIMED_OUT and self._limit(check) > limit:
                found, seen = self.attempt(check, client, digest)
        kept = seen if found.outcome in ACCUSING else []
        return replace(found, duration_ms=(time.perf_counter() - started) * 1e3), kept

    def attempt(
        self,
        check: Check,
        client: SubmissionClient,
        digest: str,
        prepare: Callable[[SubmissionClient], None] | None = None,
    ) -> tuple[Observation, Seen]:
        """Run a check on a submission; what came of it, and what it saw."""
        record = Record()
        try:
            times = self._times
            client.start_check(lambda call: times.get((check.id, call), 0.0), check.alone)
            if prepare is not None:
                prepare(client)
        except StudentFault as fault:
            return observation(check, [Phase("setup", fault)], record), record.seen
        record.definition = client.definition(check.exercise.assignment, check.exercise.targets[0])
        return self._run(check, client, client, digest, record), record.seen

    def rehearse(
        self, check: Check, modules: Mapping[str, ModuleType], digest: str
    ) -> tuple[Observation, Seen]:
        """Run a check on references as if they were a submission."""
        client = LocalClient(lambda stem, name: getattr(modules[stem], name), _no_file)
        return self._rehearsed(check, client, modules, digest)

    def asked_for(self, check: Check) -> Collection[str]:
        """The definitions that a check looks up: those of the reference, as it is the suite that
        asks."""
        if check.id not in self._asked:
            self.rehearse(check, self._modules, "reference")
        return self._asked[check.id]

    def _rehearsed(
        self, check: Check, client: Client, modules: Mapping[str, ModuleType], digest: str
    ) -> tuple[Observation, Seen]:
        record, own = Record(), OwnDefinitions(modules)
        client.begin_check()
        found = self._run(check, client, own, digest, record)
        if modules is self._modules:
            self._asked[check.id] = own.asked
        return found, record.seen

    def _prove(self, check: Check) -> Observation | None:
        """Grade the reference itself, before anybody loses a point on a check: None if it passes.

        Also measures how long the reference takes, from which time limits follow. Once per check,
        and only when needed: most checks of most submissions pass, and what a check is worth
        without a failure is for `grader validate` to prove.
        """
        if check.id not in self._proofs:
            client = LocalClient(lambda stem, name: getattr(self._modules[stem], name), _no_file)

            def took(call: int, seconds: float) -> None:
                self._times[check.id, call] = seconds

            client.took = took  # type: ignore[method-assign]
            found, _ = self._rehearsed(check, client, self._modules, "reference")
            passed = found.outcome is Outcome.PASSED
            why = f"the reference itself does not pass ({found.outcome}): {found.observed}"
            self._proofs[check.id] = None if passed else ours(check, why)
        return self._proofs[check.id]

    def _limit(self, check: Check) -> float:
        """The longest time that a call of this check may take, as far as the reference is known."""
        times = [seconds for (check_id, _), seconds in self._times.items() if check_id == check.id]
        return max(MINIMUM_LIMIT_S, REFERENCE_FACTOR * max(times, default=0.0))

    def _run(
        self,
        check: Check,
        client: Client,
        definitions: Definitions,
        digest: str,
        record: Record,
    ) -> Observation:
        seed = check_seed(self._course_seed, check.id, digest if check.fresh else "")
        self._memo.enabled = not check.fresh
        stem = check.exercise.assignment
        reference = self._references[stem]
        bench = Bench(client, definitions, stem, reference, self._memo, seed, record)
        self._plugin.laid_out = bench
        settle(seed)
        phases = self._suites.run(check.item, lambda name: getattr(bench, name), plugin.TOOLS)
        bench.clear()
        raised = [phase.error for phase in phases if isinstance(phase.error, StudentRaised)]
        record.seen += [error.type_name for error in raised]
        return observation(check, phases, record)


def settle(seed: int) -> None:
    """The same settings before every check, whatever the one before did."""
    seed_torch(seed)
    random.seed(seed)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


def _no_file(name: str) -> bool:
    return False


def _roles(root: Path) -> Roles:
    try:
        return load_roles(root)
    except Exception as error:
        path = root / "reference" / "roles.py"
        raise ReferenceBroken(f"{path}  {type(error).__name__}: {error}") from error
