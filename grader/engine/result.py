"""Define the result of grading one submission, and make it of a judge's answer, or of none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..grade.evidence import NOT_YOURS, Note, Observation, could_not_check
from ..messages.answers import CheckFacts, GradedSubmission, Trace
from ..messages.hello import Hello
from ..submission.file_choice import misnamed
from ..submission.submission import Submission
from ..text.language import _
from ..wire.isolation_record import IsolationRecord
from .job import Job


@dataclass(frozen=True)
class Result:
    """The result of grading one submission."""

    submission: Submission
    observations: tuple[Observation, ...]
    loading: tuple[Note, ...]
    tier: str
    isolation: IsolationRecord | None
    """None if no worker was started for it."""
    duration_ms: float
    entries: Mapping[str, str] = field(default_factory=dict)
    """Assignment -> the file that was graded for it."""
    trace: Trace = field(default_factory=Trace)
    """Values that the code answered, if `Options.trace` is set."""
    without: tuple[Observation, ...] = ()
    """The observations that would have been made if the mistakes in `Scope.unknown` were unknown to
    the grader; empty if none are named."""


def tier_of(answer: GradedSubmission) -> str:
    """Return the tier of isolation in which a submission was graded."""
    return "none" if answer.isolation is None else answer.isolation.tier


def result_of(job: Job, answer: GradedSubmission, course: Hello) -> Result:
    """Make the result of a submission that was graded."""
    choices = job.choices(answer.choices)
    graded = {plan.assignment for plan in course.exercises}
    notes = job.notes({stem: choice for stem, choice in choices.items() if stem in graded})
    targets = {stem: names for stem, names in course.targets.items() if stem in graded}
    return Result(
        submission=job.submission,
        observations=answer.observations,
        loading=(*misnamed(job.files, job.candidates, targets), *notes, *answer.notes),
        tier=tier_of(answer),
        isolation=answer.isolation,
        duration_ms=answer.duration_ms,
        entries={stem: choice.path for stem, choice in choices.items()},
        trace=answer.trace,
        without=answer.without,
    )


def not_graded(job: Job, checks: Iterable[CheckFacts], why: str, tier: str) -> Result:
    """Make the result of a submission that could not be graded: it loses no points by that."""
    text = _("grading failed twice, the second time alone: {why}", why=why)
    return Result(
        submission=job.submission,
        observations=tuple(could_not_check(check.id, check.title, text) for check in checks),
        loading=(Note("problem", _(NOT_YOURS)),),
        tier=tier,
        isolation=None,
        duration_ms=0.0,
        entries={stem: paths[0] for stem, paths in job.candidates.items()},
    )
