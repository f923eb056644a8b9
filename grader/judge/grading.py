"""Runs the checks of all exercises against one client and collects observations."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import torch

from ..evidence import Observation, Outcome
from ..language import _
from ..scope import Scope
from ..worker.side import seed_torch
from . import plugin
from .bind.roles import load_roles
from .checks import Check, ExercisePlan, checks_of
from .client import MINIMUM_LIMIT_S, REFERENCE_FACTOR, Client, LocalClient
from .diagnose.diagnosis import Diagnosis
from .diagnose.knowledge import load_knowledge
from .faults import CheckFailed, StudentFault, StudentRaised
from .follow import ACCUSING, Following, Found
from .memo import Memo, Reference
from .mistakes import Mistakes
from .namespace import Definitions
from .observe import Record, observation, ours
from .plugin import Bench, BenchPlugin
from .probe import check_seed
from .pytest_bridge import Phase, Suites
from .references import ReferenceBroken, References
from .rehearsal import AS_GRADED, Rehearsals
from .sight import Draw, Sight
from .student import SubmissionClient

Data = TypeVar("Data")
EVERYTHING = Scope()


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
        roles = _course_data(root, "roles.py", load_roles)
        knowledge = _course_data(root, "diagnosis.py", load_knowledge)
        self._references = {
            stem: Reference(module, self._memo, roles) for stem, module in self._modules.items()
        }
        self._plugin = BenchPlugin()
        files = [Path(path) for exercise in exercises for path in exercise.suites]
        self._suites = Suites(files, root, [plugin, self._plugin])
        checks = checks_of(self._suites.items, exercises)
        self.checks = checks[::-1] if reverse else checks
        self._times: defaultdict[str, dict[int, float]] = defaultdict(dict)
        self._proofs: dict[str, Observation | None] = {}
        self._asked: dict[str, Collection[str]] = {}
        mistakes = Mistakes(root, references)
        self._rehearsals = Rehearsals(self._modules, mistakes, self)
        self._following = Following(self._modules, checks, self, mistakes, self._rehearsals)
        self.diagnoses = True
        """Whether to look for what is behind failures."""
        self._diagnosis = Diagnosis(root, knowledge, checks, self, mistakes, self._rehearsals)

    def grade(
        self,
        client: SubmissionClient,
        digest: str,
        scope: Scope = EVERYTHING,
    ) -> tuple[list[Observation], list[Observation]]:
        """One observation per check of the exercises in `scope.only`, of all if that is empty.

        The second list holds the same ones as they would be if nobody had heard of the mistakes
        in `scope.unknown`; it is empty if that is.

        Public checks are run first: a process that has seen hidden inputs could tell them in the
        words of its exceptions, which a public check shows.

        Raises `Starved`, `SourceGone`.
        """
        found: Found = {}
        only, unknown = scope.only, scope.unknown
        diagnoses = self.diagnoses and scope.diagnose
        wanted = [check for check in self.checks if not only or check.exercise.slug in only]
        for check in sorted(wanted, key=lambda check: check.hidden):
            client.note_check(check.id)
            known = self._known(check, scope, digest if diagnoses else None)
            found[check.id] = known or self._grade_one(check, client, digest)
        client.note_check("")
        lent = self._following.through(found, client, digest)
        told = {check: observation for check, (observation, _other) in found.items()}
        without = told if unknown else {}
        if diagnoses:
            told = self._diagnosis.told(found, client, digest, lent)
        if diagnoses and unknown:
            without = self._diagnosis.told(found, client, digest, lent, unknown)
        return [told[c.id] for c in wanted], [without[c.id] for c in wanted if unknown]

    @property
    def references(self) -> Mapping[str, ModuleType]:
        """The reference of each assignment."""
        return self._modules

    def suite_modules(self) -> dict[str, ModuleType]:
        """The suites as they were imported, by their place in the course."""
        return {check.item.location[0]: check.item.module for check in self.checks}

    def _known(
        self, check: Check, scope: Scope, digest: str | None
    ) -> tuple[Observation, Sight] | None:
        """What the reference gets, where an edit of it cannot be seen by a check; with what the
        check sees of it for a digest."""
        if scope.seen_in is None or check.disabled:
            return None
        stem = check.exercise.assignment
        if any((stem, name) in scope.seen_in for name in self.asked_for(check)):
            return None
        broken = self._prove(check)
        if broken is not None:
            return broken, Sight(broken.outcome)
        sight = Sight(Outcome.PASSED)
        if digest is not None and not check.alone:
            sight = self._rehearsals.right(check, digest)
        return Observation(check.id, check.title, Outcome.PASSED), sight

    def _grade_one(
        self, check: Check, client: SubmissionClient, digest: str
    ) -> tuple[Observation, Sight]:
        if check.disabled:
            why = _("marked {mark}: a check that is skipped proves nothing", mark=check.disabled)
            return ours(check, why), Sight(Outcome.COULD_NOT_CHECK)
        absent = client.absent(check.exercise.assignment, check.exercise.targets)
        if absent is not None:
            return observation(check, [Phase("setup", absent)], Record()), Sight(absent.outcome)
        started = time.perf_counter()
        self._watch(check, client)
        found, sight = self.attempt(check, client, digest)
        if found.outcome in ACCUSING:
            limit = self._limit(check)
            broken = self._prove(check)
            if broken is not None:
                found = broken
            elif found.outcome is Outcome.TIMED_OUT and self._limit(check) > limit:
                found, sight = self.attempt(check, client, digest)
        return replace(found, duration_ms=(time.perf_counter() - started) * 1e3), sight

    def _watch(self, check: Check, client: SubmissionClient) -> None:
        """See in an exercise's first check what runs: in a public one, so that no hidden input was
        seen by who tells of it."""
        slug = check.exercise.slug
        first = not check.hidden and not client.ran.watched(slug)
        client.ran.watch(slug, check.exercise.banned if first else ())

    def attempt(
        self,
        check: Check,
        client: SubmissionClient,
        digest: str,
        prepare: Callable[[SubmissionClient], None] | None = None,
        draw: Draw = AS_GRADED,
    ) -> tuple[Observation, Sight]:
        """Run a check on a submission; what came of it, and what it saw."""
        record = Record()
        try:
            times = self._times[check.id]
            client.start_check(lambda call: times.get(call, 0.0), check.alone)
            if prepare is not None:
                prepare(client)
        except StudentFault as fault:
            found = observation(check, [Phase("setup", fault)], record)
            return found, record.sight(found.outcome)
        record.definition = client.definition(check.exercise.assignment, check.exercise.targets[0])
        found = self._run(check, client, client, digest, record, draw)
        return found, record.sight(found.outcome)

    def rehearse(
        self,
        check: Check,
        modules: Mapping[str, ModuleType],
        digest: str,
        draw: Draw,
        client: LocalClient,
    ) -> Sight:
        """What a check sees of references, run on them as if they were a submission."""
        found, record = self._rehearsed(check, client, modules, digest, draw)
        return record.sight(found.outcome)

    def asked_for(self, check: Check) -> Collection[str]:
        """The definitions that a check looks up: those of the reference, as it is the suite that
        asks."""
        if check.id not in self._asked:
            self._rehearsed(check, self._right(), self._modules, "reference", AS_GRADED)
        return self._asked[check.id]

    def _right(self) -> LocalClient:
        return LocalClient(lambda stem, name: getattr(self._modules[stem], name), _no_file)

    def _rehearsed(
        self,
        check: Check,
        client: LocalClient,
        modules: Mapping[str, ModuleType],
        digest: str,
        draw: Draw,
    ) -> tuple[Observation, Record]:
        record, own = Record(), OwnDefinitions(modules)
        client.begin_check()
        found = self._run(check, client, own, digest, record, draw)
        if modules is self._modules:
            self._asked[check.id] = own.asked
        return found, record

    def _prove(self, check: Check) -> Observation | None:
        """Grade the reference itself, before anybody loses a point on a check: None if it passes.

        Also measures how long the reference takes, from which time limits follow. Once per check,
        and only when needed: most checks of most submissions pass, and what a check is worth
        without a failure is for `grader validate` to prove.
        """
        if check.id not in self._proofs:
            client = self._right()

            def took(call: int, seconds: float) -> None:
                self._times[check.id][call] = seconds

            client.took = took  # type: ignore[method-assign]
            found = self._rehearsed(check, client, self._modules, "reference", AS_GRADED)[0]
            passed = found.outcome is Outcome.PASSED
            why = _(
                "the reference itself does not pass ({outcome}): {observed}",
                outcome=found.outcome,
                observed=found.observed,
            )
            self._proofs[check.id] = None if passed else ours(check, why)
        return self._proofs[check.id]

    def _limit(self, check: Check) -> float:
        """The longest time that a call of this check may take, as far as the reference is known."""
        slowest = max(self._times[check.id].values(), default=0.0)
        return max(MINIMUM_LIMIT_S, REFERENCE_FACTOR * slowest)

    def _run(
        self,
        check: Check,
        client: Client,
        definitions: Definitions,
        digest: str,
        record: Record,
        draw: Draw,
    ) -> Observation:
        own = digest if check.fresh else ""
        seed = check_seed(self._course_seed, check.id, own + draw.inputs)
        self._memo.enabled = not check.fresh
        stem = check.exercise.assignment
        reference = self._references[stem]
        bench = Bench(client, definitions, stem, reference, self._memo, seed, record)
        self._plugin.laid_out = bench
        settle(seed ^ draw.stirred)
        phases = self._suites.run(check.item, lambda name: getattr(bench, name), plugin.TOOLS)
        bench.clear()
        raised = [phase.error for phase in phases if isinstance(phase.error, StudentRaised)]
        record.seen += [error.type_name for error in raised]
        faults = [phase.error for phase in phases if isinstance(phase.error, StudentFault)]
        record.said = "\n".join(
            error.message if isinstance(error, StudentRaised) else error.observed
            for error in faults
            if not isinstance(error, CheckFailed)
        )
        return observation(check, phases, record)


def settle(seed: int) -> None:
    """The same settings before every check, whatever the one before did."""
    seed_torch(seed)
    random.seed(seed)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


def _no_file(name: str) -> bool:
    return False


def _course_data(root: Path, name: str, load: Callable[[Path], Data]) -> Data:
    try:
        return load(root)
    except Exception as error:
        path = root / "reference" / name
        raise ReferenceBroken(f"{path}  {type(error).__name__}: {error}") from error
