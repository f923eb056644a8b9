"""A judge and its workers share a processor while another one is idle, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from grader.judge.calls import processor
from grader.judge.calls.processor import (
    SharedProcessor,
    processes_running,
    processor_of_this_thread,
)

ALL = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()

pytestmark = pytest.mark.skipif(
    len(ALL) < 2, reason="with one processor, or where none can be chosen, nothing is shared"
)


@pytest.fixture(autouse=True)
def look_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(processor, "LOOK_AGAIN_S", 0.0)
    yield
    os.sched_setaffinity(0, ALL)


@dataclass
class Worker:
    pid: int
    is_alive: bool = True


@contextmanager
def a_process() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running:
        yield running.pid
        running.kill()


def test_both_are_on_one_processor_while_another_is_idle() -> None:
    shared = SharedProcessor(running=lambda: 1)

    with a_process() as worker, a_process() as later:
        shared.bring(Worker(worker))
        shared.settle()
        shared.bring(Worker(later))

        own = {shared.own}
        assert own < ALL
        assert [os.sched_getaffinity(pid) for pid in (0, worker, later)] == [own, own, own]


def test_nothing_is_shared_where_every_processor_is_busy() -> None:
    shared = SharedProcessor(running=lambda: len(ALL))

    with a_process() as worker:
        shared.bring(Worker(worker))
        shared.settle()

        assert shared.own is None
        assert os.sched_getaffinity(worker) == os.sched_getaffinity(0) == ALL


@pytest.mark.parametrize("end", ["more to compute", "unknown", "forget", "part"])
def test_the_system_chooses_again_afterwards(end: str) -> None:
    running: list[int | None] = [1]
    shared = SharedProcessor(running=lambda: running[0])

    with a_process() as worker:
        shared.bring(Worker(worker))
        shared.settle()
        assert os.sched_getaffinity(worker) != ALL
        running[0] = {"more to compute": len(ALL) + 1, "unknown": None}.get(end, 1)
        {"forget": shared.forget, "part": shared.part}.get(end, shared.settle)()

        assert shared.own is None
        assert os.sched_getaffinity(worker) == os.sched_getaffinity(0) == ALL


def test_as_many_processes_as_processors_change_nothing() -> None:
    """Two lanes on two processors neither begin to share nor stop."""
    running = [1]
    shared = SharedProcessor(running=lambda: running[0])
    shared.settle()
    own = shared.own
    running[0] = len(ALL)
    shared.settle()
    assert shared.own == own is not None


def test_a_worker_that_has_ended_disturbs_nothing() -> None:
    with a_process() as worker:
        pass
    shared = SharedProcessor(running=lambda: 1)
    shared.bring(Worker(worker))
    shared.settle()
    assert shared.own is not None


def test_the_number_of_an_ended_worker_may_be_somebody_elses() -> None:
    shared = SharedProcessor(running=lambda: 1)
    with a_process() as other:
        ended = Worker(other)
        shared.bring(ended)
        ended.is_alive = False
        shared.settle()
        assert shared.own is not None
        assert os.sched_getaffinity(other) == ALL


def test_a_forgotten_worker_is_left_alone() -> None:
    shared = SharedProcessor(running=lambda: 1)
    with a_process() as worker:
        shared.bring(Worker(worker))
        shared.forget()
        shared.settle()
        assert shared.own is not None
        assert os.sched_getaffinity(worker) == ALL


def test_one_processor_is_never_looked_at() -> None:
    def fail() -> int:
        raise AssertionError("looked")

    shared = SharedProcessor(frozenset({0}), fail)
    shared.settle()
    assert shared.own is None


def test_the_machine_tells_who_runs_where() -> None:
    running = processes_running()
    assert running is not None and running >= 1
    assert processor_of_this_thread() in ALL
