"""Run the judge process: learn the course, then grade submissions one at a time.

Process: judge
Started by: nursery, fork
Knows: the suites, the reference, and the files of the submission at hand as bytes, which it hands
    on and never runs
"""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import Mapping
from pathlib import Path

from ..grade.evidence import Observation
from ..messages.answers import (
    CheckStarted,
    Failed,
    Gone,
    GradedSubmission,
    Ready,
    TooBusy,
    Trace,
    answer_message,
)
from ..messages.exercise_plan import ExercisePlan
from ..messages.grade_request import GradeRequest, grade_request_in
from ..messages.hello import Hello, hello_in
from ..sealed.opening import course_root
from ..sealed.refusal import SealedError
from ..text.language import use_language
from ..wire.faults import PeerGone
from ..wire.frame import Channel, Meta
from ..wire.load_plan import LoadPlan, Wanted
from .calls.faults import SourceGone, Starved
from .calls.student import SubmissionClient
from .calls.survey import wanted
from .calls.worker_process import WorkerStarter
from .calls.workers import Workers
from .checks.checks import facts
from .checks.pytest_bridge import CollectionFailed
from .checks.rubric_names import unknown_names
from .checks.tracing import SuiteGlobals, TracingClient
from .diagnose.likely_place import LikelyPlaces, PlacesBroken
from .grading import Grading
from .intermediates.accused import without_accused
from .policy import policy
from .reference.references import ReferenceBroken

EXIT_SOURCE_GONE = 3


AHEAD = 2
"""The number of workers started before anybody needs them: one runs a submission, one reads it."""


def run(channel: Channel, source: socket.socket, meta: Meta, forked: bool = False) -> None:
    """Run a judge until the parent hangs up or the zygote dies.

    In the latter case the process ends with EXIT_SOURCE_GONE. `forked`: the judge's workers are
    forked, and cost little.
    """
    hello = hello_in(meta)
    use_language(hello.language)
    try:
        root = course_root(hello.root, hello.key)
        use_language(hello.language, root)
        judge = Judge(channel, WorkerStarter(source), hello, root, forked)
    except (CollectionFailed, PlacesBroken, ReferenceBroken, SealedError) as error:
        channel.send(answer_message(Failed(str(error))))
        return
    try:
        judge.serve()
    except PeerGone:
        return
    except SourceGone as error:
        channel.send(answer_message(Gone(str(error))))
        raise SystemExit(EXIT_SOURCE_GONE) from None


class Judge:
    """The judge's main object: grades what the parent sends, one submission at a time."""

    def __init__(
        self, channel: Channel, starter: WorkerStarter, hello: Hello, root: Path, forked: bool
    ) -> None:
        self._channel = channel
        self._exercises = list(hello.exercises)
        self._trace = hello.trace
        self._has_own_reader = forked and hello.hurry
        # Under way while we collect: they cost the first submission nothing. But a spare holds what
        # its kernel held when it was forked, and one that is not forked imports torch for nothing.
        ahead = 0 if hello.live else AHEAD if self._has_own_reader else 1
        self._workers = Workers(starter, ahead)
        self._grading = Grading(
            root, _seed(hello), self._exercises, hello.reverse, hello.targets, traced=self._trace
        )
        self._grading.diagnoses = hello.diagnose
        self._grading.counterexamples = hello.counterexamples
        if hello.tell:
            self._grading.tell = lambda *at: channel.send(answer_message(CheckStarted(*at)))
        self._globals = SuiteGlobals(self._grading.suite_modules() if self._trace else {})
        self._likely = LikelyPlaces(root)
        self._stubs = self._grading.stubs or _stubs(hello, root)
        self._looked_for: dict[tuple[str, ...], Wanted | None] = {}
        gc.freeze()  # all of this stays: to look through it takes 25 ms, in the middle of a check
        gc.enable()

    def serve(self) -> None:
        checks = [facts(check) for check in self._grading.checks]
        checks += [rule for exercise in self._exercises for rule in policy.facts(exercise)]
        unknown = unknown_names(self._exercises, self._grading.references)
        self._channel.send(answer_message(Ready(tuple(checks), tuple(unknown))))
        while True:
            request = grade_request_in(self._channel.receive())
            self._channel.send(answer_message(self._grade(request)))

    def _grade(self, request: GradeRequest) -> GradedSubmission | TooBusy:
        scope = request.scope
        exercises = [one for one in self._exercises if not scope.only or one.slug in scope.only]
        # What nobody asks about now is neither read nor run, unless something else imports it.
        plan = LoadPlan(
            request.files,
            request.entries,
            _targets(exercises),
            self._stubs,
            others=request.others,
        )
        operators = {name: one.operators.get(name, ()) for one in exercises for name in one.banned}
        wanted = self._wanted(scope.only, exercises)
        started = time.perf_counter()
        make = TracingClient if self._trace else SubmissionClient
        client = make(self._workers, plan, wanted, operators, self._has_own_reader)
        try:
            observations, without = self._grading.grade(client, request.digest, scope)
            self._look_into(exercises, client, request.digest)
            client.end_worker()
            observations = self._completed(observations, exercises, client)
            notes = [*client.loaded.notes(), *policy.notes(exercises, client)]
            notes += policy.flags(exercises, client)
        except Starved as error:
            return TooBusy(str(error))
        finally:
            client.close()
            self._workers.processor.forget()
            self._workers.restock()
        return GradedSubmission(
            observations=tuple(observations),
            without=tuple(without),
            notes=tuple(notes),
            choices=client.loaded.choices(),
            isolation=client.isolation,
            duration_ms=(time.perf_counter() - started) * 1e3,
            trace=self._traced(client),
        )

    def _look_into(
        self, exercises: list[ExercisePlan], client: SubmissionClient, digest: str
    ) -> None:
        """Find out whether answers depend on banned operations, if the text names none of them."""
        for exercise in exercises:
            slug = exercise.slug
            if not client.ran.checks(slug) or policy.is_named(exercise, client):
                continue
            if self._grading.depends(slug, client, digest):
                client.ran.prove(slug)

    def _wanted(self, only: tuple[str, ...], exercises: list[ExercisePlan]) -> Wanted | None:
        if only not in self._looked_for:
            # Places are looked for to be put beside causes.
            patterns = self._likely.patterns if self._grading.diagnoses else {}
            fresh = wanted(exercises, self._grading.references, patterns)
            self._looked_for[only] = fresh
        return self._looked_for[only]

    def _completed(
        self, seen: list[Observation], exercises: list[ExercisePlan], client: SubmissionClient
    ) -> list[Observation]:
        """Add the likely places of causes, and the observations made from the text alone."""
        plans = {exercise.slug: exercise for exercise in exercises}
        placed = [self._likely.placed(plans[one.exercise], one, client) for one in seen]
        return [*without_accused(placed), *policy.observations(exercises, client)]

    def _traced(self, client: SubmissionClient) -> Trace:
        if not isinstance(client, TracingClient):
            return Trace()
        called = {check: tuple(sorted({*names})) for check, names in client.methods_called.items()}
        written = tuple((file, name) for file, name in self._globals.written())
        return Trace(client.answers, called, client.refused_by, written)


def _stubs(hello: Hello, root: Path) -> Mapping[str, Mapping[str, str]]:
    if hello.stubs is not None:
        return hello.stubs
    from ..handouts.stub_digests import stub_digests

    return stub_digests(root, hello.targets)


def _seed(hello: Hello) -> str:
    """Return the course seed, read from rubric.yaml if the parent sent none.

    A parent that copies itself to make workers must not know the seed.
    """
    if hello.seed is not None:
        return hello.seed
    from ..course.rubric_file import load_rubric

    return load_rubric(Path(hello.root) / "rubric.yaml").seed


def _targets(exercises: list[ExercisePlan]) -> dict[str, tuple[str, ...]]:
    targets: dict[str, tuple[str, ...]] = {}
    for exercise in exercises:
        targets[exercise.assignment] = targets.get(exercise.assignment, ()) + exercise.targets
    return targets
