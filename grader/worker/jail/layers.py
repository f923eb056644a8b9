"""The layers that a worker puts on, one at a time, before it reads a byte of a submission."""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from . import landlock, seccomp
from .kernel import (
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    NEWIPC,
    NEWNS,
    NEWUSER,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    die_with_parent,
    drop_capabilities,
    mount,
    prctl,
    unshare,
)

_MIB = 1 << 20
_SCRATCH_OPTIONS = "size=32m,nr_inodes=2048,mode=0700"
ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
NOWHERE = "/nonexistent"
# Importing torch's compiler, as torch.func does, makes sure that this folder is there.
NO_CACHE = {"TORCHINDUCTOR_CACHE_DIR": "/"}


@dataclass(frozen=True)
class IsolationLayer:
    """One layer of isolation.

    `name` stands in reports and is what an ablation test leaves out.
    """

    name: str
    put_on: Callable[[], None]


@dataclass(frozen=True)
class Limits:
    """The resources that one worker may use."""

    memory_mib: int = 1024
    """Address space beyond what the process had before student code."""
    cpu_s: int = 120
    file_mib: int = 16
    open_files: int = 64
    threads: int = 32


def session() -> None:
    """Start a session: no terminal, no process group of others, an end when the parent ends."""
    if os.getpid() != os.getsid(0):
        os.setsid()
    die_with_parent()
    os.umask(0o077)


def private_mounts(scratch: str) -> None:
    """Mount a scratch folder in memory that no other process sees and that ends with this one."""
    unshare(NEWNS | NEWIPC, "mount namespace of a worker")
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount("tmpfs", scratch, "tmpfs", flags, _SCRATCH_OPTIONS)


def private_user() -> None:
    """Enter a user namespace of its own, so that threads are counted apart from all others."""
    unshare(NEWUSER, "user namespace of a worker")


def environment(scratch: str) -> None:
    """Make `scratch` the home and current folder, and reset the environment variables.

    With an empty `scratch` there is no place to write to.
    """
    os.chdir(scratch or "/")
    home = scratch or NOWHERE
    os.environ.clear()
    os.environ.update(ENVIRONMENT, HOME=home, TMPDIR=home, **({} if scratch else NO_CACHE))
    tempfile.tempdir = home  # torch asks for it in passing, and must not fail where there is none


def no_new_privileges() -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def undumpable() -> None:
    """Forbid processes of the same user to trace this one or read its memory."""
    prctl(PR_SET_DUMPABLE, 0)


def capabilities() -> None:
    drop_capabilities()
    die_with_parent()  # the kernel forgot it with the change of credentials


def limits(wanted: Limits, mapped: int, *, own_user: bool) -> None:
    """Set hard resource limits.

    With `own_user`, also set those that count what the user has in other processes.
    """
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: wanted.cpu_s,
        resource.RLIMIT_FSIZE: wanted.file_mib * _MIB,
        resource.RLIMIT_NOFILE: wanted.open_files,
    }
    if mapped:
        bounds[resource.RLIMIT_AS] = mapped + wanted.memory_mib * _MIB
    if own_user:
        bounds[resource.RLIMIT_NPROC] = wanted.threads
        bounds |= dict.fromkeys(_none_of(), 0)
    for kind, value in bounds.items():
        _, hard = resource.getrlimit(kind)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))


def _none_of() -> Iterable[int]:
    names = ("MEMLOCK", "MSGQUEUE", "NICE", "RTPRIO")
    return [getattr(resource, f"RLIMIT_{name}") for name in names]


def landlock_on_tree(scratch: str) -> None:
    """Allow to read every file of the tree, and to write to `scratch` and the null device only."""
    rules = landlock.Ruleset()
    rules.allow(["/"], landlock.READ)
    rules.allow([scratch, os.devnull], landlock.WRITE)
    rules.enforce()


def filter_calls(program: bytes) -> None:
    seccomp.install(seccomp.with_pid(program, os.getpid()))


def mapped_bytes(pid: int | str = "self") -> int:
    """Return the address space in use now, in bytes; 0 if that is unknown.

    Limits are relative to it, because torch alone maps more than a course needs.
    """
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
