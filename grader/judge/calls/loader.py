"""Load a submission in a worker, statement by statement, and leave out what no try survives."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from ...text.language import _
from ...wire.faults import Violation
from ...wire.frame import Message
from ...wire.load_plan import LoadPlan, load_request
from ...wire.load_report import LoadReport, load_report
from .faults import SourceGone, StudentFault
from .judge_peer import JudgePeer
from .submission_limits import SubmissionLimits
from .worker_process import WorkerProcess


class Loader:
    """Loads one submission in workers that come one after the other."""

    def __init__(self, plan: LoadPlan, limits: SubmissionLimits) -> None:
        self._plan, self._limits = plan, limits
        self._skip: set[tuple[str, int]] = set()
        """Statements that hung or ended the process: file, and number in it."""
        self._attempt: tuple[WorkerProcess, JudgePeer] | None = None
        """The worker at work while the submission is loaded."""
        self.report = LoadReport()
        """What the last worker that loaded the submission reported."""
        self.runs_while_loaded = False
        """True if anything was counted while the submission was loaded."""
        self.hopeless: StudentFault | None = None
        """The fault that keeps the submission from being loaded at all, if there is one."""

    @property
    def notices(self) -> Mapping[str, Callable[[Message], None]]:
        """Return what to do when a worker tells how far it is."""
        return {"progress": self._progress, "unwatched": self._unwatched}

    @property
    def is_at_work(self) -> bool:
        """Tell whether a worker is loading the submission."""
        return self._attempt is not None

    def load(self, worker: WorkerProcess, peer: JudgePeer, until: float) -> None:
        """Load the submission in a fresh worker.

        Raises:
            StudentFault: a statement hung, or ended the process.
        """
        self._attempt = worker, peer
        try:
            with self._limits.loading.attempt(until):
                plan = replace(self._plan, skip=frozenset(self._skip))
                reply = peer.exchange(load_request(plan), list(plan.files.values()))
        finally:
            self._attempt = None
        self.report = load_report(reply.meta.get("report"))
        self.runs_while_loaded = bool(worker.tally.news())

    def leave_out(self, fault: StudentFault, until: float) -> None:
        """Leave the statement out in the next try that ended the last one.

        Raises:
            StudentFault: there is none to leave out, or no time for another try.
        """
        at = self._limits.loading.at
        if at is None or at in self._skip or time.monotonic() > until:
            self.hopeless = _while_loading(fault, at)
            raise self.hopeless from None
        self._skip.add(at)

    def _unwatched(self, message: Message) -> None:
        """Raise SourceGone: a worker cannot count what runs, which is no student's fault.

        Only before the first statement: after that, student code could say so.
        """
        if self._attempt is None or self._limits.loading.at is not None:
            raise Violation("unwatched")
        raise SourceGone(f"a worker cannot count operators: {str(message.meta.get('why'))[:400]}")

    def _progress(self, message: Message) -> None:
        path, index = message.meta.get("path"), message.meta.get("index")
        # In a call it would move the deadline.
        if self._attempt is None or type(path) is not str or type(index) is not int:
            raise Violation("progress")
        worker, peer = self._attempt
        peer.until = self._limits.begin_statement(path[:400], index, worker)


def _while_loading(fault: StudentFault, at: tuple[str, int] | None) -> StudentFault:
    if at:
        fault.observed = _(
            "while loading the file ({file}): {observed}", file=at[0], observed=fault.observed
        )
    else:
        fault.observed = _("while loading the file: {observed}", observed=fault.observed)
    fault.expected = _("a file that can be imported")
    return fault
