"""What a report says, before any format: one graded submission, seen through the rubric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from grader.evidence import Note, Observation, Outcome
from grader.language import _
from grader.rubric import POLICY, Exercise, Rubric
from grader.score import ExerciseGrade, Grade, block, score
from grader.submission import Submission
from grader.written.answers import WrittenAnswer, written_answers

LOST = (Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT)
"""Outcomes that the student can do something about, here and now."""


class Graded(Protocol):
    """What grading one submission gives; `grader.engine.Result` is one."""

    @property
    def submission(self) -> Submission: ...
    @property
    def observations(self) -> tuple[Observation, ...]: ...
    @property
    def loading(self) -> tuple[Note, ...]: ...
    @property
    def tier(self) -> str: ...
    @property
    def isolation(self) -> Mapping[str, object]: ...
    @property
    def duration_ms(self) -> float: ...
    @property
    def entries(self) -> Mapping[str, str]: ...


class Grader(Protocol):
    """Whatever grades submissions; `grader.engine.Engine` does."""

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
        """Whether nothing of it could be checked."""
        return all(criterion.points is None for criterion in self.grade.criteria)

    def with_outcome(self, *outcomes: Outcome) -> tuple[Observation, ...]:
        return tuple(seen for seen in self.observations if seen.outcome in outcomes)


@dataclass(frozen=True)
class Report:
    """Everything that any format shows about one submission."""

    course: str
    submission: Submission
    entries: Mapping[str, str]
    """Assignment to the file that was graded for it."""
    exercises: tuple[ExerciseReport, ...]
    grade: Grade
    notes: tuple[Note, ...]
    tier: str
    isolation: Mapping[str, object]
    duration_ms: float
    written: tuple[WrittenAnswer, ...] = ()
    """What a person grades; no part of `grade`."""

    @property
    def written_points(self) -> Fraction:
        """What a person has to give."""
        return sum((answer.item.points for answer in self.written), Fraction(0))

    @property
    def observations(self) -> tuple[Observation, ...]:
        return tuple(seen for exercise in self.exercises for seen in exercise.observations)

    def idle_because(self, part: ExerciseReport) -> str:
        """Why an exercise has no points when nothing of it was attempted."""
        stem = part.exercise.assignment
        if stem in self.entries:
            return _("not attempted")
        return _("there is no {file}", file=f"{stem}.py")


def report_on(graded: Graded, rubric: Rubric, only: Iterable[str] = ()) -> Report:
    """The report of a graded submission, on the exercises named in `only` or on all of them."""
    named = tuple(only)
    slugs = named or tuple(rubric.exercises)
    # Blocking looks at the whole course: a prerequisite counts even where it is not reported.
    observations = [seen for seen in block(rubric, graded.observations) if seen.exercise in slugs]
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
                observations=_in_rubric_order(shown[earned.slug], observations),
            )
            for earned in grade.exercises
        ),
        grade=grade,
        notes=(
            *(Note("problem", line) for line in submission.skipped),
            *(Note("note", line) for line in submission.set_aside),
            *graded.loading,
        ),
        tier=graded.tier,
        isolation=graded.isolation,
        duration_ms=graded.duration_ms,
        written=written_answers(submission, rubric.written, rubric.written_for(named)),
    )


def _in_rubric_order(
    exercise: Exercise, observations: Iterable[Observation]
) -> tuple[Observation, ...]:
    order = {name: place for place, name in enumerate(exercise.criteria)}
    order |= {POLICY: -1} if POLICY in order else {}  # a broken rule may explain what follows
    mine = [seen for seen in observations if seen.exercise == exercise.slug]
    return tuple(sorted(mine, key=lambda seen: order.get(seen.criterion, len(order))))
