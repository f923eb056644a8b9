"""Why a student's process ended or was refused something, in words for the student.

How a process ended comes from its parent, which the kernel told. What it was refused comes from the
worker and is only a hint: it chooses between texts of ours.
"""

from __future__ import annotations

import os
import signal

from ..wire.peer import RemoteRaised

_FORBIDDEN = (
    "the system ended the process: it made a call that no submission may make (such as tracing or "
    "reading other processes, mounting, namespaces, killing itself)"
)
_CRASHED = (
    "the process crashed outside of Python (ctypes, recursion that is too deep, or a library that "
    "gave up)"
)
_SIGNALS = {
    signal.SIGSYS: _FORBIDDEN,
    signal.SIGKILL: "the process was killed: it used too much memory or processor time, or "
    "killed itself",
    signal.SIGXCPU: "the process used up its processor time",
    # The first process of a namespace can't abort: it gets a segmentation fault instead.
    **dict.fromkeys((signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL), _CRASHED),
}
_REFUSED = {
    "network": "there is no network while a submission is graded",
    "process": "no program or process can be started while a submission is graded",
    "file": "other files than the submission's own cannot be used while it is graded",
}
_REFUSED_SOMETHING = "not allowed while a submission is graded (network, processes, other files)"


def in_words(status: int | None) -> str:
    """A wait status as what was observed; None stands for a process that lives on.

    >>> in_words(3 << 8)
    'the process ended by itself, with exit code 3 (os._exit)'
    """
    if status is None:
        return "the code closed the grader's own connection"
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        return f"the process ended by itself, with exit code {code} (os._exit)"
    number = os.WTERMSIG(status)
    try:
        name = signal.Signals(number)
    except ValueError:  # a real-time signal
        return f"the process was ended by signal {number}"
    return _SIGNALS.get(name, f"the process was ended by the signal {name.name}")


def refusal_in_words(error: RemoteRaised) -> str:
    """What an exception of a jailed process most likely says: nothing, unless it is a refusal."""
    names = (error.type_name, *error.bases)
    if "OSError" in names and error.refused in ("network", "process"):
        return _REFUSED[error.refused]
    if "PermissionError" in names:
        return _REFUSED.get(error.refused, _REFUSED_SOMETHING)
    return ""
