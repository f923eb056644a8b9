"""Lend engines one warm nursery, where a test is not about how processes begin.

A nursery knows no course, path or submission: it imports torch, which takes most of the time of a
short test, and forks judges and zygotes, which each engine gets anew and ends.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest

from grader.engine import engine
from grader.engine.lanes import Lane, NurseryStarter, Order, must_exec
from grader.engine.process_tree import ProcessTree, begin
from grader.engine.tiers import IsolationError
from grader.messages.hello import Hello
from grader.processes.bootstrap import pack
from grader.text.language import language_in_use
from grader.wire.faults import PeerGone

LIMIT_S = 30.0
"""The longest wait for a lane to come up that is to be ended."""


@dataclass
class Lent:
    """A starter of lanes on somebody else's nursery, which it leaves running."""

    nursery: NurseryStarter
    scratch: str
    lanes: list[Lane] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.nursery.pid

    def start(self, hello: Hello, order: Order) -> Lane:
        self.nursery._scratch = self.scratch
        self.lanes.append(self.nursery.start(hello, order))
        return self.lanes[-1]

    def adopt(self) -> None:
        self.nursery.adopt()

    def close(self) -> None:
        """Wait until it is known of which processes our lanes consist: they are ended next."""
        until = time.monotonic() + LIMIT_S
        with suppress(PeerGone):
            while self._under_way() and (left_s := until - time.monotonic()) > 0:
                select.select([self.nursery._control], [], [], left_s)
                with suppress(IsolationError):
                    self.nursery.adopt()

    def _under_way(self) -> bool:
        waiting = {id(lane) for lane, _order in self.nursery._waiting}
        return any(id(lane) in waiting for lane in self.lanes)


@contextmanager
def warm() -> Iterator[None]:
    """Begin each process tree of the block from a nursery that is kept for all of them."""
    kept: dict[str, ProcessTree] = {}

    def lent(*, spawn: bool) -> ProcessTree:
        if must_exec(spawn):
            return begin(spawn=spawn)
        language = language_in_use()
        if language not in kept or not _lives(kept[language]):
            kept[language] = begin(spawn=False)
        owner = kept[language]
        assert isinstance(owner.starter, NurseryStarter)
        scratch = f"{owner.scratch}-{time.monotonic_ns()}"
        errors = os.fdopen(os.dup(owner.errors.fileno()), "r+b")
        return ProcessTree(pack(), False, scratch, errors, Lent(owner.starter, scratch))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "begin", lent)
        try:
            yield
        finally:
            for owner in kept.values():
                owner.close()


def _lives(owner: ProcessTree) -> bool:
    try:
        owner.starter.adopt()
    except (PeerGone, IsolationError):
        return False
    return True
