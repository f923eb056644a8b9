"""Explain to the student why their process ended or was refused something.

How a process ended comes from its parent, which the kernel told. What it was refused comes from the
worker and is only a hint: it chooses between texts of ours.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from ...grade.evidence import Tried, Where
from ...text.language import _
from ...wire.faults import Deadline, PeerGone, WireFault
from ...wire.raised import RemoteRaised
from .faults import Crashed, Starved, StudentFault, TimedOut, malformed
from .worker_process import WorkerProcess


def _signal(name: signal.Signals) -> str:
    match name:
        case signal.SIGSYS:
            return _(
                "the system ended the process: it made a call that no submission may make (such as "
                "tracing or reading other processes, mounting, namespaces, killing itself)"
            )
        case signal.SIGKILL:
            return _(
                "the process was killed: it used too much memory or processor time, or killed "
                "itself"
            )
        case signal.SIGXCPU:
            return _("the process used up its processor time")
        # The first process of a namespace can't abort: it gets a segmentation fault instead.
        case signal.SIGSEGV | signal.SIGABRT | signal.SIGBUS | signal.SIGILL:
            return _(
                "the process crashed outside of Python (ctypes, recursion that is too deep, or a "
                "library that gave up)"
            )
    return _("the process was ended by the signal {signal}", signal=name.name)


def _refused(what: str) -> str:
    match what:
        case "network":
            return _("there is no network while a submission is graded")
        case "process":
            return _("no program or process can be started while a submission is graded")
        case "file":
            return _("other files than the submission's own cannot be used while it is graded")
    return _("not allowed while a submission is graded (network, processes, other files)")


def in_words(status: int | None) -> str:
    """Put a wait status into words; None stands for a process that is still alive.

    >>> in_words(3 << 8)
    'the process ended by itself, with exit code 3 (os._exit)'
    """
    if status is None:
        return _("the code closed the grader's own connection")
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        return _("the process ended by itself, with exit code {code} (os._exit)", code=code)
    number = os.WTERMSIG(status)
    try:
        name = signal.Signals(number)
    except ValueError:  # a real-time signal
        return _("the process was ended by signal {number}", number=number)
    return _signal(name)


def _is_signal(status: int, name: signal.Signals) -> bool:
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == name


def tried(error: RemoteRaised) -> Tried:
    """Return what a jailed process was probably refused, as `refusal_in_words` says it."""
    known = {kind.value: kind for kind in (Tried.NETWORK, Tried.PROCESS, Tried.FILE)}
    return known.get(error.refused, Tried.OTHER) if refusal_in_words(error) else Tried.NOTHING


def refusal_in_words(error: RemoteRaised) -> str:
    """Say what a jailed process was probably refused; return "" if the exception is no refusal."""
    names = (error.type_name, *error.bases)
    if "OSError" in names and error.refused in ("network", "process"):
        return _refused(error.refused)
    if "PermissionError" in names:
        return _refused(error.refused)
    return ""


@dataclass(frozen=True)
class Hung:
    """The place of a call that does not answer, as far as its worker told."""

    where: Where | None = None
    in_loop: bool = False
    again: bool = False
    """True if a call before it hung there."""


NOWHERE = Hung()


def _no_answer(seconds: str, hung: Hung) -> str:
    match hung:
        case Hung(where=None):
            return _("no answer within {seconds} s", seconds=seconds)
        case Hung(in_loop=True, again=False):
            return _(
                "no answer within {seconds} s: it was still in the loop at {place}",
                seconds=seconds,
                place=hung.where,
            )
        case Hung(in_loop=False):
            return _(
                "no answer within {seconds} s: it was still in the function at {place}",
                seconds=seconds,
                place=hung.where,
            )
    return _("no answer: it stayed in the loop at {place}, as in a call before", place=hung.where)


def fault_of(
    error: WireFault,
    worker: WorkerProcess | None,
    limit_s: float,
    starved: bool,
    hung: Hung = NOWHERE,
) -> StudentFault | Starved:
    """Turn a channel error into a fault, for a worker that has not been killed yet.

    `hung`: where a call is that does not answer.

    Raises:
        SourceGone: the process that starts workers is gone.
    """
    if isinstance(error, Deadline) and starved:
        seconds = f"{limit_s:.1f}"
        return Starved(_("no processor time for the worker within {seconds} s", seconds=seconds))
    if isinstance(error, Deadline):
        observed = _no_answer(f"{limit_s:.3g}", hung)
        return TimedOut(observed, _("an answer in time"), where=hung.where)
    if isinstance(error, PeerGone):
        status = worker.fate() if worker is not None else None
        fault = Crashed(in_words(status))
        fault.killed = status is not None and _is_signal(status, signal.SIGKILL)
        if status is None:
            fault.tried = Tried.CONNECTION
        elif _is_signal(status, signal.SIGSYS):
            fault.tried = Tried.CALL
        return fault
    return malformed()
