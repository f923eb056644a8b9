"""What there is to steal, reach and break around a jail: planted, ours, and gone afterwards."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.worker.jail.kernel import architecture
from grader.worker.jail.numbers import NUMBERS

_MORE = {
    "x86_64": "shmget=29 shmat=30 vfork=58 shmctl=31 personality=135 setpriority=141 "
    "sched_setaffinity=203 timer_create=222 mq_open=240 inotify_init1=294 inotify_add_watch=254 "
    "name_to_handle_at=303 kcmp=312 memfd_create=319 setxattr=188 getxattr=191 fanotify_init=300 "
    "execveat=322 fork=57 pidfd_open=434 io_uring_register=427 open_tree=428 fsopen=430 "
    "openat2=437 process_madvise=440 mount_setattr=442 memfd_secret=447 utimensat=280 "
    "ioprio_set=251 tkill=200 rt_sigqueueinfo=129 fchmodat=268",
    "aarch64": "shmget=194 shmat=196 shmctl=195 personality=92 setpriority=140 "
    "sched_setaffinity=122 timer_create=107 mq_open=180 inotify_init1=26 inotify_add_watch=27 "
    "name_to_handle_at=264 kcmp=272 memfd_create=279 setxattr=5 getxattr=8 fanotify_init=262 "
    "execveat=281 pidfd_open=434 io_uring_register=427 open_tree=428 fsopen=430 openat2=437 "
    "process_madvise=440 mount_setattr=442 memfd_secret=447 utimensat=88 ioprio_set=30 "
    "tkill=130 rt_sigqueueinfo=138 fchmodat=53",
}
PRELUDE = '''\
import ctypes, errno, gc, os, signal, socket, struct, sys, threading, time

import torch

{facts}
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


def call(name, *args):
    """A system call by name. Raises OSError."""
    made = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    result = LIBC.syscall(ctypes.c_long(CALLS[name]), *made)
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result


def refused_by_us(function, *args):
    """Whether a call is stopped before the kernel looks at its arguments."""
    try:
        function(*args)
    except OSError as error:
        return error.errno == errno.EPERM
    return False

'''
VICTIM = """
import os, sys
SECRET = os.environ["SECRET"]
print("up", flush=True)
sys.stdin.read()
"""
SHARED_BYTES = 4096
_IPC_CREAT, _IPC_EXCL, _IPC_RMID = 0o1000, 0o2000, 0


@dataclass(frozen=True)
class World:
    prelude: str


@contextmanager
def world(root: Path, nonce: str, canary: Callable[[str], str]) -> Iterator[World]:
    """Files, ports, a process, a terminal and shared memory for attacks to reach for."""
    with ExitStack() as stack:
        course = root / "course"
        suites = course / "tests" / "suites" / "t1_arena"
        folder = root / "private"
        folder.mkdir()
        (folder / "canary").write_text(canary("file"), encoding="utf-8")
        other = root / "student-002"
        other.mkdir()
        (other / "t1_arena.py").write_text(f"# {canary('other')}\n", encoding="utf-8")
        shared = Path("/dev/shm") / f"grader-attack-{nonce}"
        shared.write_text(canary("shm"), encoding="utf-8")
        stack.callback(shared.unlink)
        victim = stack.enter_context(_victim(canary("victim")))
        master, slave = os.openpty()
        stack.callback(os.close, master)
        stack.callback(os.close, slave)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=512))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        unix = _listening(stack, str(folder / "socket"))
        abstract = _listening(stack, f"\0grader-attack-{nonce}")
        facts = {
            "NONCE": nonce,
            "COURSE": str(course),
            "SUITE": str(suites / "test_work.py"),
            "REFERENCE": str(course / "reference" / "t1_arena.py"),
            "RUBRIC": str(course / "rubric.yaml"),
            "OTHER": str(other / "t1_arena.py"),
            "FOLDER": str(folder),
            "CANARY_FILE": str(folder / "canary"),
            "SHARED_FILE": str(shared),
            "SHARED_KEY": stack.enter_context(_segment(canary("segment"))),
            "VICTIM": victim,
            "GRADER": os.getpid(),
            "TTY": os.ttyname(slave),
            "TCP": tcp.getsockname()[1],
            "UDP": udp.getsockname()[1],
            "UNIX": unix,
            "ABSTRACT": abstract,
            "PYTHON": sys.executable,
            "CALLS": _calls(),
        }
        text = "".join(f"{name} = {value!r}\n" for name, value in facts.items())
        yield World(PRELUDE.replace("{facts}\n", text))


def _calls() -> dict[str, int]:
    machine = architecture()
    more = (row.partition("=") for row in _MORE.get(machine, "").split())
    return {**NUMBERS.get(machine, {}), **{name: int(number) for name, _, number in more}}


@contextmanager
def _victim(secret: str) -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", VICTIM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"SECRET": secret},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def _listening(stack: ExitStack, name: str) -> str:
    server = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
    server.bind(name)
    server.listen(512)
    return name


@contextmanager
def _segment(secret: str) -> Iterator[int]:
    """The key of a System V segment that holds a canary and that everybody may read."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    key = int.from_bytes(os.urandom(4), "big") & 0x7FFFFFFF | 1
    number = libc.shmget(key, SHARED_BYTES, 0o666 | _IPC_CREAT | _IPC_EXCL)
    if number < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    try:
        place = libc.shmat(number, None, 0)
        ctypes.memmove(place, secret.encode(), len(secret))
        libc.shmdt(ctypes.c_void_p(place))
        yield key
    finally:
        libc.shmctl(number, _IPC_RMID, None)
