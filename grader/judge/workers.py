"""Workers for one judge, some of them under way before anybody needs them."""

from __future__ import annotations

from collections import deque

from .worker_process import Source, WorkerProcess


class Workers:
    """Hands out workers that are ready. Raises `SourceGone` from everywhere."""

    def __init__(self, source: Source, ahead: int = 0) -> None:
        self._source, self._ahead = source, ahead
        self._spares: deque[WorkerProcess] = deque()
        self.restock()

    def take(self) -> WorkerProcess:
        """A worker that nobody else has or gets."""
        worker = self._spares.popleft() if self._spares else self._source.start()
        worker.await_ready()
        return worker

    def restock(self) -> None:
        """Start what was taken anew. To be called where nobody waits for a processor: a worker that
        starts takes its time from those that compute."""
        while len(self._spares) < self._ahead:
            self._spares.append(self._source.start())
