"""The first layer around student code, taken on by the worker itself before it reads a byte of it.

One seam: `isolate` either reports what now holds or raises, and then the worker exits.
The process limits here are tier `none`: they keep a submission from harming the run, not from
reading files of the same user.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_LINUX = sys.platform == "linux"
# Opened at import: between fork and student code nothing may be searched for or loaded.
_LIBC = ctypes.CDLL(None, use_errno=True) if _LINUX else None

WORKER_SOCKET = 3
ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Limits:
    """What one worker may use."""

    memory_mib: int = 1024
    """Of address space, beyond what the process had before student code."""
    cpu_s: int = 120
    file_mib: int = 16
    open_files: int = 64


def prctl(option: int, value: int) -> None:
    """Raises OSError if the kernel refuses. Does nothing where there is no prctl."""
    if _LIBC is None:
        return
    zero = ctypes.c_ulong(0)
    if _LIBC.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero) != 0:
        errno = ctypes.get_errno()
        raise OSError(errno, os.strerror(errno), f"prctl {option}")


def die_with_parent() -> None:
    """Have the kernel kill this process when the one that started it dies."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def take_descriptors(sock_fd: int, output_fd: int, keep: Sequence[int] = ()) -> None:
    """Standard input empty, output to `output_fd`, the socket at `WORKER_SOCKET`, no others but
    `keep`: the folders that torch imports the rest of itself from."""
    # Moved out of the way first: any of the two may sit on a number that is about to be used.
    sock_fd, output_fd = _above(sock_fd), _above(output_fd)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    os.dup2(sock_fd, WORKER_SOCKET, inheritable=False)
    start = WORKER_SOCKET + 1
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, _highest_descriptor())


def _above(fd: int) -> int:
    """The same open file on a number beyond those we are about to assign."""
    while fd <= WORKER_SOCKET:
        fd = os.dup(fd)
    return fd


def _highest_descriptor() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(soft, 1 << 16) if soft != resource.RLIM_INFINITY else 1 << 16


def isolate(limits: Limits, scratch: str) -> dict[str, Any]:
    """Give up what student code must not have; returns the record for the report.

    Raises OSError if a step fails: the caller must then exit.
    """
    if os.getpid() != os.getsid(0):
        os.setsid()
    die_with_parent()
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    os.umask(0o077)
    os.chdir(scratch)
    os.environ.clear()
    os.environ.update(ENVIRONMENT, HOME=scratch, TMPDIR=scratch)
    enforced = ["own session", "clean environment", "closed descriptors", *_set_limits(limits)]
    if _LINUX:
        enforced.append("no new privileges")
    return {"tier": "none", "enforced": enforced}


def _set_limits(limits: Limits) -> list[str]:
    mib = 1 << 20
    wanted = {
        "core files": (resource.RLIMIT_CORE, 0),
        "CPU time": (resource.RLIMIT_CPU, limits.cpu_s),
        "file size": (resource.RLIMIT_FSIZE, limits.file_mib * mib),
        "open files": (resource.RLIMIT_NOFILE, limits.open_files),
    }
    mapped = _mapped_bytes()
    if mapped:
        wanted["memory"] = (resource.RLIMIT_AS, mapped + limits.memory_mib * mib)
    for kind, value in wanted.values():
        _, hard = resource.getrlimit(kind)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))
    return [f"limited {name}" for name in wanted]


def _mapped_bytes() -> int:
    """Address space in use now. torch alone maps more than a course needs: limits are relative."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
