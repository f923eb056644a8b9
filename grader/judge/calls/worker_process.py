"""Control one worker process: its channel, its output, its end."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ...wire.control import receive_control, send_control
from ...wire.faults import Deadline, PeerGone, Violation
from ...wire.frame import Channel
from ...wire.isolation_record import IsolationRecord
from ...wire.zygote_messages import (
    FateRequest,
    KillWorker,
    StartWorker,
    WorkerFate,
    WorkerStarted,
    ZygoteAnswer,
    zygote_answer,
)
from ...worker.jail.layers import mapped_bytes
from ...worker.tally import Tally, new_page
from .faults import SourceGone

OUTPUT_KEPT_BYTES = 64 << 10
START_LIMIT_S = 60.0
FORKED_S = 0.3
"""A forked worker has computed less than that when it is ready, and whoever imports torch more."""
READS_AT_ONCE = 64


class Started(NamedTuple):
    """A worker that was started."""

    pid: int
    pidfd: int | None
    number: int
    """The number by which its zygote knows it."""


class WorkerStarter:
    """Asks the zygote (or spawner) for workers."""

    def __init__(self, control: socket.socket, limits: dict[str, int] | None = None) -> None:
        self._control = control
        self._limits = limits or {}
        self._early: deque[tuple[ZygoteAnswer, list[int]]] = deque()
        """Answers to starts that arrived while another answer was awaited."""

    def start(self) -> WorkerProcess:
        """Ask for a worker and return it at once; it becomes ready in the order of starting.

        Does not wait for the fork: a zygote that is still warming up holds up nobody.

        Raises:
            SourceGone: the process that starts workers is gone.
        """
        ours, theirs = socket.socketpair()
        read_end, write_end = os.pipe()
        page = new_page()
        tally = Tally(page)
        try:
            fds = (theirs.fileno(), write_end, page)
            send_control(self._control, StartWorker(self._limits).encoded(), fds)
        except PeerGone:
            raise SourceGone from None
        finally:
            theirs.close()
            os.close(write_end)
            os.close(page)
        return WorkerProcess(self, ours, read_end, tally)

    def started(self) -> Started:
        """Wait for the next worker that was started. Raises `SourceGone`."""
        started, received = self._early.popleft() if self._early else self._hear()
        if not isinstance(started, WorkerStarted):
            raise SourceGone("an answer to a question that nobody asked")
        pidfd, number = received[0] if received else None, started.number
        return Started(number if pidfd is None else _pid_here(pidfd, number), pidfd, number)

    def fate(self, number: int) -> int | None:
        """Return how a worker ended, as a wait status from its parent; None if it is still alive.

        Raises `SourceGone`.
        """
        try:
            send_control(self._control, FateRequest(number).encoded())
        except PeerGone:
            raise SourceGone from None
        while True:
            answer, fds = self._hear()
            if isinstance(answer, WorkerFate):
                return answer.status
            self._early.append((answer, fds))

    def _hear(self) -> tuple[ZygoteAnswer, list[int]]:
        try:
            message, fds = receive_control(self._control)
            return zygote_answer(message), fds
        except PeerGone:
            raise SourceGone from None
        except Violation as error:
            raise SourceGone(str(error)) from None

    def kill(self, pid: int) -> None:
        try:
            send_control(self._control, KillWorker(pid).encoded())
        except PeerGone:
            raise SourceGone from None


def _pid_here(pidfd: int, pid: int) -> int:
    """Return our number of a process; in its zygote's PID namespace it has another."""
    try:
        with open(f"/proc/self/fdinfo/{pidfd}", "rb") as file:
            rows = (line.split() for line in file)
            return next(int(row[1]) for row in rows if row[0] == b"Pid:")
    except (OSError, StopIteration):
        return pid


@dataclass(frozen=True)
class Usage:
    """The CPU time of a worker so far, and what it waited for."""

    running_s: float
    """Seconds on a processor, all threads together."""
    waiting_s: float
    """Seconds for which the main thread was kept waiting for a processor."""
    main_s: float
    """Seconds of the main thread alone on a processor."""
    disk_reads: int = 0
    """How often it waited for a page of its memory that had to be read from a disk."""
    is_in_disk_wait: bool = False
    """True if it waits for a disk right now."""

    @property
    def others_s(self) -> float:
        """Return the other threads' seconds on a processor: the main one may have waited then."""
        return max(0.0, self.running_s - self.main_s)


@dataclass(frozen=True)
class Memory:
    """The memory of a worker, as the kernel tells it.

    In bytes of address space: all of it (`mapped`), and what came with student code (`held`).
    `limits`: the soft and the hard limit.
    """

    mapped: int
    held: int
    limits: tuple[str, str]


class WorkerProcess:
    """One worker process. Everything that comes out of it is untrusted."""

    def __init__(
        self, starter: WorkerStarter, sock: socket.socket, output: int, tally: Tally
    ) -> None:
        self.pid = 0
        """0 until `await_ready` was called."""
        self.isolation: IsolationRecord | None = None
        """Known once `await_ready` was called."""
        self.mapped_at_start = 0
        """Bytes of address space before student code; 0 where the system does not tell."""
        self.is_cold = True
        """False for a worker that was forked from a process which has practised."""
        self.channel = Channel(sock, self._wait)
        self.output = bytearray()
        self.tally = tally
        self._starter, self._output = starter, output
        self._pidfd: int | None = None
        self._number = 0
        self.more_time: Callable[[], float] = lambda: 0.0
        """Called when time is up; returns how many more seconds to wait."""
        self._late: tuple[float | None, float] = (None, 0.0)
        """A deadline, and by how many seconds it has been put off."""
        self._poller: select.poll | None = None
        """Made when the pidfd is known; drops the output once that has ended."""
        self._alive = True
        os.set_blocking(output, False)

    def await_ready(self) -> None:
        """Wait until the worker is isolated. Raises `SourceGone` if it never is."""
        self.pid, self._pidfd, self._number = self._starter.started()
        try:
            meta = self.channel.receive(time.monotonic() + START_LIMIT_S).meta
            if meta.get("t") != "ready":
                raise Violation("ready")
            self.isolation = IsolationRecord.of(meta.get("isolation"))
        except (Deadline, PeerGone, Violation) as error:
            self._drain()
            text = bytes(self.output).decode("utf-8", "replace").strip()
            raise SourceGone(f"a worker did not start: {text or error!r}") from None
        self.mapped_at_start = mapped_bytes(self.pid)
        usage = self.usage()
        self.is_cold = usage is None or usage.running_s > FORKED_S

    def usage(self) -> Usage | None:
        """Read the worker's CPU time so far; return None if the system does not tell."""
        try:
            with open(f"/proc/{self.pid}/schedstat", "rb") as file:
                main, waiting = map(int, file.read().split()[:2])
            with open(f"/proc/{self.pid}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            state, reads, user, system = fields[0], fields[9], fields[11], fields[12]
            running_s = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
            return Usage(running_s, waiting / 1e9, main / 1e9, int(reads), state == b"D")
        except (OSError, ValueError, IndexError):
            return None

    def memory(self) -> Memory | None:
        """Read the worker's memory and limits; return None if the system does not tell."""
        mapped = mapped_bytes(self.pid)
        if not (mapped and self.mapped_at_start):
            return None
        with open(f"/proc/{self.pid}/limits", "rb") as file:
            row = next(line for line in file if line.startswith(b"Max address space"))
        *_, soft, hard, _ = row.split()
        return Memory(mapped, mapped - self.mapped_at_start, (soft.decode(), hard.decode()))

    @property
    def is_alive(self) -> bool:
        """Return False once it was ended from here."""
        return self._alive

    def fate(self) -> int | None:
        """Return the worker's wait status, or None if it is alive; to be asked before `kill`.

        Raises `SourceGone`.
        """
        return self._starter.fate(self._number)

    def kill(self) -> None:
        """End the worker; the zygote ends whatever it started."""
        if not self._alive:
            return
        self._alive = False
        try:
            if self._pidfd is None:
                self._starter.kill(self.pid)
            else:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.channel.close()
        self.tally.close()
        os.close(self._output)
        if self._pidfd is not None:
            os.close(self._pidfd)

    def _wait(self, writing: bool, until: float | None) -> None:
        """Wait for the channel, and read the worker's output meanwhile.

        Otherwise an honest submission that prints a lot would run into a time-out.
        """
        sock_fd = self.channel.sock.fileno()
        poller = self._poller
        if poller is None:
            poller = self._poller = self._make_poller()
        if writing:
            poller.modify(sock_fd, select.POLLOUT)
        try:
            self._wait_for(poller, sock_fd, until)
        finally:
            if writing:
                poller.modify(sock_fd, select.POLLIN)

    def _make_poller(self) -> select.poll:
        poller = select.poll()
        for fd in (self.channel.sock.fileno(), self._output, self._pidfd):
            if fd is not None:
                poller.register(fd, select.POLLIN)
        return poller

    def _wait_for(self, poller: select.poll, sock_fd: int, until: float | None) -> None:
        while True:
            left_s = None if until is None else self._left_s(until)
            ready = {fd for fd, _ in poller.poll(None if left_s is None else left_s * 1e3 + 1)}
            if self._output in ready and not self._drain():
                poller.unregister(self._output)
            if sock_fd in ready:
                return
            # A child of the worker may hold the socket open after the worker's own end.
            if self._pidfd in ready:
                raise PeerGone("the process ended")

    def _left_s(self, until: float) -> float:
        """Return the seconds left to wait. Raises `Deadline` if there are none."""
        late_s = self._late[1] if self._late[0] == until else 0.0
        left_s = until + late_s - time.monotonic()
        if left_s > 0:
            return left_s
        more_s = self.more_time()
        if more_s <= 0:
            raise Deadline
        self._late = (until, time.monotonic() - until + more_s)
        return more_s

    def _drain(self) -> bool:
        """Read the output that is there and keep its beginning; return False at its end."""
        for _ in range(READS_AT_ONCE):  # threads that never stop printing must not stop the clock
            try:
                data = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.output += data[: max(0, OUTPUT_KEPT_BYTES - len(self.output))]
            if len(data) < 1 << 16:
                break
        return True
