"""Call a submission in a worker process: load it, limit its calls, replace a worker that ended."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ...grade.evidence import Note, Where
from ...submission.file_choice import Choice
from ...text.language import _
from ...wire.faults import Deadline, TooLarge, Unsupported, Violation, WireFault
from ...wire.frame import Message, Meta
from ...wire.load_plan import LoadPlan, Wanted, load_request
from ...wire.load_report import LoadNote, LoadReport, ModuleReport, TargetReport
from ...wire.load_report import load_report as decoded_report
from ...wire.raised import RemoteRaised
from ...wire.values import Node
from . import load_report, process_exit
from .apart import Apart, WorkerState
from .calls_seen import Ran
from .client import MINIMUM_LIMIT_S, REFERENCE_FACTOR, Client, JudgePeer
from .faults import (
    AuthorFault,
    Crashed,
    NotDefined,
    SourceGone,
    StudentFault,
    StudentRaised,
    TimedOut,
    was_killed,
)
from .handles import Parameters, RemoteFunction, RemoteModule
from .memory import limit_memory
from .survey import Survey
from .text_reader import Reading
from .time_limits import LimitExtension, SubmissionTime
from .worker_process import WorkerProcess
from .workers import Workers

STATEMENT_LIMIT_S = 2.0
LOADING_LIMIT_S = 10.0
SUBMISSION_LIMIT_S = 60.0
PATIENT_HANGS = 3
IMPATIENT_LIMIT_S = 0.5
"""The shorter limit, in seconds, after `PATIENT_HANGS` calls without an answer.

It is no less fair: 50 times the reference's time still holds."""
CALLBACK_FACTOR = 4.0
"""Factor on the limits of a call that calls back to the judge: it waits for the judge as well."""

_UNDEFINED = re.compile(r"name '(\w+)' is not defined")

ReferenceTime = Callable[[int], float]
"""Seconds the reference took for the n-th call of the current check."""


MOST_KILLS = 2
"""So often a SIGKILL costs nothing. More of them are taken for the submission's own doing."""


class SubmissionClient(Client):
    """The client of one submission; keeps a loaded worker for as long as the submission allows."""

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
        self._workers, self._wanted, self._has_own_reader = workers, wanted, own_reader
        self.ran = Ran(self._line, operators or {}, tuple(plan.files))
        self._plan = replace(plan, counted=self.ran.counted)
        self._worker: WorkerProcess | None = None
        self._reading: Reading | None = None
        self._skip: set[tuple[str, int]] = set()
        self._at: tuple[str, int] | None = None
        self._loading_until = 0.0
        self._loading = False
        self._hopeless: StudentFault | None = None
        self._reference_time: ReferenceTime = lambda call: 0.0
        self._extension = LimitExtension()
        self._hangs = 0
        self.kills = 0
        """How often a process of this submission was ended by a SIGKILL."""
        self._time = SubmissionTime(SUBMISSION_LIMIT_S)
        self._clean = False
        self._alone = False
        self._leeway = 1.0
        self.report = LoadReport()
        self._survey = None if wanted is not None else Survey()
        self.isolation: Mapping[str, Any] = {}
        self._falsify = self._runs_while_loaded = False
        self._layers: set[Any] = set()
        """Numbers of torch's own layers that a check made: what they run is not the student's."""
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
        return self._hopeless

    @property
    def survey(self) -> Survey | None:
        """Return what was read from the text; None if no worker was ever brought up.

        Raises:
            Starved: the machine was too busy to read it.
        """
        if self._survey is None and self._reading is not None:
            self._survey = self._reading.survey()
        return self._survey

    def close(self) -> None:
        """End all processes for good; only the creator of this client may call this."""
        self.end_worker()
        if self._reading is not None:
            self._reading.close()

    def end_worker(self) -> None:
        """End the processes that run the submission; a later check gets others.

        A worker that is reading the text meanwhile is left alone.
        """
        self._end_one()
        if self._second.is_running:
            with self._second.lane():
                self._end_one()

    def _end_one(self) -> None:
        if self._worker is not None:
            self._count_one()
            self._time.add_waiting(self._worker)
            self._worker.kill()
            self._worker = None

    @property
    def apart(self) -> Apart:
        """Return a second process of this submission, to be asked what this one must not know."""
        return self._second

    def change_lane(self, lane: WorkerState) -> WorkerState:
        """Go on with another process and what belongs to it; return the one until now."""
        before = WorkerState(
            self._worker, self.peer, self.side, self._deferred, self._layers, self._clean,
            self.must_reset,
        )  # fmt: skip
        self._worker, self.peer, self.side = lane.worker, lane.peer, lane.side
        self._deferred, self._layers = lane.deferred, lane.layers
        self._clean, self.must_reset = lane.clean, lane.must_reset
        self._extension.renew()
        return before

    def begin_lane(self) -> None:
        """Provide this lane with a loaded worker, as fresh for the check at hand as the first was.

        Raises:
            StudentFault: the submission cannot be loaded.
        """
        self._deferred.clear()
        self.side.forget()
        self._provide()
        for lent in self._lent:
            self.invoke(["S"], lent, {}, {})

    # ---- checks --------------------------------------------------------------------------

    def note_check(self, check: str) -> None:
        """Take note that a check begins, or with "" that the last has ended; do nothing here."""

    def start_check(self, reference_time: ReferenceTime, alone: bool = False) -> None:
        """Provide a loaded worker with fresh module state for a check.

        `alone`: a worker that no other check has or gets.

        Raises:
            StudentFault: the submission can't be loaded at all, or used up its time.
        """
        self.begin_check()
        self._reference_time, self._leeway = reference_time, 1.0
        if self._hopeless is not None:
            raise self._hopeless
        self._require_time()
        if (alone or self._alone) and not self._clean:
            self._end_one()  # no memory is limited in the second process
        self._alone = alone
        self._lent.clear()
        self._second.begin_check()
        self._provide()
        if alone:
            self.send_along(["B", "return_freed_memory"], ())

    def _provide(self) -> None:
        """Make sure of a loaded worker that resets the submission before the next call."""
        if self._worker is None:
            self._worker = self._bring_up()
        self.peer.forget()  # graphs of call-backs that the student's side never released
        # The reset travels with the first call: a round trip of its own costs more than it does.
        self.must_reset = not self._clean
        self._clean = False
        self._layers.clear()
        if self.must_reset and self._runs_while_loaded:
            with self.uncounted():
                self.invoke(["B", "nothing"], (), {}, {})
        self._worker.tally.news()  # of what ran while it was loaded
        self._worker.tally.falsify(self._falsify)

    def limit_memory(self, mib: int) -> list[str]:
        if not self._alone:
            raise AuthorFault("memory is limited for good: mark it with @pytest.mark.alone")
        if self._worker is None:
            raise Crashed(_("the process had already ended"), _("an answer"))
        return limit_memory(self._worker, self.peer, mib)

    def limit_of(self, call: int) -> float:
        floor = MINIMUM_LIMIT_S if self._hangs < PATIENT_HANGS else IMPATIENT_LIMIT_S
        return self._leeway * max(floor, REFERENCE_FACTOR * self._reference_time(call))

    def before_request(self) -> None:
        if self._worker is None:
            raise Crashed(_("the process had already ended"), _("an answer"))
        if not self._loading:
            self._require_time()
        self._extension.begin(self._worker)
        self._time.begin()

    def after_request(self) -> None:
        self._time.end()

    def _require_time(self) -> None:
        # Before every call: one check may make a hundred, each of them just in time.
        if self._time.is_over(self._worker):
            observed = _(
                "the submission used up its {seconds} s", seconds=round(SUBMISSION_LIMIT_S)
            )
            raise TimedOut(observed, _("an answer in time"))

    # ---- loading -------------------------------------------------------------------------

    def _bring_up(self) -> WorkerProcess:
        """Start a worker and load the submission in it.

        A statement that hangs or ends the process is left out in the next try, until the time for
        loading is used up.

        Raises:
            StudentFault: the submission cannot be loaded.
        """
        until = time.monotonic() + LOADING_LIMIT_S
        while True:
            worker = self._worker = self._workers.take()
            worker.more_time = self._more_time
            self._extension.renew()
            self.isolation = worker.isolation
            notices = {"progress": self._progress, "unwatched": self._unwatched}
            self.peer = JudgePeer(worker.channel, self.side, self, notices)
            self._loading_until, self._at = until, None
            self.limit_s = LOADING_LIMIT_S
            self._loading = True
            try:
                if self._survey is None and self._reading is None and not self._read(worker):
                    self._end_one()
                    continue
                plan = replace(self._plan, skip=frozenset(self._skip))
                reply = self.peer.exchange(load_request(plan), list(plan.files.values()))
                self.report = decoded_report(reply.meta.get("report"))
                self._clean = True
                self._runs_while_loaded = bool(worker.tally.news())
                self._workers.restock()
                return worker
            except StudentFault as fault:
                self._end_one()
                if was_killed(fault) and self.is_worth_another_try and time.monotonic() < until:
                    continue
                if self._at is None or self._at in self._skip or time.monotonic() > until:
                    self._hopeless = _while_loading(fault, self._at)
                    raise self._hopeless from None
                self._skip.add(self._at)
            finally:
                self._loading = False

    def _read(self, worker: WorkerProcess) -> bool:
        """Have the text read by a worker that has run none of it.

        So nothing of the text can influence what comes back. Return whether `worker` is still good
        to load it.
        """
        assert self._wanted is not None
        if self._has_own_reader:
            self._reading = Reading(self._workers.take(), self._plan, self._wanted)
            return True
        self._survey = Reading(worker, self._plan, self._wanted).survey()
        worker.more_time = self._more_time
        return self._survey.is_read

    def _unwatched(self, message: Message) -> None:
        """Raise SourceGone: a worker cannot count what runs, which is no student's fault.

        Only before the first statement: after that, student code could say so.
        """
        if not self._loading or self._at is not None:
            raise Violation("unwatched")
        raise SourceGone(f"a worker cannot count operators: {str(message.meta.get('why'))[:400]}")

    def _progress(self, message: Message) -> None:
        path, index = message.meta.get("path"), message.meta.get("index")
        # In a call it would move the deadline.
        if not self._loading or type(path) is not str or type(index) is not int:
            raise Violation("progress")
        self._at = (path[:400], index)
        self.peer.until = min(self._loading_until, time.monotonic() + STATEMENT_LIMIT_S)
        if self._worker is not None:
            self._extension.begin_part(self._worker)

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
        self._leeway = CALLBACK_FACTOR
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

    def raised(self, error: RemoteRaised) -> StudentRaised:
        fault = super().raised(error)
        forgotten = _forgotten(fault, self.report.notes) if fault.type_name == "NameError" else None
        if forgotten is not None:  # the same words, and place, wherever the name is used
            fault.observed, fault.detail, fault.where = forgotten.text, "", forgotten.where
        if self.isolation.get("tier") != "none" and (why := process_exit.refusal_in_words(error)):
            fault.observed += f" ({why})"
        return fault

    def translate(self, error: WireFault) -> BaseException:
        if isinstance(error, (TooLarge, Unsupported)):
            return error
        limit_s, part = self._limit
        starved = isinstance(error, Deadline) and self._extension.starves(
            self._worker, limit_s, part=part
        )
        fault = process_exit.fault_of(error, self._worker, limit_s, starved)
        self._end_one()
        self.kills += was_killed(fault)
        if isinstance(fault, TimedOut):
            self._hangs += 1
            self._extension.timed_out()
        return fault

    def place(self, error: RemoteRaised) -> Where | None:
        """Return only a place that exists: any other text or number could carry a hidden input."""
        return self._line(error.file, error.cell, error.line)

    def own_line(self, file: Any, cell: Any, line: Any) -> Where | None:
        where = self._line(file, cell, line)
        return where if where is not None and where.line is not None else None

    def own_text(self, where: Where, start: int, end: int) -> str:
        lines = self._plan.files.get(where.file, b"").split(b"\n")
        if where.cell is not None or where.line is None or not 0 < where.line <= len(lines):
            return ""  # a notebook's lines are not those of its file
        return lines[where.line - 1][start:end].decode(errors="replace")

    def has_written(self, file: str, name: str) -> bool:
        return name.encode() in self._plan.files.get(file, b"")

    def _line(self, file: Any, cell: Any, line: Any) -> Where | None:
        data = self._plan.files.get(file) if type(file) is str else None
        if data is None:
            return None
        numbers = [number for number in (line, cell) if number is not None]
        inside = all(type(n) is int and 0 <= n <= len(data) for n in numbers)
        return Where(file, line, cell) if inside else Where(file)

    @property
    def _limit(self) -> tuple[float, bool]:
        """Return the limit that was met, in seconds, and whether it is the limit of a single part.

        Such a part is a statement, while there is still time for the rest of the file.
        """
        if self._loading and self._at is not None and time.monotonic() < self._loading_until:
            return STATEMENT_LIMIT_S, True
        return self.limit_s, False

    def _more_time(self) -> float:
        limit_s, part = self._limit
        more_s = self._extension.more_time(self._worker, limit_s, part=part)
        self._time.grant(more_s)
        self._loading_until += more_s
        return more_s

    # ---- what really ran -----------------------------------------------------------------

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        """Call `target` as any client does, but do not count what torch layers of a check run.

        Such a layer is torch's own, made by the check itself.
        """
        ours = target[0] == "L" or (target[0] == "H" and target[1] in self._layers)
        worker = self._worker
        if not ours or worker is None:
            return super().invoke(target, args, kwargs, parameters)
        self.count()
        worker.tally.falsify(False)
        value = super().invoke(target, args, kwargs, parameters)
        if isinstance(value, (RemoteModule, RemoteFunction)):
            self._layers.add(value.target[1])
        if self._worker is worker:
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
        self._count_one()
        if self._second.is_running:
            with self._second.lane():
                self._count_one()

    def _count_one(self) -> None:
        if self._worker is not None:
            self.ran.take(self._worker.tally)

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
        return super().settings() | self.ran.settings

    def note(self, noted: Any) -> None:
        self.ran.note(noted)

    # ---- what was loaded -----------------------------------------------------------------

    def definition(self, stem: str, name: str) -> Where | None:
        """Return the place where the student defines `name`; None if nowhere."""
        module = self.report.modules.get(stem)
        target = module.targets.get(name) if module is not None else None
        if module is None or target is None or target.kind == "missing":
            return None
        return load_report.where(module, target)

    def kind(self, stem: str, name: str) -> str:
        """Return `function`, `class` or `value`, depending on what `name` is.

        Raises:
            NotDefined: there is no such name, or only the stub's.
        """
        module = self.report.modules.get(stem)
        if module is None:
            raise NotDefined(
                _("no file {stem}.py or {stem}.ipynb was handed in", stem=stem),
                _("a file {stem}.py or {stem}.ipynb", stem=stem),
            )
        target = module.targets.get(name, TargetReport())
        if target.kind == "missing":
            raise _missing(module, name, target, self.notes())
        if target.stub:
            raise NotDefined(_("not written yet"), where=load_report.where(module, target))
        return target.kind

    def absent(self, stem: str, names: Sequence[str]) -> NotDefined | None:
        """Return why there is nothing to check of an exercise, if none of its targets was written.

        Return None if nothing can be loaded: what keeps a file from that is seen in a check.
        """
        if self._hopeless is not None:
            return None
        if not self.report.modules:
            try:
                self._worker = self._bring_up()
            except StudentFault:
                return None
        faults = []
        for name in names:
            try:
                self.kind(stem, name)
                return None
            except NotDefined as fault:
                faults.append(fault)
            except StudentFault:
                return None
        return faults[0]

    def file_of(self, stem: str) -> str:
        """Return the file that was loaded for an assignment; "" if there is none."""
        module = self.report.modules.get(stem)
        return module.file if module is not None else ""

    def mentions(self, name: str, stem: str) -> bool:
        """Tell whether the files mention `name` beyond the place in `stem` that defines it.

        Code that calls it has to mention it, and asking this costs nothing.
        """
        own = self._plan.entries.get(stem)
        return any(
            data.count(name.encode()) > (1 if path == own else 0)
            for path, data in self._plan.files.items()
        )

    def choices(self) -> Mapping[str, Choice]:
        """Return the file that was loaded for each assignment for which there was a choice."""
        plan = self._plan
        return {
            stem: load_report.choice(reported, (plan.entries[stem], *plan.others.get(stem, ())))
            for stem, reported in self.report.files.items()
            if stem in plan.entries
        }

    def notes(self) -> tuple[Note, ...]:
        return tuple(load_report.note(note) for note in self.report.notes)


def _forgotten(fault: StudentRaised, notes: Iterable[LoadNote]) -> Note | None:
    """Return the note on the missing import of the name that was undefined, if there is one."""
    match = _UNDEFINED.search(fault.message)
    if match is None or fault.where is None:
        return None
    about = fault.where.file, match[1]
    fitting = (one for one in notes if (one.file, one.unimported) == about)
    return next(map(load_report.note, fitting), None)


def _missing(
    module: ModuleReport, name: str, target: TargetReport, notes: tuple[Note, ...]
) -> StudentFault:
    broken = [n for n in notes if n.kind == "problem" and n.where and n.where.file == module.file]
    if broken:
        # The same words for every name that it costs: one mistake, told once.
        fault = Crashed(broken[0].text, _("a definition of {name}", name=name))
        fault.where = broken[0].where
        return fault
    observed = _("{file} does not define {name}", file=module.file, name=name)
    expected = _("a definition of {name}", name=name)
    if not target.close:
        return NotDefined(observed, expected)
    # Somebody wrote it, under another name: nobody may read that they did not try.
    observed = _("{told}; there is a {name}: is that the one?", told=observed, name=target.close[0])
    return StudentFault(observed, expected, where=load_report.where(module, target))


def _while_loading(fault: StudentFault, at: tuple[str, int] | None) -> StudentFault:
    if at:
        fault.observed = _(
            "while loading the file ({file}): {observed}", file=at[0], observed=fault.observed
        )
    else:
        fault.observed = _("while loading the file: {observed}", observed=fault.observed)
    fault.expected = _("a file that can be imported")
    return fault
