"""The judge process: learns the course, then grades submissions one at a time."""

from __future__ import annotations

import dataclasses
import gc
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..evidence import Note, Observation
from ..language import use_language
from ..scope import Scope
from ..wire.faults import PeerGone
from ..wire.frame import Channel, Message, Meta
from . import policy
from .checks import ExercisePlan, facts
from .faults import SourceGone, Starved
from .grading import Grading
from .likely import Likely, PlacesBroken
from .pytest_bridge import CollectionFailed
from .references import ReferenceBroken
from .stubs import stub_digests
from .student import Plan, SubmissionClient
from .survey import wanted
from .tracing import SuiteGlobals, TracingClient
from .worker_process import Source
from .workers import Workers

EXIT_SOURCE_GONE = 3


AHEAD = 2
"""Workers that are under way before anybody needs them: one runs a submission, one reads it."""


def run(channel: Channel, source: socket.socket, hello: Meta, forked: bool = False) -> None:
    """The whole life of a judge. Ends the process when the parent hangs up or the zygote dies.

    `forked`: its workers are, and cost little.
    """
    use_language(hello["language"], Path(hello["root"]))
    try:
        judge = Judge(channel, Source(source, hello.get("limits")), hello, forked)
    except (CollectionFailed, PlacesBroken, ReferenceBroken) as error:
        channel.send({"t": "failed", "why": str(error)})
        return
    try:
        judge.serve()
    except PeerGone:
        return
    except SourceGone as error:
        channel.send({"t": "gone", "why": str(error)})
        raise SystemExit(EXIT_SOURCE_GONE) from None


class Judge:
    """Grades what the parent sends, one submission at a time."""

    def __init__(self, channel: Channel, source: Source, hello: Meta, forked: bool) -> None:
        self._channel = channel
        root = Path(hello["root"])
        self._exercises = [_exercise(row) for row in hello["exercises"]]
        self._trace = bool(hello.get("trace"))
        self._apart = forked and bool(hello.get("hurry"))
        # Under way while we collect: they cost the first submission nothing. But a spare holds what
        # its kernel held when it was forked, and one that is not forked imports torch for nothing.
        ahead = 0 if hello.get("live") else AHEAD if self._apart else 1
        self._workers = Workers(source, ahead)
        self._grading = Grading(
            root, hello["seed"], self._exercises, hello["reverse"], hello["targets"]
        )
        self._grading.diagnoses = bool(hello["diagnose"])
        self._globals = SuiteGlobals(self._grading.suite_modules() if self._trace else {})
        self._likely = Likely(root)
        self._stubs = stub_digests(root, hello["targets"])
        self._looked_for: dict[tuple[str, ...], dict[str, Any]] = {}
        gc.freeze()  # all of this stays: to look through it takes 25 ms, in the middle of a check

    def serve(self) -> None:
        rows = [facts(check) for check in self._grading.checks]
        rows += [row for exercise in self._exercises for row in policy.facts(exercise)]
        self._channel.send({"t": "ready", "checks": rows})
        while True:
            message = self._channel.receive()
            self._channel.send(self._grade(message))

    def _grade(self, message: Message) -> Meta:
        meta = message.meta
        scope = _scope(meta)
        exercises = [one for one in self._exercises if not scope.only or one.slug in scope.only]
        # What nobody asks about now is neither read nor run, unless something else imports it.
        plan = Plan(
            _files(message),
            meta["entries"],
            _targets(exercises),
            self._stubs,
            meta["others"],
            self._wanted(scope.only, exercises),
        )
        started = time.perf_counter()
        make = TracingClient if self._trace else SubmissionClient
        client = make(self._workers, plan, self._apart)
        try:
            observations, without = self._grading.grade(client, meta["digest"], scope)
            client.end_worker()
            observations = self._completed(observations, exercises, client)
            notes = [*client.notes(), *policy.notes(exercises, client)]
        except Starved as error:
            return {"t": "starved", "why": str(error)}
        finally:
            client.close()
            self._workers.restock()
        return {
            "t": "graded",
            "observations": [_plain(observation) for observation in observations],
            "without": [_plain(observation) for observation in without],
            "notes": [_plain(note) for note in notes],
            "choices": {stem: list(choice) for stem, choice in client.choices().items()},
            "isolation": dict(client.isolation),
            "duration_ms": (time.perf_counter() - started) * 1e3,
            "trace": self._traced(client),
        }

    def _wanted(self, only: tuple[str, ...], exercises: list[ExercisePlan]) -> dict[str, Any]:
        if only not in self._looked_for:
            # Places are looked for to be put beside causes.
            patterns = self._likely.patterns if self._grading.diagnoses else {}
            found = wanted(exercises, self._grading.references, patterns)
            self._looked_for[only] = found
        return self._looked_for[only]

    def _completed(
        self, seen: list[Observation], exercises: list[ExercisePlan], client: SubmissionClient
    ) -> list[Observation]:
        """With the likely places of causes, and what the text alone tells."""
        plans = {exercise.slug: exercise for exercise in exercises}
        placed = [self._likely.placed(plans[one.exercise], one, client) for one in seen]
        return [*placed, *policy.observations(exercises, client)]

    def _traced(self, client: SubmissionClient) -> Meta:
        if not isinstance(client, TracingClient):
            return {}
        return {"answers": client.answers, "written": self._globals.written()}


def _scope(meta: Meta) -> Scope:
    seen_in = meta["seen_in"]
    return Scope(
        tuple(meta["only"]),
        tuple(meta["unknown"]),
        None if seen_in is None else tuple((stem, name) for stem, name in seen_in),
        meta["diagnose"],
    )


def _plain(value: Observation | Note) -> dict[str, Any]:
    # `asdict` copies every leaf: 40 ms for a course's checks, nearly all of them without a cause.
    return {name: _nested(one) for name, one in vars(value).items()}


def _nested(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return [_nested(one) for one in value] if isinstance(value, tuple) else value


def _files(message: Message) -> dict[str, bytes]:
    files, start = {}, 0
    for name, size in message.meta["files"]:
        files[name] = bytes(message.payload[start : start + size])
        start += size
    return files


def _exercise(row: Mapping[str, Any]) -> ExercisePlan:
    return ExercisePlan(
        slug=row["slug"],
        assignment=row["assignment"],
        targets=tuple(row["targets"]),
        suites=tuple(row["suites"]),
        hidden=frozenset(row["hidden"]),
        calls=dict(row["calls"]),
        copied=row["copied"],
        banned=tuple(row["banned"]),
        no_loops=tuple(row["no_loops"]),
        policy=row["policy"],
    )


def _targets(exercises: list[ExercisePlan]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for exercise in exercises:
        found[exercise.assignment] = found.get(exercise.assignment, ()) + exercise.targets
    return found
