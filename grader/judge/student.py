"""The client for a submission in a worker process: loading, limits, replacement of the worker."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..evidence import Note, Where
from ..intake import Choice
from ..language import _
from ..wire.faults import Deadline, Unsupported, Violation, WireFault
from ..wire.frame import Message, Meta
from ..wire.raised import RemoteRaised
from . import ending, load_report
from .client import MINIMUM_LIMIT_S, REFERENCE_FACTOR, Client, JudgePeer
from .faults import Crashed, NotDefined, StudentFault, StudentRaised, TimedOut
from .memory import limit_memory
from .patience import Patience
from .ran import Ran
from .reading import Reading
from .survey import Survey
from .worker_process import WorkerProcess
from .workers import Workers

STATEMENT_LIMIT_S = 2.0
LOADING_LIMIT_S = 10.0
WALL_LIMIT_S = 60.0
PATIENT_HANGS = 3
IMPATIENT_LIMIT_S = 0.5
"""After `PATIENT_HANGS` calls without an answer a submission waits shorter, not less fairly:
50 times the reference's time still holds."""
LENDING_FACTOR = 4.0
"""A call that calls back to us waits for us as well."""

ReferenceTime = Callable[[int], float]
"""Seconds the reference took for the n-th call of the current check."""


@dataclass(frozen=True)
class Plan:
    """What a worker is told to load."""

    files: Mapping[str, bytes]
    entries: Mapping[str, str]
    targets: Mapping[str, tuple[str, ...]]
    stubs: Mapping[str, Mapping[str, str]]
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Assignment -> more files that could be it, the more likely first."""
    wanted: Mapping[str, Any] = field(default_factory=dict)
    """What is to be read of the text before it runs: the fields of `grader.worker.survey.Wanted`;
    empty for nothing."""


class SubmissionClient(Client):
    """Keeps a loaded worker at hand for as long as the submission allows."""

    def __init__(self, workers: Workers, plan: Plan, apart: bool = False) -> None:
        """`apart`: the text gets a worker of its own; else the one that runs it reads it first."""
        super().__init__()
        self._workers, self._plan, self._apart = workers, plan, apart
        self._worker: WorkerProcess | None = None
        self._reading: Reading | None = None
        self._skip: set[tuple[str, int]] = set()
        self._at: tuple[str, int] | None = None
        self._loading_until = 0.0
        self._loading = False
        self._hopeless: StudentFault | None = None
        self._reference_time: ReferenceTime = lambda call: 0.0
        self._patience = Patience()
        self._hangs = 0
        self._wall_until = time.monotonic() + WALL_LIMIT_S
        self._clean = False
        self._alone = False
        self._leeway = 1.0
        self.report: Mapping[str, Any] = {}
        self._survey = None if plan.wanted else Survey()
        self.isolation: Mapping[str, Any] = {}
        self.ran = Ran(self._line)

    @property
    def why_not_loaded(self) -> StudentFault | None:
        """What keeps the submission from being loaded at all."""
        return self._hopeless

    @property
    def survey(self) -> Survey | None:
        """What the text says, when it is read; None if no worker was ever brought up.

        Raises:
            Starved: the machine was too busy to read it.
        """
        if self._survey is None and self._reading is not None:
            self._survey = self._reading.survey()
        return self._survey

    def close(self) -> None:
        self.end_worker()
        if self._reading is not None:
            self._reading.close()

    def end_worker(self) -> None:
        """When nothing more is asked of it: what it left running takes time from others."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    # ---- checks --------------------------------------------------------------------------

    def note_check(self, check: str) -> None:
        """Called before each check, and without one after the last."""

    def start_check(self, reference_time: ReferenceTime, alone: bool = False) -> None:
        """A loaded worker with fresh module state; `alone`: one that no other check has or gets.

        Raises:
            StudentFault: the submission can't be loaded at all, or used up its time.
        """
        self.begin_check()
        self._reference_time, self._leeway = reference_time, 1.0
        if self._hopeless is not None:
            raise self._hopeless
        if time.monotonic() > self._wall_until:
            told = _("the submission used up its {seconds} s", seconds=round(WALL_LIMIT_S))
            raise TimedOut(told, _("an answer in time"))
        if (alone or self._alone) and not self._clean:
            self.end_worker()
        self._alone = alone
        if self._worker is None:
            self._worker = self._bring_up()
        self.peer.forget()  # graphs of call-backs that the student's side never released
        if alone:
            self.send_along(["B", "return_freed_memory"], ())
        # The reset travels with the first call: a round trip of its own costs more than it does.
        self.must_reset = not self._clean
        self._clean = False

    def limit_memory(self, mib: int) -> list[str]:
        if not self._alone:
            raise ValueError("memory is limited for good: mark the check with @pytest.mark.alone")
        if self._worker is None:
            raise Crashed(_("the process had already ended"), _("an answer"))
        return limit_memory(self._worker, self.peer, mib)

    def limit_of(self, call: int) -> float:
        floor = MINIMUM_LIMIT_S if self._hangs < PATIENT_HANGS else IMPATIENT_LIMIT_S
        return self._leeway * max(floor, REFERENCE_FACTOR * self._reference_time(call))

    def before_request(self) -> None:
        if self._worker is None:
            raise Crashed(_("the process had already ended"), _("an answer"))
        self._patience.begin(self._worker)

    # ---- loading -------------------------------------------------------------------------

    def _bring_up(self) -> WorkerProcess:
        """A worker with the submission loaded. A statement that hangs or ends the process is
        left out next time, until the time for loading is used up."""
        until = time.monotonic() + LOADING_LIMIT_S
        while True:
            worker = self._worker = self._workers.take()
            worker.more_time = self._more_time
            self._patience.renew()
            self.isolation = worker.isolation
            notices = {"progress": self._progress}
            self.peer = JudgePeer(worker.channel, self.side, self, notices)
            self._loading_until, self._at = until, None
            self.limit_s = LOADING_LIMIT_S
            self._loading = True
            try:
                if self._survey is None and self._reading is None and not self._read(worker):
                    self.end_worker()
                    continue
                reply = self.peer.exchange(self._load_message(), list(self._plan.files.values()))
                self.report = load_report.checked(reply.meta.get("report"))
                self._clean = True
                self._workers.restock()
                return worker
            except StudentFault as fault:
                self.end_worker()
                if self._at is None or self._at in self._skip or time.monotonic() > until:
                    self._hopeless = _while_loading(fault, self._at)
                    raise self._hopeless from None
                self._skip.add(self._at)
            finally:
                self._loading = False

    def _read(self, worker: WorkerProcess) -> bool:
        """Has the text read by a worker that has run nothing of it, so that nothing of it has a
        hand in what comes back. Returns whether `worker` is still good to load it."""
        request = {**self._load_message("survey"), "wanted": dict(self._plan.wanted)}
        reader = self._workers.take() if self._apart else worker
        self._reading = Reading(reader, request, self._plan.files.values())
        if self._apart:
            return True
        self._survey = self._reading.survey()
        worker.more_time = self._more_time
        return self._survey.fault is None

    def _load_message(self, kind: str = "load") -> Meta:
        plan = self._plan
        return {
            "t": kind,
            "files": [[name, len(data)] for name, data in plan.files.items()],
            "entries": dict(plan.entries),
            "targets": {stem: list(names) for stem, names in plan.targets.items()},
            "stubs": {stem: dict(digests) for stem, digests in plan.stubs.items()},
            "skip": sorted(self._skip),
            "others": {stem: list(paths) for stem, paths in plan.others.items()},
        }

    def _progress(self, message: Message) -> None:
        path, index = message.meta.get("path"), message.meta.get("index")
        # In a call it would move the deadline.
        if not self._loading or type(path) is not str or type(index) is not int:
            raise Violation("progress")
        self._at = (path[:400], index)
        self.peer.until = min(self._loading_until, time.monotonic() + STATEMENT_LIMIT_S)

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> bool:
        """For this check, let the student's own `name` of `stem` be `function` of ours. False if
        the assignment `into` has no way to call it.

        Raises:
            StudentFault: the worker does not answer.
        """
        places = self.invoke(["S"], (stem, name, into, function), {}, {})
        self.calls = 0  # limits go by the number of a call
        self._leeway = LENDING_FACTOR
        return type(places) is int and places > 0

    def reaches(self, into: str, names: Sequence[str], stem: str, name: str) -> bool:
        """Whether what the student calls `names` in `into` uses their own `name` of `stem`, or
        would if it could have been imported. They would only lose by a lie.

        Raises:
            StudentFault: the worker does not answer.
        """
        self.start_check(lambda call: 0.0)
        return self.invoke(["U"], (into, list(names), stem, name), {}, {}) is True

    # ---- faults --------------------------------------------------------------------------

    def raised(self, error: RemoteRaised) -> StudentRaised:
        fault = super().raised(error)
        if self.isolation.get("tier") != "none" and (why := ending.refusal_in_words(error)):
            fault.observed += f" ({why})"
        return fault

    def translate(self, error: WireFault) -> BaseException:
        if isinstance(error, Unsupported):
            return error
        starved = isinstance(error, Deadline) and self._patience.starves(self._worker, self.limit_s)
        fault = ending.fault_of(error, self._worker, self.limit_s, starved)
        self.end_worker()
        self._hangs += isinstance(fault, TimedOut)
        return fault

    def place(self, error: RemoteRaised) -> Where | None:
        """Only a place that exists: any other text or number could carry a hidden input."""
        return self._line(error.file, error.cell, error.line)

    def _line(self, file: Any, cell: Any, line: Any) -> Where | None:
        data = self._plan.files.get(file) if type(file) is str else None
        if data is None:
            return None
        numbers = [number for number in (line, cell) if number is not None]
        inside = all(type(n) is int and 0 <= n <= len(data) for n in numbers)
        return Where(file, line, cell) if inside else Where(file)

    def _more_time(self) -> float:
        more_s = self._patience.more_time(self._worker, self.limit_s)
        self._wall_until += more_s
        self._loading_until += more_s
        return more_s

    # ---- what really ran -----------------------------------------------------------------

    def settings(self) -> Meta:
        return super().settings() | self.ran.settings

    def note(self, noted: Any) -> None:
        self.ran.note(noted)

    # ---- what was loaded -----------------------------------------------------------------

    def definition(self, stem: str, name: str) -> Where | None:
        """Where the student defines `name`, if anywhere."""
        module = self.report.get("modules", {}).get(stem)
        target = module["targets"].get(name) if module else None
        if not target or target["kind"] == "missing":
            return None
        return load_report.where(module, target)

    def kind(self, stem: str, name: str) -> str:
        """What `name` is: `function`, `class` or `value`.

        Raises:
            NotDefined: there is no such name, or only the stub's.
        """
        module = self.report.get("modules", {}).get(stem)
        if module is None:
            raise NotDefined(
                _("no file {stem}.py or {stem}.ipynb was handed in", stem=stem),
                _("a file {stem}.py or {stem}.ipynb", stem=stem),
            )
        target = module["targets"].get(name, {"kind": "missing"})
        if target["kind"] == "missing":
            raise _missing(module, name, target, self.notes())
        if target.get("stub"):
            raise NotDefined(_("not written yet"), where=load_report.where(module, target))
        return str(target["kind"])

    def absent(self, stem: str, names: Sequence[str]) -> NotDefined | None:
        """Why there is nothing to check of an exercise, if none of its targets was written.

        None if nothing can be loaded: what keeps a file from that is seen in a check.
        """
        if self._hopeless is not None:
            return None
        if not self.report:
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
        """The file that was loaded for an assignment; empty if there is none."""
        module = self.report.get("modules", {}).get(stem)
        return module["file"] if module else ""

    def mentions(self, name: str, stem: str) -> bool:
        """Whether the files speak of `name` beyond the place in assignment `stem` that defines it:
        who calls it has to, and asking this costs nothing."""
        own = self._plan.entries.get(stem)
        return any(
            data.count(name.encode()) > (1 if path == own else 0)
            for path, data in self._plan.files.items()
        )

    def choices(self) -> Mapping[str, Choice]:
        """The file that was loaded for each assignment, where there was a choice."""
        plan = self._plan
        return {
            stem: load_report.choice(found, (plan.entries[stem], *plan.others.get(stem, ())))
            for stem, found in self.report.get("files", {}).items()
            if stem in plan.entries
        }

    def notes(self) -> tuple[Note, ...]:
        return tuple(load_report.note(note) for note in self.report.get("notes", []))


def _missing(
    module: Mapping[str, Any], name: str, target: Mapping[str, Any], notes: tuple[Note, ...]
) -> StudentFault:
    broken = [
        n for n in notes if n.kind == "problem" and n.where and n.where.file == module["file"]
    ]
    close = target.get("close") or []
    if broken:
        told = _("{name} is not defined: {why}", name=name, why=broken[0].text)
        fault = Crashed(told, _("a definition of {name}", name=name))
        fault.where = broken[0].where
        return fault
    told = _("{file} does not define {name}", file=module["file"], name=name)
    if close:
        told = _("{told}; there is a {name}: is that the one?", told=told, name=close[0])
    return NotDefined(told, _("a definition of {name}", name=name))


def _while_loading(fault: StudentFault, at: tuple[str, int] | None) -> StudentFault:
    if at:
        fault.observed = _(
            "while loading the file ({file}): {observed}", file=at[0], observed=fault.observed
        )
    else:
        fault.observed = _("while loading the file: {observed}", observed=fault.observed)
    fault.expected = _("a file that can be imported")
    return fault
