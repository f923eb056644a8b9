"""Define the answers of a judge to the parent: it is ready, it goes on, it graded, it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..grade.evidence import Note, Observation
from ..submission.file_choice import Choice
from ..wire.faults import Violation
from ..wire.frame import Meta
from ..wire.isolation_record import IsolationRecord
from .codec import decoded, encoded


@dataclass(frozen=True)
class CheckFacts:
    """A check as the judge collected it."""

    id: str
    title: str
    file: str
    """Its suite, from the course's root."""
    line: int
    fresh: bool
    disabled: str
    """The mark that keeps it from running, if there is one."""

    @property
    def exercise(self) -> str:
        return self.id.split("/", 1)[0]

    @property
    def criterion(self) -> str:
        return self.id.split("/", 2)[1]


@dataclass(frozen=True)
class UnknownName:
    """A name in the rubric that means nothing where it is looked up."""

    trail: tuple[str | int, ...]
    """The place of the name in the rubric: keys and numbers, from the outside in."""
    owner: str
    """The module or class that lacks it."""
    name: str
    options: tuple[str, ...]
    """The names that the owner has."""
    next: str
    """The thing to do if none of them was meant."""


@dataclass(frozen=True)
class Ready:
    """The judge has collected the suites and proved the reference."""

    checks: tuple[CheckFacts, ...]
    unknown: tuple[UnknownName, ...]


@dataclass(frozen=True)
class CheckStarted:
    """The judge begins another check of the submission at hand."""

    exercise: str
    number: int
    count: int


@dataclass(frozen=True)
class Failed:
    """The course has an error: nothing can be graded."""

    why: str


@dataclass(frozen=True)
class Gone:
    """The process that starts workers is gone: the judge ends."""

    why: str


@dataclass(frozen=True)
class TooBusy:
    """The machine was too busy to grade the submission fairly."""

    why: str


@dataclass(frozen=True)
class Trace:
    """A record of what student code answered, for `grader validate`."""

    answers: Mapping[str, Any] = field(default_factory=dict)
    """Check -> a sketch of each answer; see `grader.judge.checks.tracing`."""
    called: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Check -> the methods of `expect` that it called."""
    refused_by: Mapping[str, str] = field(default_factory=dict)
    """Failed check -> the method of `expect` that refused."""
    written: tuple[tuple[str, str], ...] = ()
    """File and name of each global of a suite that changed."""


@dataclass(frozen=True)
class GradedSubmission:
    """The result of grading one submission."""

    observations: tuple[Observation, ...]
    without: tuple[Observation, ...]
    """The observations if the mistakes in `Scope.unknown` were unknown; empty if none is named."""
    notes: tuple[Note, ...]
    choices: Mapping[str, Choice]
    """Assignment -> the file that was graded for it."""
    isolation: IsolationRecord | None
    """The isolation of its workers; None if none was started."""
    """The record of the workers' isolation; its `tier` is the one that was reached."""
    duration_ms: float
    trace: Trace = field(default_factory=Trace)


Answer = Ready | CheckStarted | Failed | Gone | TooBusy | GradedSubmission

_KINDS: Mapping[str, type[Any]] = {
    "ready": Ready,
    "at": CheckStarted,
    "failed": Failed,
    "gone": Gone,
    "starved": TooBusy,
    "graded": GradedSubmission,
}
_TAGS = {kind: tag for tag, kind in _KINDS.items()}


def answer_message(answer: Answer) -> Meta:
    """Return an answer as the message to send."""
    return {"t": _TAGS[type(answer)], **encoded(answer)}


def answer_in(meta: Meta) -> Answer:
    """Decode an answer of a judge.

    Raises:
        Violation: the message is no answer.
    """
    fields = dict(meta)
    kind = _KINDS.get(str(fields.pop("t", "")))
    if kind is None:
        raise Violation("answer of a judge")
    answer: Answer = decoded(kind, fields)
    return answer
