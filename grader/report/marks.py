"""The signs and the few words for the outcome of a check."""

from __future__ import annotations

from dataclasses import dataclass

from grader.grade.evidence import Outcome
from grader.grade.score import CriterionGrade
from grader.text.language import _, marked


@dataclass(frozen=True)
class Marks:
    """A set of signs that a terminal can show."""

    outcome: dict[Outcome, str]
    full: str
    empty: str


UNICODE = Marks(
    {
        Outcome.PASSED: "✓",
        Outcome.FAILED: "✗",
        Outcome.NOT_ATTEMPTED: "○",
        Outcome.STUDENT_ERROR: "✗",
        Outcome.TIMED_OUT: "✗",
        Outcome.BLOCKED: "–",
        Outcome.CARRIED: "✓",
        Outcome.COULD_NOT_CHECK: "?",
    },
    full="█",
    empty="░",
)
ASCII = Marks(
    {
        **dict.fromkeys(Outcome, "x"),
        Outcome.PASSED: "+",
        Outcome.NOT_ATTEMPTED: "o",
        Outcome.BLOCKED: "-",
        Outcome.CARRIED: "+",
        Outcome.COULD_NOT_CHECK: "?",
    },
    full="#",
    empty=".",
)

REMARKS = {
    Outcome.STUDENT_ERROR: marked("raised an error"),
    Outcome.TIMED_OUT: marked("took too long"),
    Outcome.NOT_ATTEMPTED: marked("not attempted"),
    Outcome.CARRIED: marked("same mistake as before, costs nothing more"),
    Outcome.COULD_NOT_CHECK: marked("could not be checked, not your mistake"),
}


def remark(outcome: Outcome) -> str:
    """Return the remark beside the title of a check; most outcomes have none."""
    return _(REMARKS[outcome]) if outcome in REMARKS else ""


def criterion_outcome(grade: CriterionGrade) -> Outcome:
    """Return the outcome whose sign stands for a whole criterion."""
    if grade.points is None:
        return Outcome.COULD_NOT_CHECK
    if grade.points == grade.max_points:
        return Outcome.PASSED
    for only in (Outcome.NOT_ATTEMPTED, Outcome.BLOCKED):
        if set(grade.outcomes) <= {only, Outcome.PASSED}:
            return only
    return Outcome.FAILED
