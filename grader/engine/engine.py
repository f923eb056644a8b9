"""Grade submissions: deal them to lanes, replace what dies or stalls, lose nothing.

Runs in the parent process, which never imports torch and never forks without exec.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType

from ..course.course import Course
from ..course.scope import Scope
from ..handouts.stub_digests import stub_digests
from ..messages.answers import (
    CheckFacts,
    CheckStarted,
    Failed,
    Gone,
    GradedSubmission,
    Ready,
    TooBusy,
    UnknownName,
    answer_in,
)
from ..messages.grade_request import GradeRequest
from ..messages.hello import hello, holds_hidden, mention_meta
from ..processes.privacy import keep_private
from ..submission.submission import Submission
from ..text.language import _
from ..text.news import News
from ..wire.faults import PeerGone, WireFault
from ..worker.jail.kernel import return_freed_memory
from .agreement import criteria_without_checks, unknown_names
from .job import Job, job_for
from .lanes import Lane, Order, must_exec
from .process_tree import ProcessTree, TorchMissing, begin
from .result import Result, not_graded, result_of, tier_of
from .tiers import IsolationError, RunTiers, acceptable
from .waiting import InGroups, InOrder, Waiting

LANE_LIMIT_S = 60.0
"""Time to start a lane and prove the reference, added to a submission's own wall limit."""
BUSY_S = 400.0
"""Time added to that, for a judge that waits for a submission on a busy machine: all the time that
`grader.judge.calls.time_limits` grants or does not charge. A judge is not stuck just because its
submission takes long."""
MAX_FRUITLESS_STARTS = 3


Tell = Callable[["News | None"], None]
"""Called with news of what is being done, and now and then with None while it goes on."""
TICK_S = 0.1


class EngineError(Exception):
    """Grading can't go on, and it is not the submission's fault. Says what to do next."""


@dataclass(frozen=True)
class Options:
    """Options of a grading run."""

    workers: int = 1
    spawn: bool = False
    only: tuple[str, ...] = ()
    """Slugs of the exercises to grade; all if empty."""
    reverse: bool = False
    """Run the checks in reverse order: a grade must not depend on the order."""
    wall_s: float = 60.0
    isolation: str | None = None
    """`full`, `partial` or `none`; the best that can be reached if None."""
    without: tuple[str, ...] = ()
    """Layers of isolation to leave out, for tests which prove that each of them matters. Results
    then say tier `none`."""
    trace: bool = False
    """Also return what student code answered, in short: for `grader validate`."""
    untouched: frozenset[str] = frozenset()
    """Slugs of exercises in which nothing seems to be written: what only they need is not loaded
    early."""
    diagnose: bool = True
    """Look for the causes of failures. Not needed to prove suites."""
    counterexamples: bool = False
    """Look for the smallest input on which a failing exercise is wrong: for reports that a person
    reads."""
    hurry: bool = False
    """True if somebody waits for each answer: more processor time may be spent in all to have it
    sooner."""


@dataclass
class _LaneState:
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
    begun: ProcessTree | None = None
    """The process tree, if it was started before; the engine owns and closes it."""
    tell: Tell | None = None
    """Called with progress, if somebody waits for a submission."""
    _lanes: list[_LaneState] = field(default_factory=list)
    checks: tuple[CheckFacts, ...] = ()
    """Known once a submission is graded."""
    _scopes: Mapping[str, Scope] = field(default_factory=dict)
    _fruitless: int = 0
    _tiers: RunTiers = field(default_factory=lambda: RunTiers(()))

    def __enter__(self) -> Engine:
        options = self.options
        course = hello(self.course, options.only, options.reverse)
        self._hello = replace(
            course,
            trace=options.trace,
            diagnose=options.diagnose,
            counterexamples=options.counterexamples,
            hurry=options.hurry,
            tell=self.tell is not None,
        )
        self._tiers = RunTiers(self._acceptable())
        return_freed_memory()  # one large hand-in would stay with us for a whole class
        if self._hello.key:
            keep_private()
        self._tree = self.begun or _begun(options.spawn)
        if not self._hello.key:
            # Here and not in the judge: it costs nothing while a nursery imports torch.
            stubs = stub_digests(self.course.root, self._hello.targets)
            self._hello = replace(self._hello, stubs=stubs)
        self._lanes = [self._open()]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tree.close(state.lane for state in self._lanes)
        self._lanes = []

    def grade(
        self,
        submissions: Iterable[Submission],
        scopes: Mapping[str, Scope] | None = None,
        groups: Mapping[str, str] | None = None,
    ) -> Iterator[Result]:
        """Yield one result per submission, in the order in which they get finished.

        A submission whose lane dies, stalls or starves is graded once more, alone, at the end.
        `scopes` restricts, by a submission's id, what it is graded on; without an entry it is
        graded on all that `options` say. `groups` names, by a submission's id, those that are
        quicker on one lane than on several.
        """
        waiting = InOrder(submissions) if groups is None else InGroups(submissions, groups)
        self._scopes = scopes or {}
        again: deque[Job] = deque()
        while True:
            self._deal(waiting, again)
            busy = [state for state in self._lanes if state.job is not None]
            if not busy:
                return
            for state in self._await(busy):
                yield from self._take_in(state, again)

    # ---- lanes ---------------------------------------------------------------------------

    def _open(self) -> _LaneState:
        wanted = self.options.isolation
        reason = ""
        if wanted not in (None, "full"):
            reason = _("asked for with --isolation {tier}", tier=wanted)
        meta = mention_meta(self._hello, self.options.untouched)
        order = Order(self._tiers.tiers, reason, self.options.without, meta)
        return _LaneState(
            self._tree.starter.start(self._hello, order), time.monotonic() + LANE_LIMIT_S
        )

    def _deal(self, waiting: Waiting, again: deque[Job]) -> None:
        """Give every idle lane a submission; open lanes while there is more to do than lanes."""
        while True:
            idle = (number for number, state in enumerate(self._lanes) if state.job is None)
            lane = next(idle, len(self._lanes))
            if lane >= self.options.workers:
                return
            job = self._next(waiting.next_for(lane), again)
            if job is None:
                return
            if lane == len(self._lanes):
                self._lanes.append(self._open())
            self._send(self._lanes[lane], job)

    def _next(self, submission: Submission | None, again: deque[Job]) -> Job | None:
        if submission is not None:
            # of the whole course, because files import each other
            return job_for(submission, self._hello.targets)
        alone = all(state.job is None for state in self._lanes)
        return again.popleft() if again and alone else None

    def _send(self, state: _LaneState, job: Job) -> None:
        job.attempts += 1
        state.job = job
        state.until = time.monotonic() + self.options.wall_s + LANE_LIMIT_S + BUSY_S
        request = GradeRequest(
            job.files,
            {stem: paths[0] for stem, paths in job.candidates.items()},
            job.submission.digest,
            self._scope_of(job),
            {stem: paths[1:] for stem, paths in job.candidates.items()},
        )
        meta, contents = request.encoded()
        # A lane that is dead is noticed, and the job tried again, when its answer is read.
        with suppress(WireFault):
            state.lane.channel.send(meta, contents, state.until)

    def _scope_of(self, job: Job) -> Scope:
        return self._scopes.get(job.submission.id, Scope())

    # ---- answers -------------------------------------------------------------------------

    def _await(self, busy: list[_LaneState]) -> list[_LaneState]:
        """Wait for the lanes that have something to say, died, or ran out of time; return them."""
        ahead = [state for state in busy if state.lane.channel.has_read_ahead]
        if ahead:
            return ahead
        first = min(state.until for state in busy)
        left_s = max(0.0, first - time.monotonic())
        socks = {state.lane.channel.sock: state for state in busy}
        wait_s = left_s if self.tell is None else min(left_s, TICK_S)
        readable, _other, _more = select.select(list(socks), [], [], wait_s)
        if not readable and self.tell is not None:
            self.tell(None)
        late = [state for state in busy if state.until <= time.monotonic()]
        return [socks[sock] for sock in readable] or late

    def _take_in(self, state: _LaneState, again: deque[Job]) -> Iterator[Result]:
        try:
            answer = answer_in(state.lane.channel.receive(state.until).meta)
        except WireFault as error:
            yield from self._replace(state, again, f"{type(error).__name__} {error}".strip())
            return
        if isinstance(answer, Ready):
            state.ready, self._fruitless = True, 0
            self.checks = answer.checks
            self._hold_to_rubric(answer.unknown)
            self._adopt()
        elif isinstance(answer, CheckStarted):
            if self.tell is not None:
                self.tell(News(True, answer.exercise, answer.number, answer.count))
        elif isinstance(answer, Failed):
            raise EngineError(answer.why)
        elif isinstance(answer, Gone):
            yield from self._replace(state, again, answer.why)
        else:
            job, state.job = state.job, None
            assert job is not None
            yield from self._finish(job, answer, again)

    def _hold_to_rubric(self, unknown: Iterable[UnknownName]) -> None:
        """Raise EngineError if the rubric and the rest of the course do not agree."""
        problems = unknown_names(self.course, unknown)
        if not self.options.trace:  # `grader validate` tells of these as it does of all gaps
            problems += criteria_without_checks(self.course, self.options.only, self.checks)
        if problems:
            in_order = sorted(problems, key=lambda one: (one.line, one.column))
            raise EngineError("\n".join(map(str, in_order)))

    def _finish(
        self, job: Job, answer: GradedSubmission | TooBusy, again: deque[Job]
    ) -> Iterator[Result]:
        if isinstance(answer, TooBusy):
            yield from self._once_more(job, again, answer.why)
            return
        if answer.isolation is not None:  # else nothing of the submission was run
            self._hold_to(tier_of(answer))
        yield result_of(job, answer, self._hello)

    def _once_more(self, job: Job, again: deque[Job], why: str) -> Iterator[Result]:
        if job.attempts < 2:
            again.append(job)
            return
        only = self._scope_of(job).only
        checks = (check for check in self.checks if not only or check.exercise in only)
        yield not_graded(job, checks, why, self._tiers.known)

    def _replace(self, state: _LaneState, again: deque[Job], why: str) -> Iterator[Result]:
        """Replace a lane that died or stalled, and grade its submission once more.

        If the nursery is gone too, start everything forked from it anew.
        """
        job, state.job = state.job, None
        self._fruitless += not state.ready
        state.ready = False
        if os.environ.get("GRADER_DEBUG"):
            print("lane lost:", why, file=sys.stderr)
        if self._fruitless > MAX_FRUITLESS_STARTS:
            text = _("grading processes keep dying: {why}", why=why)
            raise EngineError(f"{text}\n{self._tree.last_errors()}")
        try:
            self._take_in_tiers()
            state.lane.kill()
            renewed = self._open()
            state.lane, state.until = renewed.lane, renewed.until
        except PeerGone:
            yield from self._restart(again, why)
        if job is not None:
            yield from self._once_more(job, again, why)

    def _restart(self, again: deque[Job], why: str) -> Iterator[Result]:
        """Start the process tree anew after the nursery died, and all that was forked from it."""
        jobs = [state.job for state in self._lanes if state.job is not None]
        self._fruitless += 1
        self._tree.again(state.lane for state in self._lanes)
        self._lanes = [self._open()]
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
                sealed=bool(self._hello.key),
            )
        except IsolationError as error:
            raise EngineError(str(error)) from None

    def _take_in_tiers(self) -> None:
        """Take in the tiers that lanes have reached.

        Raises EngineError if one has no tier, or another than the lanes before it.
        """
        try:
            self._tree.starter.adopt()
        except IsolationError as error:
            raise EngineError(str(error)) from None
        for state in self._lanes:
            if state.lane.tier:
                self._hold_to(state.lane.tier)

    def _hold_to(self, tier: str) -> None:
        if self.options.without:  # tiers are then what the test says they are
            return
        try:
            self._tiers = self._tiers.held_to(tier)
        except IsolationError as error:
            raise EngineError(str(error)) from None


def _begun(spawn: bool) -> ProcessTree:
    try:
        return begin(spawn=spawn)
    except TorchMissing as error:
        raise EngineError(str(error)) from None
