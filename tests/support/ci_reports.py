"""Reports of the sample course for the tests of what CI systems are sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.grade.evidence import Cause, Note, Observation, Outcome, Where
from grader.report.content import Report, report_on
from tests.unit.samples import CHECKS, RUBRIC, SampleResult, observations

CAUSE = Cause("add.minus", "Subtracted instead of adding.", 2, 2)
SECRET_TITLE = "The sum of a secret is right."
PUBLIC, HIDDEN, OTHER = CHECKS


def report(seen: Iterable[Observation], *notes: Note) -> Report:
    return report_on(SampleResult(observations=tuple(seen), loading=notes), RUBRIC)


def all_(outcome: Outcome) -> Report:
    """A report in which every check has this outcome."""
    return report(observations(outcome, "observed, 50 %\n::error::no", "expected 2"))


def half() -> Report:
    """One of two hidden checks fails at a known place: nothing may be said of the other one."""
    return report(half_seen())


def half_seen() -> tuple[Observation, ...]:
    public, hidden, other = observations(Outcome.PASSED)
    return (
        public,
        replace(hidden, check="s1.add/outputs/test_secret", title=SECRET_TITLE),
        replace(
            hidden,
            title="The sum is right, always: 100 %.",
            outcome=Outcome.FAILED,
            observed="3",
            expected="4",
            cause=CAUSE,
            where=Where("s1_sums.py", 5),
        ),
        other,
    )
