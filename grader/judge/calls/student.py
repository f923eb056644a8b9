"""Call a submission in a worker process: load it, limit its calls, replace a worker that ended."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ...grade.evidence import Where
from ...text.language import _
from ...wire.faults import Deadline, TooLarge, Unsupported, Violation, WireFault
from ...wire.frame import Message, Meta
from ...wire.isolation_record import IsolationRecord
from ...wire.load_plan import LoadPlan, Wanted
from ...wire.raised import RemoteRaised
from ...wire.values import Node
from . import process_exit
from .apart import Apart, WorkerState
from .calls_seen import Ran
from .client import Client
from .faults import (
    AuthorFault,
    Crashed,
    NotDefined,
    StudentFault,
    StudentRaised,
    TimedOut,
    was_killed,
)
from .handles import Parameters, RemoteFunction, RemoteModule
from .hang_places import head_of_loop, running_functions
from .judge_peer import JudgePeer
from .loaded_files import LoadedFiles, place_in
from .loader import Loader
from .memory import limit_memory
from .process_exit import NOWHERE, Hung
from .submission_limits import LOADING_LIMIT_S, ReferenceTime, SubmissionLimits
from .survey import Survey
from .text_reader import TextReader
from .worker_process import WorkerProcess
from .workers import Workers

MOST_KILLS = 2
"""So often a SIGKILL costs nothing. More of them are taken for the submission's own doing."""


class SubmissionClient(Client):
    """The client of one submission; keeps a loaded worker for as long as the submission allows.

    `SubmissionLimits` holds its limits, a `TextReader` has its text read, a `Loader` loads it,
    `LoadedFiles` tells what it defines, and `Ran` what it ran.
    """

    def __init__(
        self,
        workers: Workers,
        plan: LoadPlan,
        wanted: Wanted | None = None,
        operators: Mapping[str, tuple[str, ...]] | None = None,
        own_reader: bool = False,
    ) -> None:
        """Take note of the plan; start no worker yet.

        `wanted`: what to read from the text before it runs; None to read nothing. `operators`:
        banned name -> the operators that torch runs for it. `own_reader`: a worker of its own reads
        the text; otherwise the worker that will run the text reads it first.
        """
        super().__init__()
        self._workers = workers
        self._place = functools.partial(place_in, plan.files)
        self.ran = Ran(self._place, operators or {}, tuple(plan.files))
        self._plan = replace(plan, counted=self.ran.counted)
        self._reader = TextReader(workers, self._plan, wanted, own_reader)
        self._limits = SubmissionLimits()
        self._loader = Loader(self._plan, self._limits)
        self.kills = 0
        """How often a process of this submission was ended by a SIGKILL."""
        self._alone = False
        self.isolation: IsolationRecord | None = None
        self._falsify = False
        self._lent: list[tuple[Any, ...]] = []
        """What was put in place of the student's own functions for this check."""
        self._second = Apart(self)

    @property
    def is_worth_another_try(self) -> bool:
        """Return whether what a SIGKILL ended may be tried again: it may not be the student's."""
        return self.kills <= MOST_KILLS

    @property
    def why_not_loaded(self) -> StudentFault | None:
        """Return the fault that keeps the submission from being loaded at all, if there is one."""
        return self._loader.hopeless

    @property
    def loaded(self) -> LoadedFiles:
        """Return what the submission defines, as far as it was loaded by now."""
        return LoadedFiles(self._plan, self._loader.report)

    @property
    def survey(self) -> Survey | None:
        """Return what was read from the text; None if no worker was ever brought up.

        Raises:
            Starved: the machine was too busy to read it.
        """
        return self._reader.survey()

    def absent(self, stem: str, names: Sequence[str]) -> NotDefined | None:
        """Return why there is nothing to check of an exercise; see `LoadedFiles.absent`.

        Return None if nothing can be loaded: what keeps a file from that is seen in a check.
        """
        if self._loader.hopeless is not None:
            return None
        if not self._loader.report.modules:
            try:
                self._now.worker = self._bring_up()
            except StudentFault:
                return None
        return self.loaded.absent(stem, names)

    # ---- processes -----------------------------------------------------------------------

    def close(self) -> None:
        """End all processes for good; only the creator of this client may call this."""
        self.end_worker()
        self._reader.close()

    def end_worker(self) -> None:
        """End the processes that run the submission; a later check gets others.

        A worker that is reading the text meanwhile is left alone.
        """
        for state in self._states():
            self._end(state)

    def _states(self) -> tuple[WorkerState, ...]:
        """Return the process that is called now, and the second one if that is not the same."""
        second = self._second.state
        return (self._now,) if self._now is second else (self._now, second)

    def _end(self, state: WorkerState) -> None:
        if state.worker is not None:
            self.ran.take(state.worker.tally)
            self._limits.time.add_waiting(state.worker)
            state.worker.kill()
            state.worker = None

    @property
    def apart(self) -> Apart:
        """Return a second process of this submission, to be asked what this one must not know."""
        return self._second

    @contextmanager
    def using(self, state: WorkerState) -> Iterator[None]:
        self._limits.renew()
        try:
            with super().using(state):
                yield
        finally:
            self._limits.renew()

    def begin_apart(self) -> None:
        """Provide the second process, as fresh for the check at hand as the first was.

        Raises:
            StudentFault: the submission cannot be loaded.
        """
        self._forget_calls()
        self._provide()
        for lent in self._lent:
            self.invoke(["S"], lent, {}, {})

    # ---- checks --------------------------------------------------------------------------

    def note_check(self, check: str) -> None:
        """Take note that a check begins, or with "" that the last has ended; do nothing here."""

    def note_answers(self, answers: list[Any]) -> None:
        """Take note of a check's answers, which were given elsewhere; do nothing here."""

    def start_check(self, reference_time: ReferenceTime, alone: bool = False) -> None:
        """Provide a loaded worker with fresh module state for a check.

        `alone`: a worker that no other check has or gets.

        Raises:
            StudentFault: the submission can't be loaded at all, or used up its time.
        """
        self.begin_check()
        self._workers.processor.settle()
        self._limits.begin_check(reference_time)
        if self._loader.hopeless is not None:
            raise self._loader.hopeless
        self._limits.require_time(self._now.worker)
        if (alone or self._alone) and not self._now.clean:
            self._end(self._now)  # no memory is limited in the second process
        self._alone = alone
        self._lent.clear()
        self._second.begin_check()
        self._provide()
        if alone:
            self.send_along(["B", "return_freed_memory"], ())

    def _provide(self) -> None:
        """Make sure of a loaded worker that resets the submission before the next call."""
        state = self._now
        worker = state.worker = state.worker or self._bring_up()
        self.peer.forget()  # graphs of call-backs that the student's side never released
        # The reset travels with the first call: a round trip of its own costs more than it does.
        state.must_reset = not state.clean
        state.clean = False
        state.layers.clear()
        if state.must_reset and self._loader.runs_while_loaded:
            with self.uncounted():
                self.invoke(["B", "nothing"], (), {}, {})
        worker.tally.news()  # of what ran while it was loaded
        worker.tally.falsify(self._falsify)

    def limit_memory(self, mib: int) -> list[str]:
        if not self._alone:
            raise AuthorFault("memory is limited for good: mark it with @pytest.mark.alone")
        return limit_memory(self._worker_at_work(), self.peer, mib)

    def limit_of(self, call: int) -> float:
        return self._limits.of_call(call)

    def before_request(self) -> None:
        self._limits.begin(self._worker_at_work())

    def after_request(self) -> None:
        self._limits.time.end()

    def _worker_at_work(self) -> WorkerProcess:
        if self._now.worker is None:
            raise Crashed(_("the process had already ended"), _("an answer"))
        return self._now.worker

    # ---- loading -------------------------------------------------------------------------

    def _bring_up(self) -> WorkerProcess:
        """Start a worker and load the submission in it.

        A statement that hangs or ends the process is left out in the next try, until the time for
        loading is used up. The time in which workers start is not charged: one that is no fork has
        to import torch. But with all tries it may take no more than twice the limit, once the first
        worker is ready: a file may end one process after the other.

        Raises:
            StudentFault: the submission cannot be loaded.
        """
        left_s, end = LOADING_LIMIT_S, math.inf
        while True:
            worker = self._take_worker()
            if not self._reader.read_first(worker):
                self._end(self._now)
                continue
            now = time.monotonic()
            end = min(end, now + 2 * LOADING_LIMIT_S)
            until = min(now + left_s, end)
            try:
                self._loader.load(worker, self.peer, until)
            except StudentFault as fault:
                left_s = until - time.monotonic()
                self._end(self._now)
                may_retry = was_killed(fault) and self.is_worth_another_try
                if not may_retry or left_s <= 0:
                    self._loader.leave_out(fault, until)
                continue
            self._now.clean = True
            self._workers.restock()
            return worker

    def _take_worker(self) -> WorkerProcess:
        worker = self._now.worker = self._workers.take()
        worker.more_time = self._more_time
        self._limits.renew()
        self.isolation = worker.isolation
        notices = {**self._loader.notices, "slow": self._slow}
        self._now.peer = JudgePeer(worker.channel, self._now.side, self, notices)
        self.limit_s = LOADING_LIMIT_S
        return worker

    def _more_time(self) -> float:
        return self._limits.more_time(self._now.worker, self.limit_s)

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> bool:
        """For this check, replace the student's own `name` of `stem` by `function` of the grader's.

        Return False if the assignment `into` has no way to call it.

        Raises:
            StudentFault: the worker does not answer.
        """
        lent = stem, name, into, function
        with self.uncounted():
            places = self.invoke(["S"], lent, {}, {})
        self._lent.append(lent)
        self._limits.allow_callbacks()
        return type(places) is int and places > 0

    def reaches(self, into: str, names: Sequence[str], stem: str, name: str) -> bool:
        """Tell whether the student's `names` in `into` use their own `name` of `stem`.

        Also True if they would use it if it could have been imported. A lie would only cost the
        student points.

        Raises:
            StudentFault: the worker does not answer.
        """
        self.start_check(lambda call: 0.0)
        return self.invoke(["U"], (into, list(names), stem, name), {}, {}) is True

    # ---- faults --------------------------------------------------------------------------

    def took(self, call: int, seconds: float) -> None:
        self._limits.places.answered()
        super().took(call, seconds)

    def raised(self, error: RemoteRaised) -> StudentRaised:
        self._limits.places.answered()
        fault = super().raised(error)
        forgotten = self.loaded.forgotten(fault)
        if forgotten is not None:  # the same words, and place, wherever the name is used
            fault.observed, fault.detail, fault.where = forgotten.text, "", forgotten.where
        is_jailed = self.isolation is None or self.isolation.tier != "none"
        if is_jailed and (why := process_exit.refusal_in_words(error)):
            fault.observed += f" ({why})"
            fault.tried = process_exit.tried(error)
        return fault

    def translate(self, error: WireFault) -> BaseException:
        if isinstance(error, (TooLarge, Unsupported)):
            return error
        worker = self._now.worker
        limit_s, starved = self.limit_s, False
        if isinstance(error, Deadline):
            limit_s, starved = self._limits.missed(worker, limit_s)
        fault = process_exit.fault_of(error, worker, limit_s, starved, self._hung())
        self._end(self._now)
        self.kills += was_killed(fault)
        if isinstance(fault, TimedOut):
            self._limits.timed_out()
        return fault

    def _hung(self) -> Hung:
        """Return where the call at hand is; only a place that exists."""
        at = self._limits.places.place
        if at is None:
            return NOWHERE
        line = at.line if at.loop is None else at.loop
        where = self._place(at.file, at.cell, line)
        if at.loop is not None and where is not None and where.line and where.cell is None:
            head = head_of_loop(self._plan.files[where.file], where.line)
            where = replace(where, line=head)
        return Hung(where, at.loop is not None, self._limits.places.is_known)

    def _slow(self, message: Message) -> None:
        """Take note of where a call is, and end it sooner if others hung there."""
        if self._loader.is_at_work:
            raise Violation("slow")
        functions = running_functions(message.meta.get("functions"))
        worker = self._now.worker
        is_cold = worker is not None and worker.is_cold
        most_s = self._limits.of_call_in(functions, is_cold=is_cold)
        if most_s < self.limit_s and self.peer.until is not None:
            self.peer.until -= self.limit_s - most_s
            self.limit_s = most_s

    def place(self, error: RemoteRaised) -> Where | None:
        """Return only a place that exists."""
        return self._place(error.file, error.cell, error.line)

    def own_line(self, file: Any, cell: Any, line: Any) -> Where | None:
        where = self._place(file, cell, line)
        return where if where is not None and where.line is not None else None

    def own_text(self, where: Where, start: int, end: int) -> str:
        lines = self._plan.files.get(where.file, b"").split(b"\n")
        if where.cell is not None or where.line is None or not 0 < where.line <= len(lines):
            return ""  # a notebook's lines are not those of its file
        return lines[where.line - 1][start:end].decode(errors="replace")

    def has_written(self, file: str, name: str) -> bool:
        return name.encode() in self._plan.files.get(file, b"")

    # ---- what really ran -----------------------------------------------------------------

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        """Call `target` as any client does, but do not count what a check's own torch objects run.

        Such a layer, optimiser or generator is torch's own, made by the check itself.
        """
        state, worker = self._now, self._now.worker
        ours = target[0] in ("L", "M", "G") or (target[0] == "H" and target[1] in state.layers)
        if not ours or worker is None:
            return super().invoke(target, args, kwargs, parameters)
        self.count()
        worker.tally.falsify(False)
        value = super().invoke(target, args, kwargs, parameters)
        if isinstance(value, (RemoteModule, RemoteFunction)):
            state.layers.add(value.target[1])
        if state.worker is worker:
            worker.tally.news()
            worker.tally.falsify(self._falsify)
        return value

    @contextmanager
    def unjudged(self) -> Iterator[None]:
        """Run what says nothing about the submission: its processes are ended afterwards.

        A hook that we set on its frames would be noted as one that it has set itself.
        """
        self.count()
        self.ran.is_closed = True
        try:
            yield
        finally:
            self.end_worker()
            self.ran.is_closed = False

    def count(self) -> None:
        """Read what the workers have counted so far."""
        for state in self._states():
            if state.worker is not None:
                self.ran.take(state.worker.tally)

    @contextmanager
    def falsified(self, on: bool) -> Iterator[None]:
        """Use a new worker meanwhile; if `on`, what is counted gives wrong answers there."""
        self.end_worker()
        self._falsify = on
        try:
            yield
        finally:
            self._falsify = False
            self.end_worker()

    def settings(self) -> Meta:
        return super().settings() | self.ran.settings | {"slow": True}

    def note(self, noted: Any) -> None:
        self.ran.note(noted)
