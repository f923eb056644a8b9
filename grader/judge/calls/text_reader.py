"""Have a submission's text read by a worker that runs none of it, while another worker runs it."""

from __future__ import annotations

import time

from ...text.language import _
from ...wire.faults import Violation, WireFault
from ...wire.load_plan import LoadPlan, Wanted, survey_request
from ...wire.raised import RemoteRaised
from ...wire.survey_report import survey_report
from . import process_exit
from .faults import Starved, StudentFault, StudentRaised, was_killed
from .survey import Survey
from .time_limits import LimitExtension
from .worker_process import WorkerProcess
from .workers import Workers

LIMIT_S = 10.0
MOST_KILLS = 2
"""So often the text is read anew after a SIGKILL. From then on it is taken for the text's doing."""

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


class TextReader:
    """Has a submission's text read once, before any of it runs.

    So nothing of the text can influence what comes back.
    """

    def __init__(
        self, workers: Workers, plan: LoadPlan, wanted: Wanted | None, has_own_worker: bool
    ) -> None:
        """Take note of what to read; read nothing yet.

        `wanted`: None to read nothing at all. `has_own_worker`: a worker of its own reads the text;
        otherwise the worker that will run the text reads it first.
        """
        self._workers, self._plan, self._wanted = workers, plan, wanted
        self._has_own_worker = has_own_worker
        self._reading: Reading | None = None
        self._kills = 0
        self._survey = None if wanted is not None else Survey()

    def survey(self) -> Survey | None:
        """Return what was read; None if no worker was ever brought up.

        Raises:
            Starved: the machine was too busy to read it.
        """
        while self._survey is None and self._reading is not None:
            survey = self._reading.survey()
            if self._is_worth_another_try(survey):
                self._reading.close()
                self._reading = self._begun()
            else:
                self._survey = survey
        return self._survey

    def read_first(self, worker: WorkerProcess) -> bool:
        """Have the text read, unless it was, now that `worker` is about to run it.

        Return whether `worker` is still good to load the text.
        """
        if self._wanted is None or self._survey is not None or self._reading is not None:
            return True
        if self._has_own_worker:
            self._reading = self._begun()
            return True
        more_time = worker.more_time
        survey = Reading(worker, self._plan, self._wanted).survey()
        worker.more_time = more_time
        if not self._is_worth_another_try(survey):
            self._survey = survey
        return survey.is_read

    def _begun(self) -> Reading:
        assert self._wanted is not None
        return Reading(self._workers.take(), self._plan, self._wanted)

    def _is_worth_another_try(self, survey: Survey) -> bool:
        """Tell whether a SIGKILL ended the reader, which runs none of the text, and take note."""
        if not was_killed(survey.fault):
            return False
        self._kills += 1
        return self._kills <= MOST_KILLS

    def close(self) -> None:
        """End the worker that only reads, if there is one."""
        if self._reading is not None:
            self._reading.close()


def _raised(error: RemoteRaised) -> Survey:
    """Turn an exception of the reader into a survey's fault; the reader ran only our own code."""
    if error.type_name in THE_TEXTS_OWN:
        fault = StudentRaised(error.type_name, error.bases, error.message, None, own=False)
        return Survey(fault=fault)
    return Survey(ours=f"{error.type_name}: {error.message}")
