"""A worker with a submission loaded, and no judge around it: it hangs, and is replaced."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from grader.judge.calls.faults import TimedOut
from grader.judge.calls.student import SubmissionClient
from grader.judge.calls.workers import Workers
from grader.judge.checks.namespace import Student
from grader.wire.faults import Deadline, WireFault
from grader.wire.load_plan import LoadPlan
from tests.bench.peers.job import PIECES, RIGHT, Piece
from tests.bench.peers.ours import STEM
from tests.support.clients import worker_source

TIER = "full"
LIMIT_S = 0.3
"""The limit of a call here: what is measured begins when it is met."""
GRANTED_S = 0.1
"""The least by which a limit is put off for a worker that others kept from a processor."""
HANGS = "\n\ndef hangs(x):\n    return sum(iter(int, 1))\n"
"""Without end, and not in a loop of Python's: such a one would be ended before its limit."""


class _Client(SubmissionClient):
    """A client that notes when a limit was met."""

    met_at = 0.0
    _began = 0.0

    @property
    def pid(self) -> int:
        return self._worker_at_work().pid

    def limit_of(self, call: int) -> float:
        return LIMIT_S

    def before_request(self) -> None:
        super().before_request()
        self._began = time.monotonic()

    def translate(self, error: WireFault) -> BaseException:
        if isinstance(error, Deadline):
            now, due = time.monotonic(), self._began + LIMIT_S
            self.met_at = due if now - due < GRANTED_S else now
        return super().translate(error)


@dataclass(frozen=True)
class LoadedWorker:
    """The worker that is at work; after it hung, the one in its place."""

    _client: _Client

    @property
    def pid(self) -> int:
        return self._client.pid

    def hang(self) -> float:
        """Let it hang; return the seconds from the met limit until another one is ready to answer.

        Raises RuntimeError if nothing hung.
        """
        try:
            self._student().hangs(torch.ones(1))
        except TimedOut:
            self._client.start_check(lambda call: 0.0)
            return time.monotonic() - self._client.met_at
        raise RuntimeError("an endless loop has ended")

    def answer(self) -> None:
        """Let it answer calls of every piece of the job."""
        self._client.start_check(lambda call: 0.0)
        for piece in PIECES:
            _made(self._student(), piece)(*map(torch.randn, piece.inputs))

    def _student(self) -> Student:
        return Student(self._client, self._client.loaded, STEM)


def _made(student: Student, piece: Piece) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(student, piece.name)
    return made if piece.arguments is None else made(*piece.arguments)


@contextmanager
def loaded(ahead: int) -> Iterator[LoadedWorker]:
    """Load the right submission of the job in a worker; `ahead` others are kept ready."""
    names = (*(piece.name for piece in PIECES), "hangs")
    text = RIGHT.read_text(encoding="utf-8") + HANGS
    plan = LoadPlan({f"{STEM}.py": text.encode()}, {STEM: f"{STEM}.py"}, {STEM: names}, {})
    with worker_source("fork", TIER) as source:
        client = _Client(Workers(source, ahead), plan)
        client.start_check(lambda call: 0.0)
        try:
            yield LoadedWorker(client)
        finally:
            client.close()
