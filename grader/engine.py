"""Grades submissions: deals them to lanes, replaces what dies or stalls, loses nothing.

Runs in the parent process, which never imports torch and never forks without exec.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import Any

from .begin import Begun, TorchMissing, begin
from .course import Course
from .evidence import Note, Observation, Outcome
from .hello import CheckFacts, facts, hello, holds_hidden, mention_meta, note, observation
from .isolation import IsolationError, acceptable
from .job import Job, job_for
from .language import _
from .processes import Lane, Order, must_exec
from .scope import Scope
from .submission import Submission
from .wire.faults import PeerGone, WireFault
from .wire.frame import Message

PATIENCE_S = 60.0
"""Beyond a submission's own wall limit: starting a lane and proving the reference come on top."""
MAX_FRUITLESS_STARTS = 3


class EngineError(Exception):
    """Grading can't go on, and it is not the submission's fault. Says what to do next."""


@dataclass(frozen=True)
class Options:
    """How to grade."""

    workers: int = 1
    spawn: bool = False
    only: tuple[str, ...] = ()
    """Slugs; all exercises if empty."""
    reverse: bool = False
    """Run the checks in reverse order: a grade must not depend on it."""
    wall_s: float = 60.0
    isolation: str | None = None
    """`full`, `partial` or `none`; the best that can be had if None."""
    without: tuple[str, ...] = ()
    """Layers of isolation to leave out: for tests that prove that each of them matters. The
    results then say tier `none`."""
    trace: bool = False
    """Also bring back what student code answered, in short: for `grader validate`."""
    untouched: frozenset[str] = frozenset()
    """Slugs of which nothing seems to be written: what only they need is not loaded early."""
    diagnose: bool = True
    """Say what is behind failures: only who proves suites has no use for it."""
    hurry: bool = False
    """Somebody waits for each answer: it may cost more processor time in all to be there sooner."""


@dataclass(frozen=True)
class Result:
    """What grading one submission observed."""

    submission: Submission
    observations: tuple[Observation, ...]
    loading: tuple[Note, ...]
    tier: str
    isolation: Mapping[str, object]
    duration_ms: float
    entries: Mapping[str, str] = field(default_factory=dict)
    """Assignment -> the file that was graded for it."""
    trace: Mapping[str, Any] = field(default_factory=dict)
    """With `Options.trace`: see `grader.judge.tracing`."""
    without: tuple[Observation, ...] = ()
    """What would have been observed had nobody heard of some mistakes; see `Engine.grade`."""


@dataclass
class _Seat:
    """A lane and what it is doing."""

    lane: Lane
    until: float
    ready: bool = False
    job: Job | None = None


@dataclass
class Engine:
    """A context manager around the process tree. Entering starts it and returns at once.

    Raises:
        EngineError: torch is missing, the course has an error, or processes keep dying.
    """

    course: Course
    options: Options = field(default_factory=Options)
    begun: Begun | None = None
    """The process tree, if it is under way already; ours from then on."""
    _seats: list[_Seat] = field(default_factory=list)
    checks: tuple[CheckFacts, ...] = ()
    """Known once a submission is graded."""
    _scopes: Mapping[str, Scope] = field(default_factory=dict)
    _fruitless: int = 0
    _tiers: tuple[str, ...] = ()
    """The acceptable tiers; once a lane is up, the one that it has."""

    def __enter__(self) -> Engine:
        options = self.options
        course = hello(self.course, options.only, options.reverse)
        told = {"trace": options.trace, "diagnose": options.diagnose, "hurry": options.hurry}
        self._hello = {**course, **told}
        self._tiers = self._acceptable()
        self._tree = self.begun or _begun(options.spawn)
        self._seats = [self._open()]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tree.close(seat.lane for seat in self._seats)
        self._seats = []

    def grade(
        self, submissions: Iterable[Submission], scopes: Mapping[str, Scope] | None = None
    ) -> Iterator[Result]:
        """One result per submission, in the order in which they get finished.

        A submission whose lane dies, stalls or starves is graded once more, alone, at the end.
        `scopes`: on what a submission is graded, by its id; if not on all that `options` say.
        """
        waiting = iter(submissions)
        self._scopes = scopes or {}
        again: deque[Job] = deque()
        while True:
            self._deal(waiting, again)
            busy = [seat for seat in self._seats if seat.job is not None]
            if not busy:
                return
            for seat in self._await(busy):
                yield from self._take_in(seat, again)

    # ---- lanes ---------------------------------------------------------------------------

    def _open(self) -> _Seat:
        wanted = self.options.isolation
        reason = ""
        if wanted not in (None, "full"):
            reason = _("asked for with --isolation {tier}", tier=wanted)
        meta = mention_meta(self._hello, self.options.untouched)
        order = Order(self._tiers, reason, self.options.without, meta)
        return _Seat(self._tree.starter.start(self._hello, order), time.monotonic() + PATIENCE_S)

    def _deal(self, waiting: Iterator[Submission], again: deque[Job]) -> None:
        """Give every idle lane a submission; open lanes while there is more to do than lanes."""
        while True:
            idle = next((seat for seat in self._seats if seat.job is None), None)
            if idle is None and len(self._seats) >= self.options.workers:
                return
            job = self._next(waiting, again)
            if job is None:
                return
            if idle is None:
                idle = self._open()
                self._seats.append(idle)
            self._send(idle, job)

    def _next(self, waiting: Iterator[Submission], again: deque[Job]) -> Job | None:
        submission = next(waiting, None)
        if submission is not None:
            # of the whole course, because files import each other
            return job_for(submission, self._hello["targets"])
        alone = all(seat.job is None for seat in self._seats)
        return again.popleft() if again and alone else None

    def _send(self, seat: _Seat, job: Job) -> None:
        job.attempts += 1
        seat.job = job
        seat.until = time.monotonic() + self.options.wall_s + PATIENCE_S
        files = job.files
        meta = {
            "t": "grade",
            "files": [[name, len(data)] for name, data in files.items()],
            "entries": {stem: paths[0] for stem, paths in job.candidates.items()},
            "others": {stem: paths[1:] for stem, paths in job.candidates.items()},
            "digest": job.submission.digest,
            **asdict(self._scope_of(job)),
        }
        # A lane that is dead is noticed, and the job tried again, when its answer is read.
        with suppress(WireFault):
            seat.lane.channel.send(meta, list(files.values()), seat.until)

    def _scope_of(self, job: Job) -> Scope:
        return self._scopes.get(job.submission.id, Scope())

    # ---- answers -------------------------------------------------------------------------

    def _await(self, busy: list[_Seat]) -> list[_Seat]:
        """The lanes that have something to say, died, or ran out of time."""
        first = min(seat.until for seat in busy)
        left_s = max(0.0, first - time.monotonic())
        socks = {seat.lane.channel.sock: seat for seat in busy}
        readable, _other, _more = select.select(list(socks), [], [], left_s)
        late = [seat for seat in busy if seat.until <= time.monotonic()]
        return [socks[sock] for sock in readable] or late

    def _take_in(self, seat: _Seat, again: deque[Job]) -> Iterator[Result]:
        try:
            message = seat.lane.channel.receive(seat.until)
        except WireFault as error:
            yield from self._replace(seat, again, f"{type(error).__name__} {error}".strip())
            return
        kind = message.meta["t"]
        if kind == "ready":
            seat.ready, self._fruitless = True, 0
            self.checks = facts(message.meta["checks"])
            self._adopt()
        elif kind == "failed":
            raise EngineError(message.meta["why"])
        elif kind == "gone":
            yield from self._replace(seat, again, message.meta["why"])
        else:
            job, seat.job = seat.job, None
            assert job is not None
            yield from self._finish(job, message, again)

    def _finish(self, job: Job, message: Message, again: deque[Job]) -> Iterator[Result]:
        meta = message.meta
        if meta["t"] == "starved":
            yield from self._once_more(job, again, meta["why"])
            return
        isolation = meta["isolation"]
        self._hold_to(isolation.get("tier", "none"))
        choices = job.choices(meta["choices"])
        graded = {row["assignment"] for row in self._hello["exercises"]}
        notes = job.notes({stem: choice for stem, choice in choices.items() if stem in graded})
        yield Result(
            submission=job.submission,
            observations=tuple(observation(row) for row in meta["observations"]),
            loading=(*notes, *(note(row) for row in meta["notes"])),
            tier=isolation.get("tier", "none"),
            isolation=isolation,
            duration_ms=meta["duration_ms"],
            entries={stem: choice.path for stem, choice in choices.items()},
            trace=meta.get("trace", {}),
            without=tuple(observation(row) for row in meta["without"]),
        )

    def _once_more(self, job: Job, again: deque[Job], why: str) -> Iterator[Result]:
        if job.attempts < 2:
            again.append(job)
            return
        text = _("grading failed twice, the second time alone: {why}", why=why)
        only = self._scope_of(job).only
        yield Result(
            submission=job.submission,
            observations=tuple(
                Observation(check.id, check.title, Outcome.COULD_NOT_CHECK, observed=text)
                for check in self.checks
                if not only or check.exercise in only
            ),
            loading=(Note("problem", text),),
            tier=self._tiers[0] if len(self._tiers) == 1 else "none",
            isolation={},
            duration_ms=0.0,
            entries={stem: paths[0] for stem, paths in job.candidates.items()},
        )

    def _replace(self, seat: _Seat, again: deque[Job], why: str) -> Iterator[Result]:
        """A lane died or stalled: its submission is tried again, the lane or the tree renewed."""
        job, seat.job = seat.job, None
        self._fruitless += not seat.ready
        seat.ready = False
        if os.environ.get("GRADER_DEBUG"):
            print("lane lost:", why, file=sys.stderr)
        if self._fruitless > MAX_FRUITLESS_STARTS:
            text = _("grading processes keep dying: {why}", why=why)
            raise EngineError(f"{text}\n{self._tree.last_errors()}")
        try:
            self._take_in_tiers()
            seat.lane.kill()
            renewed = self._open()
            seat.lane, seat.until = renewed.lane, renewed.until
        except PeerGone:
            yield from self._restart(again, why)
        if job is not None:
            yield from self._once_more(job, again, why)

    def _restart(self, again: deque[Job], why: str) -> Iterator[Result]:
        """The nursery is gone, and everything forked from it with it."""
        jobs = [seat.job for seat in self._seats if seat.job is not None]
        self._fruitless += 1
        self._tree.again(seat.lane for seat in self._seats)
        self._seats = [self._open()]
        for job in jobs:
            yield from self._once_more(job, again, why)

    def _adopt(self) -> None:
        # The lanes die with the nursery, and are replaced when that shows.
        with suppress(PeerGone):
            self._take_in_tiers()

    # ---- isolation -----------------------------------------------------------------------

    def _acceptable(self) -> tuple[str, ...]:
        try:
            return acceptable(
                self.options.isolation,
                hidden=holds_hidden(self._hello),
                by_exec=must_exec(self.options.spawn),
            )
        except IsolationError as error:
            raise EngineError(str(error)) from None

    def _take_in_tiers(self) -> None:
        """What has become known about lanes. All have the same tier from then on."""
        try:
            self._tree.starter.adopt()
        except IsolationError as error:
            raise EngineError(str(error)) from None
        for seat in self._seats:
            if seat.lane.tier:
                self._hold_to(seat.lane.tier)

    def _hold_to(self, tier: str) -> None:
        if self.options.without:  # tiers are then what the test says they are
            return
        if tier not in self._tiers:
            raise EngineError(
                _(
                    "isolation changed from {before} to {after} while grading. Results so far "
                    "are good. Next: grader doctor --isolation",
                    before=self._tiers[0],
                    after=tier,
                )
            )
        self._tiers = (tier,)


def _begun(spawn: bool) -> Begun:
    try:
        return begin(spawn=spawn)
    except TorchMissing as error:
        raise EngineError(str(error)) from None
