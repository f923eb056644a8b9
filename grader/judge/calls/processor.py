"""Keep a judge and its workers on one processor while another one has nothing to do.

They take turns: one of them waits whenever another computes. On two processors each message wakes
one that sleeps, which takes longer than most calls. Where every processor is busy none sleeps, and
the system deals them better than we do.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

LOOK_AGAIN_S = 0.05


class Movable(Protocol):
    """A worker as far as it can be moved."""

    pid: int

    @property
    def is_alive(self) -> bool:
        """Tell whether the number still stands for the worker, as far as is known."""


class SharedProcessor:
    """The processor that a judge and the workers of one submission take turns on, if they do."""

    def __init__(
        self,
        processors: frozenset[int] | None = None,
        running: Callable[[], int | None] | None = None,
    ) -> None:
        """`processors`: those that may be used; `running`: how many processes compute now."""
        self._all = _allowed() if processors is None else processors
        self._running = running or processes_running
        self._workers: list[Movable] = []
        self._own: int | None = None
        self._look_at = 0.0

    @property
    def own(self) -> int | None:
        """Return the processor that is shared now; None if the system chooses for each process."""
        return self._own

    def bring(self, worker: Movable) -> None:
        """Have a worker compute where the judge does."""
        self._workers.append(worker)
        if self._own is not None:
            _keep(worker.pid, {self._own})

    def settle(self) -> None:
        """Share a processor if another one is idle, and none if more processes want to compute."""
        if len(self._all) < 2 or time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + LOOK_AGAIN_S
        running = self._running()
        if running is None or running > len(self._all):
            self.part()
        elif self._own is None and running < len(self._all):
            here = processor_of_this_thread()
            if here in self._all:
                self._own = here
                self._keep_all({here})

    def part(self) -> None:
        """Let the system choose a processor for each process again."""
        if self._own is not None:
            self._own = None
            self._keep_all(self._all)

    def forget(self) -> None:
        """Part from the workers of a submission that is graded."""
        self.part()
        self._workers.clear()
        self._look_at = 0.0

    def _keep_all(self, processors: set[int] | frozenset[int]) -> None:
        # The number of a worker that was ended may be another process's by now.
        for pid in (0, *(worker.pid for worker in self._workers if worker.is_alive)):
            _keep(pid, processors)


def processes_running() -> int | None:
    """Return how many threads of the machine compute or want to; None if it does not tell."""
    try:
        return int(Path("/proc/loadavg").read_bytes().split()[3].partition(b"/")[0])
    except (OSError, ValueError, IndexError):
        return None


def processor_of_this_thread() -> int | None:
    """Return the number of the processor that runs this; None if the system does not tell."""
    try:
        return int(Path("/proc/thread-self/stat").read_bytes().rpartition(b")")[2].split()[36])
    except (OSError, ValueError, IndexError):
        return None


def _allowed() -> frozenset[int]:
    """Return the processors that this process may use; none where a process cannot choose."""
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset()


def _keep(pid: int, processors: set[int] | frozenset[int]) -> None:
    with suppress(OSError):  # a worker that has ended, or is not ours to move
        os.sched_setaffinity(pid, processors)
