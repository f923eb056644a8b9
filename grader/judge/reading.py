"""A submission's text, read by a worker that runs nothing of it, while another one runs it."""

from __future__ import annotations

import time
from collections.abc import Iterable

from ..wire.faults import Violation, WireFault
from ..wire.frame import Meta
from ..wire.raised import RemoteRaised
from . import ending
from .faults import Starved, StudentFault, StudentRaised
from .patience import Patience
from .survey import Survey
from .worker_process import WorkerProcess

LIMIT_S = 10.0


class Reading:
    """Under way from the start; nobody waits for it before its answer is asked for."""

    def __init__(self, worker: WorkerProcess, request: Meta, files: Iterable[bytes]) -> None:
        self._worker = worker
        self._patience = Patience()
        self._survey: Survey | None = None
        self._begin()
        try:
            worker.channel.send({**request, "release": []}, list(files), self._until)
        except WireFault as error:
            self._survey = Survey(fault=self._fault(error))

    def survey(self) -> Survey:
        """What the text says, or why it could not be read.

        Raises:
            Starved: the machine was too busy for it.
        """
        if self._survey is None:
            self._begin()
            try:
                self._survey = Survey(self._answer())
            except WireFault as error:
                self._survey = Survey(fault=self._fault(error))
            except StudentFault as fault:
                self._survey = Survey(fault=fault)
        return self._survey

    def close(self) -> None:
        self._worker.kill()

    def _begin(self) -> None:
        self._patience.begin(self._worker)
        self._worker.more_time = lambda: self._patience.more_time(self._worker, LIMIT_S)
        self._until = time.monotonic() + LIMIT_S

    def _answer(self) -> Meta:
        reply = self._worker.channel.receive(self._until).meta
        if reply.get("t") == "raised":
            error = RemoteRaised(reply)
            raise StudentRaised(error.type_name, error.bases, error.message, None, own=False)
        if reply.get("t") != "ok" or type(reply.get("found")) is not dict:
            raise Violation("survey")
        found: Meta = reply["found"]
        return found

    def _fault(self, error: WireFault) -> StudentFault:
        starved = self._patience.starves(self._worker, LIMIT_S)
        fault = ending.fault_of(error, self._worker, LIMIT_S, starved)
        if isinstance(fault, Starved):
            raise fault
        return fault
