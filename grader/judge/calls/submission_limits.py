"""Limit the time of one submission: of a call, of a statement while it is loaded, of all of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...text.language import _
from .client import MINIMUM_LIMIT_S, REFERENCE_FACTOR
from .faults import TimedOut
from .hang_places import HangPlaces, RunningFunction
from .time_limits import LimitExtension, SubmissionTime
from .worker_process import WorkerProcess

STATEMENT_LIMIT_S = 2.0
LOADING_LIMIT_S = 10.0
SUBMISSION_LIMIT_S = 60.0
PATIENT_HANGS = 3
IMPATIENT_LIMIT_S = 0.5
"""The shorter limit, in seconds, after `PATIENT_HANGS` calls without an answer.

It is no less fair: 50 times the reference's time still holds."""
SECOND_HANG_LIMIT_S = 0.25
KNOWN_HANG_LIMIT_S = 0.03
"""The limits, in seconds, of a call in a loop in which one call before it hung, or several. They
hold while no slow call ever came back from it, as none does from an endless loop."""
KNOWN_HANG_FACTOR = 20.0
"""So many times what the reference takes is given even then."""
CALLBACK_FACTOR = 4.0
"""Factor on the limits of a call that calls back to the judge: it waits for the judge as well."""

ReferenceTime = Callable[[int], float]
"""Seconds the reference took for the n-th call of the current check."""


class LoadingTime:
    """The progress of loading a submission, and until when it may take."""

    def __init__(self) -> None:
        self.is_on = False
        self.at: tuple[str, int] | None = None
        """The statement that is being run: file, and number in it."""
        self._until = 0.0

    @contextmanager
    def attempt(self, until: float) -> Iterator[None]:
        """Load from the first statement on, meanwhile."""
        self.is_on, self.at, self._until = True, None, until
        try:
            yield
        finally:
            self.is_on = False

    def begin_statement(self, path: str, index: int) -> float:
        """Note that a statement begins; return until when it may take."""
        self.at = (path, index)
        return min(self._until, time.monotonic() + STATEMENT_LIMIT_S)

    def grant(self, seconds: float) -> None:
        """Let the loading take so much longer."""
        self._until += seconds

    @property
    def is_in_statement(self) -> bool:
        """Tell whether a statement runs while there is still time for the rest of the file."""
        return self.is_on and self.at is not None and time.monotonic() < self._until


class SubmissionLimits:
    """The limits of one submission, whose workers come one after the other."""

    def __init__(self) -> None:
        self.loading = LoadingTime()
        self.time = SubmissionTime(SUBMISSION_LIMIT_S)
        self._extension = LimitExtension()
        self._reference_time: ReferenceTime = lambda call: 0.0
        self.places = HangPlaces()
        self._hangs = 0
        self._leeway = 1.0
        self._call = 0

    # ---- of a call -----------------------------------------------------------------------

    def begin_check(self, reference_time: ReferenceTime) -> None:
        self._reference_time, self._leeway = reference_time, 1.0

    def allow_callbacks(self) -> None:
        """Give the calls of this check more time: they wait for the judge as well."""
        self._leeway = CALLBACK_FACTOR

    def of_call(self, number: int) -> float:
        """Return the limit, in seconds, of the call with this number in the current check."""
        floor = MINIMUM_LIMIT_S if self._hangs < PATIENT_HANGS else IMPATIENT_LIMIT_S
        self._call = number
        return self._leeway * max(floor, REFERENCE_FACTOR * self._reference_time(number))

    def of_call_in(self, functions: tuple[RunningFunction, ...], *, is_cold: bool) -> float:
        """Return the most, in seconds, that a call may take which is seen in these functions.

        `is_cold`: the worker has not practised, and its first call takes longer.
        """
        hangs = self.places.see(functions)
        if not hangs:
            return math.inf
        floor = SECOND_HANG_LIMIT_S if hangs == 1 or is_cold else KNOWN_HANG_LIMIT_S
        return self._leeway * max(floor, KNOWN_HANG_FACTOR * self._reference_time(self._call))

    # ---- of a request --------------------------------------------------------------------

    def require_time(self, worker: WorkerProcess | None) -> None:
        """Raise TimedOut if the submission used up its time."""
        if self.time.is_over(worker):
            observed = _(
                "the submission used up its {seconds} s", seconds=round(SUBMISSION_LIMIT_S)
            )
            raise TimedOut(observed, _("an answer in time"))

    def begin(self, worker: WorkerProcess) -> None:
        """Note that a request is about to be sent to this worker.

        Raises:
            TimedOut: the submission used up its time. This is looked at before every call: one
                check may make a hundred, each of them just in time.
        """
        if not self.loading.is_on:
            self.require_time(worker)
        self.places.begin()
        self._extension.begin(worker)
        self.time.begin()

    def begin_statement(self, path: str, index: int, worker: WorkerProcess | None) -> float:
        """Note that the worker begins a statement; return until when it may take."""
        until = self.loading.begin_statement(path, index)
        if worker is not None:
            self._extension.begin_part(worker)
        return until

    def renew(self) -> None:
        """Forget the last measurement: another worker has taken over."""
        self._extension.renew()

    def more_time(self, worker: WorkerProcess | None, limit_s: float) -> float:
        """Grant a request of this limit, or its statement, the CPU time that it has not had yet."""
        met_s, part = self._met(limit_s)
        more_s = self._extension.more_time(worker, met_s, part=part)
        self.time.grant(more_s)
        self.loading.grant(more_s)
        return more_s

    def missed(self, worker: WorkerProcess | None, limit_s: float) -> tuple[float, bool]:
        """Return the limit that a request of `limit_s` met, and whether its worker was starved."""
        met_s, part = self._met(limit_s)
        return met_s, self._extension.starves(worker, met_s, part=part)

    def timed_out(self) -> None:
        """Count a call without an answer."""
        self._hangs += 1
        self.places.timed_out()
        self._extension.timed_out()

    def _met(self, limit_s: float) -> tuple[float, bool]:
        """Return the limit that holds now, and whether it is that of a single statement."""
        return (STATEMENT_LIMIT_S, True) if self.loading.is_in_statement else (limit_s, False)
