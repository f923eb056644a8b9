"""Whose fault a time-out is: a limit is one of time to compute in, and what a busy machine takes of
it is given back, up to a point."""

from __future__ import annotations

import time

from .worker_process import Usage, WorkerProcess

MAX_GRANTED_S = 20.0
"""On top of a request's limit, on a machine that is busy with other things; twice that on top of
all limits of a submission together."""
SAMPLE_S = 0.05
"""How old the figures may be that tell starving from sleeping: little beside any limit."""


class Patience:
    """With one submission, whose workers come one after the other."""

    def __init__(self) -> None:
        self._usage: Usage | None = None
        self._due_s = self._granted_s = self._granted_in_all_s = 0.0
        self._next_sample = 0.0

    def renew(self) -> None:
        """Another worker is there: nothing is known of it."""
        self._next_sample = 0.0

    def begin(self, worker: WorkerProcess) -> None:
        """A request is about to be sent to it."""
        self._granted_s = 0.0
        now = time.monotonic()
        # Of late: asking the system at every check costs more than many a call does.
        if now >= self._next_sample:
            self._usage = worker.usage()
            self._next_sample = now + SAMPLE_S

    def more_time(self, worker: WorkerProcess | None, limit_s: float) -> float:
        """The processor time that the request at hand is due and others had."""
        left_s = min(MAX_GRANTED_S - self._granted_s, 2 * MAX_GRANTED_S - self._granted_in_all_s)
        if not self.starves(worker, limit_s) or left_s <= 0:
            return 0.0
        more_s = min(max(self._due_s, 0.1), left_s)
        self._granted_s += more_s
        self._granted_in_all_s += more_s
        return more_s

    def starves(self, worker: WorkerProcess | None, limit_s: float) -> bool:
        """Ready to run, yet kept waiting for a processor, and still due a part of its time.
        Sleeping is not starving, nor is waiting for threads of its own."""
        after = worker.usage() if worker is not None else None
        if after is None or self._usage is None:
            return False
        waited_s = after.waiting_s - self._usage.waiting_s
        self._due_s = limit_s - (after.running_s - self._usage.running_s)
        return waited_s > 0.25 * limit_s and self._due_s > 0.05 * limit_s
