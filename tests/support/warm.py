"""Lend engines one warm nursery, where a test is not about how processes begin.

A nursery knows no course, path or submission: it imports torch, which takes most of the time of a
short test, and forks judges and zygotes, which each engine gets anew and ends.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from grader.engine import engine, process_tree
from grader.engine.lanes import Lane, NurseryStarter, Order, must_exec
from grader.engine.process_tree import ProcessTree, begin
from grader.engine.tiers import IsolationError
from grader.messages.hello import Hello
from grader.processes import spawner
from grader.processes.bootstrap import Bootstrap, compiled, pack
from grader.text.language import language_in_use
from grader.wire.faults import PeerGone
from tests.support.one_processor import one_processor, processor_of

SPAWNER = Path(__file__).with_name("warm_spawner.py")
"""Shipped to spawners as a module of theirs."""
LIMIT_S = 30.0
"""The longest wait for a lane to come up that is to be ended."""


@dataclass
class Lent:
    """A starter of lanes on somebody else's nursery, which it leaves running."""

    nursery: NurseryStarter
    scratch: str
    spread: bool = False
    """True to have each lane compute on another processor, in turn."""
    lanes: list[Lane] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.nursery.pid

    def start(self, hello: Hello, order: Order) -> Lane:
        self.nursery._scratch = self.scratch
        with processor_of(self.pid, len(self.lanes)) if self.spread else nullcontext():
            self.lanes.append(self.nursery.start(hello, order))
            if self.spread:
                self._await_lanes()
        return self.lanes[-1]

    def adopt(self) -> None:
        self.nursery.adopt()

    def close(self) -> None:
        """Wait until it is known of which processes our lanes consist: they are ended next."""
        self._await_lanes()

    def _await_lanes(self) -> None:
        until = time.monotonic() + LIMIT_S
        with suppress(PeerGone):
            while self._under_way() and (left_s := until - time.monotonic()) > 0:
                select.select([self.nursery._control], [], [], left_s)
                with suppress(IsolationError):
                    self.nursery.adopt()

    def _under_way(self) -> bool:
        waiting = {id(lane) for lane, _order in self.nursery._waiting}
        return any(id(lane) in waiting for lane in self.lanes)


class WarmNurseries:
    """A nursery for each language, begun when it is first asked for, and again if it died."""

    def __init__(self) -> None:
        self._kept: dict[str, ProcessTree] = {}

    def lent(self, *, spread: bool = False) -> ProcessTree:
        """Return a process tree on a nursery of ours; `spread`: see `Lent`."""
        language = language_in_use()
        if language not in self._kept or not _lives(self._kept[language]):
            with one_processor():
                self._kept[language] = begin(spawn=False)
        owner = self._kept[language]
        assert isinstance(owner.starter, NurseryStarter)
        scratch = f"{owner.scratch}-{time.monotonic_ns()}"
        errors = os.fdopen(os.dup(owner.errors.fileno()), "r+b")
        return ProcessTree(pack(), False, scratch, errors, Lent(owner.starter, scratch, spread))

    def close(self) -> None:
        for owner in self._kept.values():
            owner.close()
        self._kept.clear()


@contextmanager
def warm(nurseries: WarmNurseries, *, spread: bool = False) -> Iterator[None]:
    """Begin each process tree of the block from one of these nurseries.

    `spread`: with a processor for each lane, for what has several of them and takes long.
    """

    def lent(*, spawn: bool) -> ProcessTree:
        return begin(spawn=spawn) if must_exec(spawn) else nurseries.lent(spread=spread)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "begin", lent)
        yield


@contextmanager
def warm_spawner() -> Iterator[None]:
    """Have the spawners of the block fork their workers; see `tests.support.warm_spawner`.

    On Linux only: nowhere else may a process with torch be forked.
    """
    with pytest.MonkeyPatch.context() as patch:
        if sys.platform == "linux":
            patch.setattr(process_tree, "pack", lambda: forking_spawner(pack()))
        yield


def forking_spawner(bootstrap: Bootstrap) -> Bootstrap:
    """Return what a spawner is begun with, the stand-in in it."""
    own, warm = "grader.processes.spawner", "grader.processes.warm_spawner"
    text = Path(spawner.__file__).read_text(encoding="utf-8")
    changed = {
        own: (compiled(own, f"{text}\nfrom .warm_spawner import spawn\n"), False),
        warm: (compiled(warm, SPAWNER.read_text(encoding="utf-8")), False),
    }
    return replace(bootstrap, modules={**bootstrap.modules, **changed})


def _lives(owner: ProcessTree) -> bool:
    try:
        owner.starter.adopt()
    except (PeerGone, IsolationError):
        return False
    return True
