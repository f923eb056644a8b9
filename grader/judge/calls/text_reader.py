"""Have a submission's text read by a worker that runs none of it, while another worker runs it."""

from __future__ import annotations

import time

from ...text.language import _
from ...wire.faults import Violation, WireFault
from ...wire.load_plan import LoadPlan, Wanted, survey_request
from ...wire.raised import RemoteRaised
from ...wire.survey_report import survey_report
from . import process_exit
from .faults import Starved, StudentFault, StudentRaised
from .survey import Survey
from .time_limits import LimitExtension
from .worker_process import WorkerProcess

LIMIT_S = 10.0


THE_TEXTS_OWN = frozenset({"MemoryError", "RecursionError"})
"""Exceptions that a text causes in any reader: the text is too large or too deep."""


class Reading:
    """One reading of a text by a worker: begun at once, awaited only when asked for its answer."""

    def __init__(self, worker: WorkerProcess, plan: LoadPlan, wanted: Wanted) -> None:
        self._worker = worker
        self._extension = LimitExtension()
        self._survey: Survey | None = None
        self._is_closed = False
        self._begin()
        try:
            request = {**survey_request(plan, wanted), "release": []}
            worker.channel.send(request, list(plan.files.values()), self._until)
        except WireFault as error:
            self._survey = Survey(fault=self._fault(error))

    def survey(self) -> Survey:
        """Wait for the answer; return what the text says, or why it could not be read.

        That is the text's fault or ours.

        Raises:
            Starved: the machine was too busy for it.
        """
        if self._survey is None:
            if self._is_closed:
                return Survey(ours=_("the process that reads it was ended before it answered"))
            self._begin()
            try:
                self._survey = self._answer()
            except WireFault as error:
                self._survey = Survey(fault=self._fault(error))
        return self._survey

    def close(self) -> None:
        """End the worker. An answer that was not asked for by now is lost."""
        self._is_closed = True
        self._worker.kill()

    def _begin(self) -> None:
        self._extension.begin(self._worker)
        self._worker.more_time = lambda: self._extension.more_time(self._worker, LIMIT_S)
        self._until = time.monotonic() + LIMIT_S

    def _answer(self) -> Survey:
        reply = self._worker.channel.receive(self._until).meta
        if reply.get("t") == "raised":
            return _raised(RemoteRaised(reply))
        if reply.get("t") != "ok":
            raise Violation("survey")
        return Survey(survey_report(reply.get("found")))

    def _fault(self, error: WireFault) -> StudentFault:
        starved = self._extension.starves(self._worker, LIMIT_S)
        fault = process_exit.fault_of(error, self._worker, LIMIT_S, starved)
        if isinstance(fault, Starved):
            raise fault
        return fault


def _raised(error: RemoteRaised) -> Survey:
    """Turn an exception of the reader into a survey's fault; the reader ran only our own code."""
    if error.type_name in THE_TEXTS_OWN:
        fault = StudentRaised(error.type_name, error.bases, error.message, None, own=False)
        return Survey(fault=fault)
    return Survey(ours=f"{error.type_name}: {error.message}")
