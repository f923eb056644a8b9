"""Start and end lanes: a judge with its workers, and the nursery that forks them."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from ..processes.bootstrap import Bootstrap, spawn
from ..processes.start_orders import JudgeOrder, NurseryOrder, SpawnerOrder
from ..wire.control import receive_control, send_control
from ..wire.faults import PeerGone, Violation
from ..wire.frame import Channel, between_ours
from ..wire.nursery_messages import (
    NurseryAnswer,
    Pair,
    PairRefused,
    PairRequest,
    nursery_answer,
)
from .tiers import IsolationError, refused

if TYPE_CHECKING:  # it reads the course's modules: a command first starts a nursery
    from ..messages.hello import Hello


@dataclass
class Lane:
    """A judge, the process that starts its workers, and the channel to the judge."""

    channel: Channel
    pids: list[int] = field(default_factory=list)
    pidfds: list[int] = field(default_factory=list)
    tier: str = ""
    """The isolation of its workers, as soon as that is known."""
    ours: bool = False
    """True if the processes are our own children, which we must wait for."""

    def kill(self) -> None:
        """End the judge and its zygote; a worker dies with the zygote."""
        self.channel.close()
        for pidfd in self.pidfds:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.close(pidfd)
        if self.ours:
            for pid in self.pids:
                end_child(pid)
        self.pidfds.clear()
        self.pids.clear()


@dataclass(frozen=True)
class Order:
    """The isolation that the workers of a lane are to have."""

    tiers: tuple[str, ...]
    """The acceptable tiers, best first."""
    reason: str = ""
    """The reason why better tiers are not among them."""
    without: tuple[str, ...] = ()
    """Layers to leave out, to prove that a test of them can fail."""
    meta: bool = False
    """True if meta tensors are likely to be used: the workers' zygote then loads them early."""


class Starter(Protocol):
    """Interface: start lanes, by fork or by exec."""

    def start(self, hello: Hello, order: Order) -> Lane:
        """Start a lane and return at once. Raises `PeerGone` if none can be started any more."""

    def adopt(self) -> None:
        """Take in what is known by now about lanes under way.

        Raises `PeerGone`, or `IsolationError` if a lane could not be isolated as ordered.
        """

    def close(self) -> None:
        """End what was started besides the lanes."""


class NurseryStarter:
    """Starts lanes by forking from one nursery that has imported torch once."""

    def __init__(self, bootstrap: Bootstrap, scratch: str, errors: int) -> None:
        self._scratch = scratch
        self._control, theirs = socket.socketpair()
        fd = theirs.fileno()
        self.pid = spawn(bootstrap, NurseryOrder(fd), (fd,), errors)
        theirs.close()
        self._waiting: list[tuple[Lane, Order]] = []

    def start(self, hello: Hello, order: Order) -> Lane:
        ours, theirs = socket.socketpair()
        with theirs:
            request = PairRequest(
                self._scratch, order.tiers, order.reason, order.without, order.meta
            )
            send_control(self._control, request.encoded(), [theirs.fileno()])
        lane = Lane(between_ours(ours))
        lane.channel.send(hello.encoded())
        self._waiting.append((lane, order))
        return lane

    def adopt(self) -> None:
        """Take in what the nursery has answered so far: which processes a lane consists of."""
        while select.select([self._control], [], [], 0)[0]:
            answer, pidfds = self._hear()
            if isinstance(answer, PairRefused):
                raise refused(self._waiting.pop(0)[1].tiers, answer.why)
            if isinstance(answer, Pair):
                lane, _ = self._waiting.pop(0)
                lane.pids, lane.pidfds = [answer.judge, answer.zygote], pidfds
                lane.tier = answer.tier

    def _hear(self) -> tuple[NurseryAnswer, list[int]]:
        message, pidfds = receive_control(self._control)
        try:
            return nursery_answer(message), pidfds
        except Violation as error:
            # Not to be asked again: it ends when we hang up, and every lane with it.
            self._control.shutdown(socket.SHUT_RDWR)
            raise PeerGone(str(error)) from None

    def close(self) -> None:
        with suppress(PeerGone, IsolationError):
            self.adopt()
        self._control.close()
        end_child(self.pid)


class SpawnStarter:
    """Starts lanes of exec'd processes, where a process with torch can't be forked (macOS)."""

    def __init__(self, bootstrap: Bootstrap, scratch: str, errors: int) -> None:
        self._bootstrap, self._scratch, self._errors = bootstrap, scratch, errors

    def start(self, hello: Hello, order: Order) -> Lane:
        assert order.tiers == ("none",), "no jail can be built around these"
        ours, theirs = socket.socketpair()
        judge_end, source_end = socket.socketpair()
        with theirs, judge_end, source_end:
            of_judge = JudgeOrder(theirs.fileno(), judge_end.fileno())
            fds = (of_judge.channel, of_judge.source)
            judge = spawn(self._bootstrap, of_judge, fds, self._errors)
            of_source = SpawnerOrder(source_end.fileno(), self._scratch)
            source = spawn(self._bootstrap, of_source, (of_source.control,), self._errors)
        lane = Lane(between_ours(ours), [judge, source], tier="none", ours=True)
        lane.channel.send(hello.encoded())
        return lane

    def adopt(self) -> None:
        """Do nothing: the processes are our own children."""

    def close(self) -> None:
        """Do nothing: a lane's processes end with the lane."""


def must_exec(requested: bool) -> bool:
    """Decide whether every process is exec'd: on request, and everywhere but on Linux.

    Forking a process that has imported torch is for Linux only.
    """
    return requested or sys.platform != "linux"


def starter(bootstrap: Bootstrap, scratch: str, errors: int, *, by_exec: bool) -> Starter:
    """Return a starter that forks from a nursery, or with `by_exec` (see `must_exec`) execs."""
    if by_exec:
        return SpawnStarter(bootstrap, scratch, errors)
    return NurseryStarter(bootstrap, scratch, errors)


def end_child(pid: int) -> None:
    """Kill a child of ours and wait until it is gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + 5
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
            time.sleep(0.002)


def cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
