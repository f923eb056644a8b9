"""Turn the end of a check into an observation, with words for whoever reads it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ...grade.evidence import Observation, Outcome, Where, could_not_check
from ...text.language import _, course_text, marked
from ...wire.faults import Violation
from ..calls.faults import (
    AuthorFault,
    CheckFailed,
    NotRecorded,
    SourceGone,
    Starved,
    StudentFault,
    malformed,
)
from ..wording.differences import describe
from .check_trace import CheckTrace, frozen
from .checks import Check
from .failure_details import FailureDetails
from .pytest_bridge import Phase

MAX_TEXT = 2000
WITHOUT_THE_COURSE = marked(
    "this cannot be decided without the course, and is checked after you hand in"
)
NO_CAUSE = marked("no cause was looked for to the end, for a reason of the grader's")
"""The note beside a failure where an error of ours came between it and its cause."""
UNLIKE_ALL = float("nan")
"""A value for a check that broke off: it equals nothing, not even another such check."""


@dataclass
class CheckRecord:
    """The notes that fixtures took while a check ran."""

    expectations: int = 0
    notes: list[str] = field(default_factory=list)
    precision: str | None = None
    compared: list[Any] = field(default_factory=list)
    """The student's values in comparisons, in order."""
    error_text: str = ""
    drawn: list[Any] = field(default_factory=list)
    drew: bool = False
    refused: bool = False
    """These four mean the same as in `CheckTrace`."""
    details: FailureDetails | None = None
    definition: Where | None = None
    """The place where the student defines what the check is about."""
    answer: Any = None
    """The value that the student's code gave last."""

    def trace(self, outcome: Outcome) -> CheckTrace:
        """Return the values that the check saw, without the graphs that computed them."""
        seen = tuple(frozen(value) for value in self.compared)
        plain = CheckTrace(
            outcome, seen, self.error_text, tuple(self.drawn), self.drew, refused=self.refused
        )
        if self.details is None or outcome is Outcome.PASSED:
            return plain
        details = self.details
        return replace(
            plain,
            failure=details.failure,
            leaks=details.leaks,
            mixes_samples=details.mixes_samples,
            reason=details.reason,
        )


@dataclass(frozen=True)
class CheckResult:
    """The observation of one check, and the values that it compared."""

    observation: Observation
    trace: CheckTrace

    def noting(self, *notes: str) -> CheckResult:
        """Return the same result with further notes."""
        noted = replace(self.observation, notes=(*self.observation.notes, *notes))
        return replace(self, observation=noted)


def observation(check: Check, phases: list[Phase], record: CheckRecord) -> Observation:
    """Return the observation of a check.

    Raises:
        Starved, SourceGone: the check should be tried again.
    """
    error = next((phase.error for phase in phases if phase.error is not None), None)
    if isinstance(error, Violation):
        error = malformed()
    if isinstance(error, (Starved, SourceGone)):
        raise error
    if isinstance(error, CheckFailed) and error.shows and record.details is not None:
        record.details.see(*error.shows)
    if isinstance(error, CheckFailed) and error.lacks:
        record.drawn.append(list(error.lacks))
    if isinstance(error, StudentFault):
        return _student(check, error, record)
    if isinstance(error, NotRecorded):
        return replace(ours(check, our_fault(error)), observed=_(WITHOUT_THE_COURSE))
    if isinstance(error, AuthorFault):
        return ours(check, our_fault(error))
    if error is not None:
        return _broken_off(check, our_fault(error), record)
    if not record.expectations:
        why = _("the check compared nothing (it never called expect)")
        return _broken_off(check, why, record)
    return Observation(
        check.id,
        check.title,
        Outcome.PASSED,
        notes=_distinct(record.notes),
        precision=record.precision,
    )


def _student(check: Check, fault: StudentFault, record: CheckRecord) -> Observation:
    observed = fault.observed
    if fault.detail and not check.hidden:
        observed = _("{observed}: {detail}", observed=observed, detail=fault.detail)
    error = record.details.error if record.details is not None else None
    no_cause = () if error is None else (_(NO_CAUSE),)
    return Observation(
        check.id,
        check.title,
        fault.outcome,
        observed=observed[:MAX_TEXT],
        expected=fault.expected[:MAX_TEXT],
        where=fault.where or record.definition,
        notes=(*_distinct(record.notes), *no_cause),
        tried=fault.tried,
        staff="" if error is None else our_fault(error)[:MAX_TEXT],
    )


def ours(check: Check, why: str) -> Observation:
    """Return the observation of a fault that is ours or the author's.

    `why` is for the staff: it may name a hidden suite.
    """
    return could_not_check(check.id, check.title, why[:MAX_TEXT])


def _broken_off(check: Check, why: str, record: CheckRecord) -> Observation:
    """Return the observation of a check that did not get to its end.

    It counts against the code that the check ran on. That is fair only if the check gets to its
    end on the reference: `CheckRunner` sees to that.
    """
    record.compared.append(UNLIKE_ALL)
    return Observation(
        check.id,
        check.title,
        Outcome.STUDENT_ERROR,
        observed=_(
            "the check could not go on with what your code gave, in the end {value}",
            value=describe(record.answer),
        ),
        expected=_("what the exercise asks for: with that, the same check gets to its end"),
        where=record.definition,
        notes=_distinct(record.notes),
        staff=why[:MAX_TEXT],
    )


def our_fault(error: BaseException) -> str:
    """Say where an exception of the grader's or a suite's comes from, and what it says."""
    if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception)):
        return _("the check was skipped, which proves nothing: {why}", why=error.msg)
    frames = traceback.extract_tb(error.__traceback__)
    suite = [frame for frame in frames if "/suites/" in frame.filename] or frames
    place = f"{suite[-1].filename}:{suite[-1].lineno}: " if suite else ""
    return f"{place}{type(error).__name__}: {error}"


def _distinct(notes: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(course_text, notes)))
