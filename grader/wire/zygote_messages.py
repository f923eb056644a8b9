"""Define the messages between a judge and the process that starts its workers.

That process is a zygote, or a spawner where nothing can be forked. The judge knows what it must not
know, so the judge checks what it answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .faults import Violation


@dataclass(frozen=True)
class StartWorker:
    """Ask for a worker on the descriptors that come along: socket, output and tally."""

    limits: Mapping[str, int] = field(default_factory=dict)
    """The resources it may use, where they are not the usual ones; see `jail.layers.Limits`."""

    def encoded(self) -> dict[str, Any]:
        return {"t": "start", "config": {"limits": dict(self.limits)}}


@dataclass(frozen=True)
class KillWorker:
    """Ask for the end of a worker."""

    number: int

    def encoded(self) -> dict[str, Any]:
        return {"t": "kill", "pid": self.number}


@dataclass(frozen=True)
class FateRequest:
    """Ask how a worker ended."""

    number: int

    def encoded(self) -> dict[str, Any]:
        return {"t": "fate", "pid": self.number}


ZygoteRequest = StartWorker | KillWorker | FateRequest


def zygote_request(message: Mapping[str, Any]) -> ZygoteRequest:
    """Decode a request of the judge, which the zygote trusts."""
    match message["t"]:
        case "kill":
            return KillWorker(message["pid"])
        case "fate":
            return FateRequest(message["pid"])
    return StartWorker(message["config"]["limits"])


@dataclass(frozen=True)
class WorkerStarted:
    """A worker was started; its pidfd comes along where the system has such a thing."""

    number: int
    """The number by which the zygote knows it."""

    def encoded(self) -> dict[str, Any]:
        return {"pid": self.number}


@dataclass(frozen=True)
class WorkerFate:
    """The end of a worker, as a wait status from its parent; None if it is still alive."""

    status: int | None

    def encoded(self) -> dict[str, Any]:
        return {"fate": self.status}


ZygoteAnswer = WorkerStarted | WorkerFate


def zygote_answer(message: Mapping[str, Any]) -> ZygoteAnswer:
    """Check and decode an answer of the zygote.

    Raises:
        Violation: it is no answer of ours.

    >>> zygote_answer({"fate": None})
    WorkerFate(status=None)
    """
    match message:
        case {"pid": int(number)} if type(number) is int and number > 1:
            return WorkerStarted(number)
        case {"fate": None}:
            return WorkerFate(None)
        case {"fate": int(status)} if type(status) is int and 0 <= status < 1 << 16:
            return WorkerFate(status)
    raise Violation("answer of the zygote")
