"""Fork a worker around an already imported torch whenever the judge asks for one.

Holds nothing worth reading: no path, key, course or submission ever reaches this process.

Process: zygote
Started by: nursery, fork
Knows: torch, from behind the walls of the jail. No path, key, course or submission
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..wire.control import receive_control, send_control
from ..wire.faults import PeerGone
from ..wire.zygote_messages import (
    FateRequest,
    KillWorker,
    StartWorker,
    WorkerFate,
    WorkerStarted,
    zygote_request,
)
from . import main
from .isolation import Jail, WorkerConfig, rehearse
from .jail.kernel import PR_SET_CHILD_SUBREAPER, die_with_parent, in_words, prctl
from .tiers import prepare
from .warm_up import practise

Start = Callable[[int, int, int, WorkerConfig], int]
"""Starts a worker on (socket, output, tally, config) and returns its pid."""
READY = b"ready"
END_WAIT_S = 0.5
"""Seconds to wait for a worker's end: one whose connection is closed is about to end, unless it
closed the connection itself."""
FATES_KEPT = 64
A_BATCH = 5
"""Number of workers from which on there are many: two for a submission, two spare ones, and
another."""


def forking(jail: Jail, source: main.SubmissionSource | None = None) -> Start:
    """Return a function that forks workers into `jail`. `source` gives them their submissions."""

    def start(sock_fd: int, output_fd: int, tally_fd: int, config: WorkerConfig) -> int:
        pid = jail.fork()
        if pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            main.run(sock_fd, output_fd, tally_fd, config, jail, source)
        return pid

    return start


@dataclass(frozen=True)
class ZygoteOrder:
    """The zygote that is to be made."""

    tier: str
    reason: str
    """The reason why it is not a better tier."""
    scratch: str
    """The folder of the host in which its workers get folders, where the tier needs that."""
    without: tuple[str, ...]
    """Layers to leave out, to prove that a test of them can fail."""
    meta: bool
    """True if meta tensors are likely to be used."""


def run(control: socket.socket, report_fd: int, order: ZygoteOrder, fds: Sequence[int]) -> None:
    """Run the whole life of a zygote in the tier of its order.

    Write to `report_fd` whether the tier holds. `fds` are the folders of the torch stack. Never
    returns.
    """
    try:
        jail = prepare(order.tier, fds, order.reason, order.without)
        rehearse(jail)
    except BaseException as error:
        os.write(report_fd, in_words(error).encode())
        os._exit(1)
    os.write(report_fd, READY)
    os.close(report_fd)
    WorkerSource(control, order.scratch, forking(jail), jail.scratch, practise).serve()
    os._exit(0)


class WorkerSource:
    """Starts, reaps and cleans up after workers, on request of one judge."""

    def __init__(
        self,
        control: socket.socket,
        scratch: str,
        start: Start,
        use_scratch: bool,
        practise: Callable[[], None] = lambda: None,
    ) -> None:
        """Serve one judge; `practise` makes workers started later quicker.

        It is run once there are many of them.
        """
        self._control = control
        self._scratch = scratch if use_scratch else ""
        self._start = start
        self._practise = practise
        self._started = 0
        self._live: dict[int, str] = {}
        self._pidfds: dict[int, int] = {}
        self._fates: dict[int, int] = {}
        """pid -> wait status of a worker that ended, as the kernel tells its parent."""
        self._count = 0

    def serve(self) -> None:
        """Serve until the judge hangs up; then kill every worker and remove its folder."""
        self._end_with_parent()
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        try:
            while True:
                self._wait()
                self._reap()
        except PeerGone:
            pass
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for pid in self._live:
                _kill(pid)
            self._kill_orphans()
            self._remove_scratch()

    def _end_with_parent(self) -> None:
        """End when the parent ends, after cleaning up if there are scratch folders.

        Scratch folders outlive a parent that was killed unless somebody removes them.
        """
        if not self._scratch:
            die_with_parent()
            return
        signal.signal(signal.SIGTERM, _hang_up)
        die_with_parent(signal.SIGTERM)

    def _remove_scratch(self) -> None:
        for pid, scratch in self._live.items():
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
            shutil.rmtree(scratch, ignore_errors=True)
        if self._scratch:
            with suppress(OSError):  # another lane's zygote removes it, or it was never made
                os.rmdir(self._scratch)

    def _wait(self) -> None:
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        for fd in self._pidfds:
            poller.register(fd, select.POLLIN)
        # Without pidfds only the clock tells that a worker ended.
        idle_ms = 50 if self._live and not self._pidfds else None
        if any(fd == self._control.fileno() for fd, _ in poller.poll(idle_ms)):
            self._answer()

    def _answer(self) -> None:
        message, fds = receive_control(self._control)
        match zygote_request(message):
            case KillWorker(number):
                if number in self._live:
                    _kill(number)
            case FateRequest(number):
                send_control(self._control, WorkerFate(self._fate(number)).encoded())
            case StartWorker(limits):
                self._start_worker(limits, fds)

    def _start_worker(self, limits: Mapping[str, int], fds: list[int]) -> None:
        scratch = self._make_scratch()
        pid = self._start(fds[0], fds[1], fds[2], WorkerConfig(limits, scratch))
        for fd in fds:
            os.close(fd)
        self._live[pid] = scratch
        self._fates.pop(pid, None)
        if sys.platform == "linux":
            pidfd = os.pidfd_open(pid)
            self._pidfds[pidfd] = pid
            send_control(self._control, WorkerStarted(pid).encoded(), [pidfd])
        else:
            send_control(self._control, WorkerStarted(pid).encoded())
        self._started += 1
        if self._started == A_BATCH:
            with suppress(Exception):  # only speed is lost
                self._practise()

    def _fate(self, pid: int) -> int | None:
        """Return how a worker ended, as a wait status; None if it lives on."""
        until = time.monotonic() + END_WAIT_S
        self._reap()
        while pid in self._live and time.monotonic() < until:
            time.sleep(0.002)
            self._reap()
        return self._fates.get(pid)

    def _make_scratch(self) -> str:
        """Make a scratch folder for one worker, if the tier has none in memory."""
        if not self._scratch:
            return ""
        scratch = os.path.join(self._scratch, f"{os.getpid()}-{self._count}")
        self._count += 1
        with suppress(FileExistsError):
            os.mkdir(self._scratch, 0o700)
        os.mkdir(scratch, 0o700)
        return scratch

    def _reap(self) -> None:
        ended = []
        while self._live:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid in self._live:
                ended.append(pid)
                self._fates[pid] = status
        for pid in ended:
            self._clean_up(pid)
        for pid in list(self._fates)[:-FATES_KEPT]:
            del self._fates[pid]

    def _clean_up(self, pid: int) -> None:
        scratch = self._live.pop(pid)
        for fd in [fd for fd, owner in self._pidfds.items() if owner == pid]:
            del self._pidfds[fd]
            os.close(fd)
        self._kill_orphans()
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)

    def _kill_orphans(self) -> None:
        """Kill processes that a dead worker forked.

        They become children of this process, whatever session they are in.
        """
        for _ in range(1000):
            orphans = [pid for pid in _children() if pid not in self._live]
            if not orphans:
                return
            for pid in orphans:
                _kill(pid)
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)


def _hang_up(*_: object) -> None:
    raise PeerGone("the parent ended")


def _kill(pid: int) -> None:
    for send in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            send(pid, signal.SIGKILL)


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []
