"""Put a zygote into namespaces that its workers share: files, network, user and processes.

A step that is refused leaves this process unusable, half in one world and half in another. So it
must then end, and whoever started it starts another one for a lower tier.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from .allowed import allowed, readable_by_us
from .kernel import (
    NEWCGROUP,
    NEWIPC,
    NEWNET,
    NEWNS,
    NEWPID,
    NEWUSER,
    NEWUTS,
    PR_SET_DUMPABLE,
    die_with_parent,
    in_words,
    prctl,
    set_host_name,
    setns,
    unshare,
)
from .tree import build_and_enter

NOBODY = 61234
"""User and group that submissions run as if the grader itself is root. It owns no file."""
_SHARED = NEWPID | NEWNET | NEWIPC | NEWUTS | NEWCGROUP


def enter(stack_fds: list[int]) -> None:
    """Move this process into its jail; its next child is the first of a PID namespace.

    Raises OSError, and then this process must end.
    """
    is_root = os.geteuid() == 0
    folders = [f"/proc/self/fd/{fd}" for fd in stack_fds]
    inside_id = NOBODY if is_root else os.geteuid()
    mapper = _Helper(_map_ids(os.getpid(), inside_id, NOBODY if is_root else os.getegid()))
    if is_root:
        os.setgroups([])
        unshare(NEWNS, "mount namespace")
        _build(folders)
        unshare(NEWUSER | NEWNS | _SHARED, "user namespace")
        _be_mapped(mapper)
    else:
        unshare(NEWUSER | NEWNS, "user namespace")
        _be_mapped(mapper)
        _build(folders)
        unshare(_SHARED, "namespaces")
    set_host_name("grader")
    for fd in stack_fds:
        os.close(fd)  # a folder of the world outside would be a way out
    os.chdir("/")
    if os.path.exists("/proc/self/status"):
        raise OSError("the tree was built but not entered")
    prctl(PR_SET_DUMPABLE, 0)
    die_with_parent()
    _must_be_readable(folders)


def _build(folders: list[str]) -> None:
    def build() -> None:
        build_and_enter({folder: os.readlink(folder) for folder in folders})

    _Helper(build).run()


def _be_mapped(mapper: _Helper) -> None:
    prctl(PR_SET_DUMPABLE, 1)  # else the files that take the mapping belong to root
    mapper.run()
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)


def _map_ids(pid: int, uid: int, gid: int) -> Callable[[], None]:
    """Return a function that maps one user and one group to 0 inside the namespace.

    An ordinary user may map no more.
    """

    def write() -> None:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {uid} 1"),
            ("gid_map", f"0 {gid} 1"),
        ):
            fd = os.open(f"/proc/{pid}/{name}", os.O_WRONLY)
            try:
                os.write(fd, text.encode())
            finally:
                os.close(fd)

    return write


def _must_be_readable(folders: list[str]) -> None:
    files = allowed(folders)
    missing = readable_by_us([*files.entries, *files.libraries])
    if missing is not None:
        raise OSError(f"{missing} is not readable for everybody (chmod -R a+rX)")
    if not any(os.path.isdir(f"{folder}/torch") for folder in folders):
        raise OSError("torch is not among the jail's files")


class _Helper:
    """A child forked at once, from this process as it is then, that does one thing when told to."""

    def __init__(self, body: Callable[[], None]) -> None:
        go_read, self._go = os.pipe()
        self._answer, answer_write = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._go)
            os.close(self._answer)
            try:
                if os.read(go_read, 1):
                    body()
                    os.write(answer_write, b"done")
            except BaseException as error:
                os.write(answer_write, in_words(error).encode())
            finally:
                os._exit(0)
        os.close(go_read)
        os.close(answer_write)

    def run(self) -> None:
        """Let the child do its task and wait for it. Raises OSError if it did not succeed."""
        with suppress(BrokenPipeError):
            os.write(self._go, b"1")
        os.close(self._go)
        with os.fdopen(self._answer, "rb") as file:
            message = file.read().decode()
        os.waitpid(self._pid, 0)
        if message != "done":
            raise OSError(message or "a helper died")


class OwnPids:
    """Forks children that are each the first, and only, process of a PID namespace."""

    def __init__(self) -> None:
        self._here = os.pidfd_open(os.getpid())

    def fork(self) -> int:
        unshare(NEWPID, "PID namespace")
        try:
            pid = os.fork()
        except OSError:
            setns(self._here, NEWPID)
            raise
        if pid == 0:
            os.close(self._here)
        else:
            setns(self._here, NEWPID)
        return pid
