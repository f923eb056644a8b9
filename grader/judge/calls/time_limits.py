"""Extend a time limit if the worker had to wait for a CPU or a disk, and bound the time in all.

A limit is one of time to compute in: a submission must not fail because the machine is busy, or
because its memory is short and what a library holds has to be read anew.
"""

from __future__ import annotations

import time

from .worker_process import Usage, WorkerProcess

MAX_GRANTED_S = 20.0
"""The most seconds on top of a request's limit, on a machine that is busy with other things; twice
that is the most on top of all limits of a submission together."""
MAX_SPENT_S = 120.0
"""The most extra seconds that are not charged to a submission's total, because their requests timed
out all the same: a submission that hangs in every call must not use up the extra time that is meant
for a busy machine."""
MAX_WAITED_S = 240.0
"""The most seconds of waiting for a CPU that are not charged to a submission's time in all."""
SAMPLE_S = 0.05
"""The greatest age, in seconds, of the figures that tell starving from sleeping: little beside any
limit."""
MANY_READS = 4
"""So many pages that had to be read from a disk are no chance: on a machine with enough memory all
of torch lies in it, and a request waits for none."""


class LimitExtension:
    """The extra time of one submission, whose workers come one after the other."""

    def __init__(self) -> None:
        self._usage: Usage | None = None
        self._latest: Usage | None = None
        """The worker's CPU use when the request began, and as last measured."""
        self._part_usage: Usage | None = None
        self._due_s = self._granted_s = self._granted_in_all_s = self._spent_s = 0.0
        self._next_sample = 0.0

    def renew(self) -> None:
        """Forget the last measurement: another worker has taken over."""
        self._next_sample = 0.0

    def begin(self, worker: WorkerProcess) -> None:
        """Note the worker's CPU use before a request is sent to it."""
        self._granted_s = 0.0
        self._usage = self._part_usage = self._of_late(worker)

    def begin_part(self, worker: WorkerProcess) -> None:
        """Note the worker's CPU use before a part of the request that has a limit of its own."""
        self._part_usage = self._of_late(worker)

    def _of_late(self, worker: WorkerProcess) -> Usage | None:
        now = time.monotonic()
        # Asking the system at every check costs more than many a call does.
        if now >= self._next_sample:
            self._latest = worker.usage()
            self._next_sample = now + SAMPLE_S
        return self._latest

    def timed_out(self) -> None:
        """Give back the extra time of a request that timed out: it does not count for later ones.

        At most MAX_SPENT_S are given back in all.
        """
        back_s = min(self._granted_s, MAX_SPENT_S - self._spent_s)
        self._granted_in_all_s -= back_s
        self._spent_s += back_s

    def more_time(
        self, worker: WorkerProcess | None, limit_s: float, *, part: bool = False
    ) -> float:
        """Grant the CPU time, in seconds, that the request at hand or its part has not had yet.

        Return 0 if others did not keep the worker from it, or if the maximum has been granted.
        """
        left_s = min(MAX_GRANTED_S - self._granted_s, 2 * MAX_GRANTED_S - self._granted_in_all_s)
        if not self.starves(worker, limit_s, part=part) or left_s <= 0:
            return 0.0
        more_s = min(max(self._due_s, 0.1), left_s)
        self._granted_s += more_s
        self._granted_in_all_s += more_s
        return more_s

    def starves(self, worker: WorkerProcess | None, limit_s: float, *, part: bool = False) -> bool:
        """Tell whether the worker was kept waiting while it had time left to compute.

        Others kept it from a CPU, or its memory had to be read from a disk. Sleeping is not
        starving, and neither is waiting for threads of its own: whenever one of them kept the main
        thread waiting, it ran itself.
        """
        after = worker.usage() if worker is not None else None
        before = self._part_usage if part else self._usage
        if after is None or before is None:
            return False
        own_s = max(0.0, after.others_s - before.others_s)
        waited_s = after.waiting_s - before.waiting_s - own_s
        self._due_s = limit_s - (after.running_s - before.running_s)
        reads = after.disk_reads - before.disk_reads
        if after.is_in_disk_wait or reads >= MANY_READS:
            # Neither on a processor nor waiting for one.
            waited_s += self._due_s - (after.waiting_s - before.waiting_s)
        return waited_s > 0.25 * limit_s and self._due_s > 0.05 * limit_s


class SubmissionTime:
    """The time that one submission takes, all its workers and calls together.

    Time counts while an answer is awaited: not while a worker is started or we compute ourselves,
    and not while others kept its workers from a CPU.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._used_s = self._waited_s = 0.0
        self._began: float | None = None

    def begin(self) -> None:
        """Note that an answer is awaited from now on."""
        self._began = time.monotonic()

    def end(self) -> None:
        """Note that none is awaited any more."""
        if self._began is not None:
            self._used_s += time.monotonic() - self._began
            self._began = None

    def grant(self, seconds: float) -> None:
        """Let the submission take so much more."""
        self._limit_s += seconds

    def add_waiting(self, worker: WorkerProcess) -> None:
        """Note how long others kept a worker waiting that is about to be ended."""
        self._waited_s += _kept_waiting_s(worker)

    def is_over(self, worker: WorkerProcess | None) -> bool:
        """Tell whether the time is used up, where `worker` is the one at work."""
        over_s = self._used_s - self._limit_s
        if over_s <= 0:
            return False
        now_s = _kept_waiting_s(worker) if worker is not None else 0.0
        return over_s > min(self._waited_s + now_s, MAX_WAITED_S)


def _kept_waiting_s(worker: WorkerProcess) -> float:
    """Return the seconds for which others, not its own threads, kept a worker from a CPU."""
    usage = worker.usage()
    return 0.0 if usage is None else max(0.0, usage.waiting_s - usage.others_s)
