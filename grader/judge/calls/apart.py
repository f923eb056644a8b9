"""Ask a second process of the same submission what the first must not be able to remember.

A check that compares two answers of the student's code asks for them in two processes, neither of
which has seen the other's question: what was kept of the first is of no use for the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...wire.side import DeferredCall
from ...wire.values import Node
from .handles import Parameters, RemoteModule
from .side import JudgeSide
from .worker_process import WorkerProcess


@dataclass
class WorkerState:
    """One process of a submission, and what a client keeps about that process alone."""

    side: JudgeSide
    peer: Any = None
    worker: WorkerProcess | None = None
    deferred: list[DeferredCall] = field(default_factory=list)
    layers: set[Any] = field(default_factory=set)
    """Numbers of torch's own layers that a check made: what they run is not the student's."""
    clean: bool = False
    """True if nothing has run since the submission was loaded."""
    must_reset: bool = False
    """True if the next outermost request has to reset the other side for a new check."""


class SeveralProcesses(Protocol):
    """A client that can go on with another process of the same submission."""

    def using(self, state: WorkerState) -> AbstractContextManager[None]: ...

    def begin_apart(self) -> None: ...

    def unnoticed(self) -> AbstractContextManager[None]: ...

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any: ...

    def send_along(self, target: Node, args: tuple[Any, ...]) -> None: ...


class Apart:
    """Calls a submission in its second process, which is started when a check first needs it.

    Limits, faults, and the numbers of calls are those of the submission's client.
    """

    def __init__(self, client: SeveralProcesses) -> None:
        self._client = client
        self.state = WorkerState(JudgeSide(self))
        self._begun = False
        self.modules: list[RemoteModule] = []

    @property
    def apart(self) -> Apart:
        """Return this one: there are two processes and no third."""
        return self

    def begin_check(self) -> None:
        """Note that a check begins: the process is to be reset before it is asked anything."""
        self._begun = False
        self.modules.clear()

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        """Call `target` in the second process and return its value.

        Raises:
            StudentFault: the submission cannot be loaded, or the call raised, hung, crashed or
                answered garbage.
        """
        with self._client.using(self.state):
            self._begin()
            return self._client.invoke(target, args, kwargs, parameters)

    def send_along(self, target: Node, args: tuple[Any, ...]) -> None:
        with self._client.using(self.state):
            self._begin()
            self._client.send_along(target, args)

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            with self.unnoticed():
                self._client.begin_apart()

    def unnoticed(self) -> AbstractContextManager[None]:
        return self._client.unnoticed()
