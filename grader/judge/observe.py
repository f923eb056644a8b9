"""What became of a check, as an observation in the right voice."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ..evidence import Observation, Outcome, Where
from ..language import _, course_text
from ..wire.faults import Violation
from .aside import Aside
from .checks import Check
from .faults import SourceGone, Starved, StudentFault, malformed
from .pytest_bridge import Phase
from .sight import Sight, frozen

MAX_TEXT = 2000


@dataclass
class Record:
    """What the fixtures noted while a check ran."""

    expectations: int = 0
    notes: list[str] = field(default_factory=list)
    precision: str | None = None
    seen: list[Any] = field(default_factory=list)
    """What comparisons were given of the student's, in order."""
    said: str = ""
    drawn: list[Any] = field(default_factory=list)
    drew: bool = False
    """These as in `Sight`."""
    aside: Aside | None = None
    definition: Where | None = None
    """Where the student defines the check's first target."""

    def sight(self, outcome: Outcome) -> Sight:
        """What the check saw, without the graphs that it was computed by."""
        seen = tuple(frozen(value) for value in self.seen)
        plain = Sight(outcome, seen, self.said, tuple(self.drawn), self.drew)
        if self.aside is None or outcome is Outcome.PASSED:
            return plain
        aside = self.aside
        return replace(plain, pair=aside.pair, leaks=aside.leaks, mixes_samples=aside.mixes_samples)


def observation(check: Check, phases: list[Phase], record: Record) -> Observation:
    """The observation of a check. Raises `Starved`, `SourceGone`: it should be tried again."""
    error = next((phase.error for phase in phases if phase.error is not None), None)
    if isinstance(error, Violation):
        error = malformed()
    if isinstance(error, (Starved, SourceGone)):
        raise error
    if isinstance(error, StudentFault):
        return _student(check, error, record)
    if error is not None:
        return ours(check, _ours(error))
    if not record.expectations:
        return ours(check, _("the check compared nothing (it never called expect)"))
    return Observation(
        check.id,
        check.title,
        Outcome.PASSED,
        notes=_distinct(record.notes),
        precision=record.precision,
    )


def _student(check: Check, fault: StudentFault, record: Record) -> Observation:
    observed = fault.observed
    if fault.detail and not check.hidden:
        observed = _("{observed}: {detail}", observed=observed, detail=fault.detail)
    return Observation(
        check.id,
        check.title,
        fault.outcome,
        observed=observed[:MAX_TEXT],
        expected=fault.expected[:MAX_TEXT],
        where=fault.where or record.definition,
        notes=_distinct(record.notes),
    )


def ours(check: Check, why: str) -> Observation:
    """Our own or the author's fault."""
    return Observation(check.id, check.title, Outcome.COULD_NOT_CHECK, observed=why[:MAX_TEXT])


def _ours(error: BaseException) -> str:
    if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception)):
        return _("the check was skipped, which proves nothing: {why}", why=error.msg)
    frames = traceback.extract_tb(error.__traceback__)
    suite = [frame for frame in frames if "/suites/" in frame.filename] or frames
    place = f"{suite[-1].filename}:{suite[-1].lineno}: " if suite else ""
    return f"{place}{type(error).__name__}: {error}"


def _distinct(notes: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(course_text, notes)))
