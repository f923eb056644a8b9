"""Keep workers for one judge, some of them started before anybody needs them."""

from __future__ import annotations

from collections import deque

from .processor import SharedProcessor
from .worker_process import WorkerProcess, WorkerStarter


class Workers:
    """The workers of one judge; hands out ready ones. All methods may raise `SourceGone`."""

    def __init__(self, starter: WorkerStarter, ahead: int = 0) -> None:
        self._starter, self._ahead = starter, ahead
        self._spares: deque[WorkerProcess] = deque()
        self.processor = SharedProcessor()
        self.restock()

    def take(self) -> WorkerProcess:
        """Return a ready worker that nobody else has or gets."""
        worker = self._spares.popleft() if self._spares else self._starter.start()
        worker.await_ready()
        self.processor.bring(worker)
        return worker

    def restock(self) -> None:
        """Start replacements for the workers that were taken.

        To be called when nobody waits for a processor: a worker that starts takes its time from
        those that compute.
        """
        while len(self._spares) < self._ahead:
            self._spares.append(self._starter.start())
