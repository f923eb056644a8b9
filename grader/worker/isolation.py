"""Apply the layers of a tier to a worker, before it reads a byte of a submission.

`isolate` either reports what now holds or raises, and then the worker exits.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..wire.isolation_record import IsolationRecord
from .jail.kernel import in_words
from .jail.layers import IsolationLayer, Limits

WORKER_SOCKET = 3

LayersOf = Callable[[Limits, str], Sequence[IsolationLayer]]


@dataclass(frozen=True)
class WorkerConfig:
    """The limits of one worker, where they are not the usual ones, and its folder of the host."""

    limits: Mapping[str, int]
    scratch: str
    """The folder to write to; "" if its tier has one in memory."""


@dataclass(frozen=True)
class Jail:
    """A tier that is ready for workers.

    `standing` names what holds before a worker exists; `layers` are what each worker adds itself.
    """

    tier: str
    layers: LayersOf
    fork: Callable[[], int] = os.fork
    scratch: bool = False
    """True if workers need a folder of the host to write to."""
    keep_fds: tuple[int, ...] = ()
    standing: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    reason: str = ""
    """The reason that no better tier is used, if there is one."""
    landlock_abi: int | None = None
    """The version of Landlock in this kernel, if that was found out."""
    without: frozenset[str] = frozenset()


def take_descriptors(sock_fd: int, output_fd: int, keep: Sequence[int] = ()) -> None:
    """Rearrange the file descriptors of a worker and close all others.

    Standard input is empty, output goes to `output_fd`, and the socket is at `WORKER_SOCKET`. Kept
    open is only `keep`: folders that torch imports the rest of itself from, and what a layer still
    needs.
    """
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
    """Duplicate a file descriptor until its number is beyond those about to be assigned."""
    while fd <= WORKER_SOCKET:
        fd = os.dup(fd)
    return fd


def _highest_descriptor() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(soft, 1 << 16) if soft != resource.RLIM_INFINITY else 1 << 16


def isolate(jail: Jail, limits: Limits, scratch: str) -> IsolationRecord:
    """Put on every layer of the jail and return the record for the report.

    Raises OSError if a layer fails: the caller must then exit.
    """
    put_on = []
    layers = jail.layers(limits, scratch)
    if unknown := jail.without - {layer.name for layer in layers}:
        raise ValueError(f"no such layer in tier {jail.tier}: {', '.join(sorted(unknown))}")
    for layer in layers:
        if layer.name not in jail.without:
            layer.put_on()
            put_on.append(layer.name)
    return IsolationRecord(
        # A jail with a layer left out keeps no tier's promise.
        tier="none" if jail.without else jail.tier,
        enforced=("descriptors", *jail.standing, *put_on),
        weak=(*jail.weak, *(f"left out: {name}" for name in sorted(jail.without))),
        reason=jail.reason,
        landlock_abi=jail.landlock_abi,
    )


def rehearse(jail: Jail) -> None:
    """Put every layer on in a child that then ends. Raises OSError if one is refused."""
    if jail.scratch:
        return
    read_end, write_end = os.pipe()
    pid = jail.fork()
    if pid == 0:
        try:
            isolate(jail, Limits(), "")
            os.write(write_end, b"done")
        except BaseException as error:
            os.write(write_end, in_words(error).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as file:
        message = file.read().decode()
    os.waitpid(pid, 0)
    if message != "done":
        raise OSError(message or "a rehearsal was killed")
