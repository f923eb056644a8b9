"""The content of a report before any format: one graded submission, seen through the rubric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from grader.course.rubric import POLICY, Exercise, Rubric
from grader.grade.evidence import FLAG, Note, Observation, Outcome
from grader.grade.score import ExerciseGrade, Grade, block, score
from grader.report.beside import BesideChecks
from grader.report.counted_hand_in import CountedHandIn
from grader.report.keeping_back import kept_back
from grader.submission.submission import Submission
from grader.submission.written_answers import WrittenAnswer, written_answers
from grader.text.language import _
from grader.text.typed import PLAIN, Typed
from grader.wire.isolation_record import IsolationRecord

if TYPE_CHECKING:  # what most formats can do without
    from grader.course.explanations import Explanations

LOST = (Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT)
"""Outcomes that the student can do something about, here and now."""


class Graded(Protocol):
    """The result of grading one submission; `grader.engine.engine.Result` is one."""

    @property
    def submission(self) -> Submission: ...
    @property
    def observations(self) -> tuple[Observation, ...]: ...
    @property
    def loading(self) -> tuple[Note, ...]: ...
    @property
    def tier(self) -> str: ...
    @property
    def isolation(self) -> IsolationRecord | None: ...
    @property
    def duration_ms(self) -> float: ...
    @property
    def entries(self) -> Mapping[str, str]: ...


class Grader(Protocol):
    """Anything that grades submissions; `grader.engine.engine.Engine` does."""

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]: ...


@dataclass(frozen=True)
class ExerciseReport:
    """One exercise: what it asks for, what was seen, what it earned."""

    exercise: Exercise
    grade: ExerciseGrade
    observations: tuple[Observation, ...]

    @property
    def is_untouched(self) -> bool:
        return bool(self.observations) and not self.grade.attempted

    @property
    def is_unknown(self) -> bool:
        """Return whether no criterion of this exercise could be checked."""
        return self.grade.is_unknown

    def with_outcome(self, *outcomes: Outcome) -> tuple[Observation, ...]:
        return tuple(seen for seen in self.observations if seen.outcome in outcomes)


@dataclass(frozen=True)
class PersonMark:
    """The points and the comment that a person gave for a written answer."""

    points: Fraction
    comment: str = ""
    remarks: tuple[str, ...] = ()
    """What the ticked items of the mark scheme say, each with its points."""


@dataclass(frozen=True)
class Report:
    """Everything that any format shows about one submission."""

    course: str
    submission: Submission
    entries: Mapping[str, str]
    """Maps an assignment to the file that was graded for it."""
    exercises: tuple[ExerciseReport, ...]
    grade: Grade
    notes: tuple[Note, ...]
    tier: str
    isolation: IsolationRecord | None
    duration_ms: float
    written: tuple[WrittenAnswer, ...] = ()
    """Answers that a person grades; their points are no part of `grade`."""
    person_marks: Mapping[str, PersonMark] = field(default_factory=dict)
    """Maps the slug of a question to what a person gave, where it is known already."""
    explanations: Explanations | None = None
    """The source of the hints, in formats that show any."""
    has_hints: bool = False
    """True if this copy of the course explains its exercises, for `grader explain`."""
    typed: Typed = PLAIN
    """The way that commands begin where this is read in a terminal."""
    flags: tuple[Note, ...] | None = None
    """Notes for the staff to look into; None in a report that is not for staff."""
    name_hidden_checks: bool = False
    """True if the author lets students see the names of hidden checks."""
    can_appeal: bool = False
    """True where a class was graded, so that there is somebody to send a claim to."""
    counted: CountedHandIn | None = None
    """The hand-in that this is about, where a student has several."""
    beside: tuple[BesideChecks, ...] = ()
    """The points beside those of the checks, where a class was graded."""

    @property
    def points(self) -> Fraction:
        """Return the points of the checks, with those beside them."""
        return self.grade.points + sum((one.points for one in self.beside), Fraction(0))

    @property
    def written_points(self) -> Fraction:
        """Return the most points that a person can give for the written answers."""
        return sum((answer.item.points for answer in self.written), Fraction(0))

    @property
    def observations(self) -> tuple[Observation, ...]:
        return tuple(seen for exercise in self.exercises for seen in exercise.observations)

    def idle_because(self, part: ExerciseReport) -> str:
        """Say why an exercise has no points when nothing of it was attempted."""
        stem = part.exercise.assignment
        if stem in self.entries:
            return _("not attempted")
        return _("there is no {file}", file=f"{stem}.py")


def report_on(
    graded: Graded,
    rubric: Rubric,
    only: Iterable[str] = (),
    explanations: Explanations | None = None,
    *,
    for_staff: bool = False,
) -> Report:
    """Return the report of a graded submission, on the exercises in `only` or on all of them.

    `for_staff` adds the notes that only the staff may read.
    """
    # Blocking looks at the whole course: a prerequisite counts even where it is not reported.
    blocked = block(rubric, graded.observations)
    return report_from(graded, blocked, rubric, only, explanations, for_staff=for_staff)


def report_from(
    graded: Graded,
    blocked: Iterable[Observation],
    rubric: Rubric,
    only: Iterable[str] = (),
    explanations: Explanations | None = None,
    *,
    for_staff: bool = False,
) -> Report:
    """Return the report on observations whose prerequisites were looked at already."""
    named = tuple(only)
    slugs = named or tuple(rubric.exercises)
    observations = [seen for seen in blocked if seen.exercise in slugs]
    if not for_staff:
        observations = [*kept_back(observations, rubric.feedback)]
    shown = {slug: rubric.exercises[slug] for slug in rubric.exercises if slug in slugs}
    grade = score(replace(rubric, exercises=shown), tuple(observations))
    stems = {exercise.assignment for exercise in shown.values()}
    submission = graded.submission
    return Report(
        course=rubric.course,
        submission=submission,
        entries={stem: graded.entries[stem] for stem in sorted(stems) if stem in graded.entries},
        exercises=tuple(
            ExerciseReport(
                exercise=shown[earned.slug],
                grade=earned,
                observations=in_rubric_order(shown[earned.slug], observations),
            )
            for earned in grade.exercises
        ),
        grade=grade,
        notes=(
            *(Note("problem", line) for line in submission.skipped),
            *(Note("note", line) for line in submission.set_aside),
            *(note for note in graded.loading if note.kind != FLAG),
        ),
        tier=graded.tier,
        isolation=graded.isolation,
        duration_ms=graded.duration_ms,
        written=written_answers(submission, rubric.written, rubric.written_for(named)),
        explanations=explanations,
        flags=tuple(n for n in graded.loading if n.kind == FLAG) if for_staff else None,
        name_hidden_checks=rubric.name_hidden_checks,
    )


def in_rubric_order(
    exercise: Exercise, observations: Iterable[Observation]
) -> tuple[Observation, ...]:
    """Return the observations of one exercise, the criteria in the order of the rubric."""
    order = {name: place for place, name in enumerate(exercise.criteria)}
    order |= {POLICY: -1} if POLICY in order else {}  # a broken rule may explain what follows
    mine = [seen for seen in observations if seen.exercise == exercise.slug]
    return tuple(sorted(mine, key=lambda seen: order.get(seen.criterion, len(order))))
