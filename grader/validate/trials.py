"""Make the submissions that prove a course, and grade them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from ..course.course import Course
from ..course.follow_through import FollowThrough
from ..course.misconceptions import BlankAnswer, Misconception, Variant
from ..course.scope import Scope
from ..course.uses import users
from ..engine.engine import Engine, Options
from ..engine.result import Result
from ..grade.evidence import Observation, Outcome
from ..grade.score import block, score
from ..handouts.stubs import StubError, stub_source
from ..messages.answers import CheckFacts
from ..submission.submission import Submission
from .data import CourseData, Edited
from .wrapping import (
    BLANKS,
    blank_source,
    drawing_source,
    forbidden_source,
    reshaped_source,
)

Points = Mapping[tuple[str, str], Fraction | None]
LOOP = "for _ in (): ..."
DRAWING = ", drawing at random"
"""The end of the id of a trial with random draws, after the id of the one without."""
KILLS = frozenset({Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT})


def kills(observation: Observation) -> bool:
    """Tell whether points were lost on something that was written."""
    return observation.outcome in KILLS


class Kind(StrEnum):
    """The purpose of a trial."""

    REFERENCE = "reference"
    STUB = "stub"
    DRAWING = "drawing"
    """The reference or a mistake, with another global seed and random draws on its way."""
    BLANK = "blank"
    SHAPE = "shape"
    """The reference's own numbers in another shape, which checks of shapes have to notice."""
    VARIANT = "variant"
    FORBIDDEN = "forbidden"
    """The reference with something in it that the rubric does not allow."""
    MISCONCEPTION = "misconception"


KINDS = {
    Misconception: Kind.MISCONCEPTION,
    Variant: Kind.VARIANT,
    BlankAnswer: Kind.BLANK,
}


DIAGNOSED = (Kind.MISCONCEPTION, Kind.VARIANT)


@dataclass(frozen=True)
class ValidationTrial:
    """One submission to be graded."""

    id: str
    kind: Kind
    slugs: tuple[str, ...]
    sources: Mapping[str, str]
    """Stem to source, for the files that differ from the reference."""
    edited: Edited | None = None
    forbidden: str = ""
    """The text that must be found in it."""


@dataclass(frozen=True)
class GradedTrial:
    """The result of a trial."""

    trial: ValidationTrial
    observations: tuple[Observation, ...]
    points: Points
    """The points by (slug, criterion); None if they could not be determined."""
    answers: Mapping[str, Any]
    """The answers by check, as `grader.judge.checks.tracing` sketches them."""
    notes: tuple[str, ...]
    """Notes on the submission as a whole."""
    without: tuple[Observation, ...]
    """The observations made without knowing the mistake, if they were asked for."""
    written: tuple[tuple[str, str], ...]
    """Globals of suites, as (file, name), that grading it changed."""
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The methods of `expect` that were called, by check."""
    refused_by: Mapping[str, str] = field(default_factory=dict)
    """The method of `expect` that refused the answer, by check."""

    @property
    def killers(self) -> tuple[str, ...]:
        """Return the checks that it fails."""
        return tuple(o.check for o in self.observations if kills(o))

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {o.check: o.outcome for o in self.observations}


@dataclass(frozen=True)
class Evidence:
    """Everything that grading showed."""

    checks: tuple[CheckFacts, ...]
    graded: Mapping[str, GradedTrial]
    again: Mapping[str, GradedTrial]
    """The few trials that were graded once more, in reverse order."""
    pairs: Mapping[str, GradedTrial] = field(default_factory=dict)
    """Answers with two mistakes at once, which prove nothing about a suite; see `pairs_of`."""


def trials(data: CourseData) -> list[ValidationTrial]:
    """Return everything to be graded, the longest first."""
    slugs = data.slugs
    stubs = dict(_stubs(data))
    planned = [
        ValidationTrial("the reference", Kind.REFERENCE, slugs, {}),
        ValidationTrial(
            "the stub", Kind.STUB, tuple(s for s in slugs if _stem(data, s) in stubs), stubs
        ),
    ]
    for each in data.edited:
        planned.append(trial_of(data, each))
    for blank in BLANKS:
        for slug, exercise in data.exercises.items():
            stem = exercise.assignment
            source = blank_source(data.references[stem], exercise.targets, blank)
            planned.append(
                ValidationTrial(f"blank: {blank} in {slug}", Kind.BLANK, (slug,), {stem: source})
            )
    for slug, exercise in data.exercises.items():
        stem = exercise.assignment
        source = reshaped_source(data.references[stem], exercise.targets)
        planned.append(
            ValidationTrial(f"another shape in {slug}", Kind.SHAPE, (slug,), {stem: source})
        )
    planned += _forbidden(data)
    planned = [trial for trial in planned if trial.slugs]
    planned += [_drawing(data, trial) for trial in few(planned) if trial.kind is not Kind.STUB]
    return sorted(planned, key=lambda trial: (-len(trial.slugs), trial.slugs))


def trial_of(data: CourseData, each: Edited) -> ValidationTrial:
    """Return the trial of the reference with an entry's edit."""
    own = tuple(slug for slug in each.slugs if slug in data.slugs)
    return ValidationTrial(
        each.entry.id, KINDS[type(each.entry)], own, {each.stem: each.source}, each
    )


def _forbidden(data: CourseData) -> Iterator[ValidationTrial]:
    """Yield, for each rule of each exercise, an answer that breaks it."""
    for slug, exercise in data.exercises.items():
        stem = exercise.assignment
        rules = [(exercise.targets[0], name) for name in exercise.banned]
        rules += [(target, LOOP) for target in exercise.no_loops]
        for target, name in rules:
            code = name if name == LOOP else f"import {name.partition('.')[0]}\n{name}"
            source = forbidden_source(data.references[stem], target, code)
            id = f"{target} with {name.rstrip(':. ')} in {slug}"
            yield ValidationTrial(id, Kind.FORBIDDEN, (slug,), {stem: source}, forbidden=name)


def _drawing(data: CourseData, trial: ValidationTrial) -> ValidationTrial:
    sources = {**data.references, **trial.sources}
    sources = {stem: drawing_source(text, _targets(data, stem)) for stem, text in sources.items()}
    return ValidationTrial(trial.id + DRAWING, Kind.DRAWING, trial.slugs, sources)


def few(all_trials: Iterable[ValidationTrial]) -> list[ValidationTrial]:
    """Return the trials to grade in other ways too: reference, stub, and a mistake per exercise."""
    chosen: list[ValidationTrial] = []
    shown: set[str] = set()
    for trial in all_trials:
        if trial.kind in (Kind.REFERENCE, Kind.STUB):
            chosen.append(trial)
        elif trial.kind is Kind.MISCONCEPTION and not shown & {*trial.slugs}:
            shown |= {*trial.slugs}
            chosen.append(trial)
    return chosen


def grade(
    data: CourseData,
    options: Options,
    diagnose: bool = False,
    pairs: Sequence[ValidationTrial] = (),
    *,
    on_record: bool = True,
) -> Evidence:
    """Grade every trial, and pairs; with `diagnose`, look for the causes of failures, too.

    `on_record`: a mistake need not be handed in for checks that it passes, see `Scope.mistake`.

    Raises EngineError.
    """
    waiting, only = trials(data), data.slugs
    repeated, course = few(waiting), each_for_itself(data.course)
    options = replace(options, only=only, diagnose=False)
    with Engine(course, replace(options, trace=True, diagnose=diagnose)) as engine:
        graded = dict(_graded(data, engine, [*waiting, *pairs], on_record=on_record))
        checks = engine.checks
    with Engine(course, replace(options, reverse=True)) as engine:
        again = dict(_graded(data, engine, repeated))
    # in the order of the plan, whichever lane was first
    return Evidence(
        checks,
        {trial.id: graded[trial.id] for trial in waiting},
        {trial.id: again[trial.id] for trial in repeated},
        {trial.id: graded[trial.id] for trial in pairs},
    )


def each_for_itself(course: Course) -> Course:
    """Return the course without follow-through: each suite is to be proven by itself."""
    alone = {
        slug: replace(exercise, follow_through=FollowThrough())
        for slug, exercise in course.rubric.exercises.items()
    }
    return replace(course, rubric=replace(course.rubric, exercises=alone))


def _graded(
    data: CourseData,
    engine: Engine,
    waiting: list[ValidationTrial],
    *,
    on_record: bool = False,
) -> Iterator[tuple[str, GradedTrial]]:
    by_id = {trial.id: trial for trial in waiting}
    submissions = (submission_of(data, trial) for trial in waiting)
    rubric = data.course.rubric
    scopes = {trial.id: scope_of(data, trial, engine.options.diagnose) for trial in waiting}
    if on_record:
        scopes = {
            id: replace(scope, mistake=id if by_id[id].kind is Kind.MISCONCEPTION else "")
            for id, scope in scopes.items()
        }
    for result in _with_another_try(engine, list(submissions), scopes, groups_of(waiting)):
        trial = by_id[result.submission.id]
        known = [o for o in result.observations if _is_known(data, o)]
        points = {
            (exercise.slug, criterion.criterion): criterion.points
            for exercise in score(rubric, block(rubric, known)).exercises
            for criterion in exercise.criteria
            if exercise.slug in trial.slugs
        }
        yield (
            trial.id,
            GradedTrial(
                trial,
                result.observations,
                points,
                result.trace.answers,
                tuple(note.text for note in result.loading),
                result.without,
                result.trace.written,
                result.trace.called,
                result.trace.refused_by,
            ),
        )


def _with_another_try(
    engine: Engine,
    submissions: list[Submission],
    scopes: Mapping[str, Scope],
    groups: Mapping[str, str],
) -> Iterator[Result]:
    """Grade all, and once more those of which something could not be checked.

    A busy machine had no time for them. What is wrong in the course shows the second time as well.
    """
    unclear = []
    for result in engine.grade(submissions, scopes, groups):
        if any(o.outcome is Outcome.COULD_NOT_CHECK for o in result.observations):
            unclear.append(result.submission)
        else:
            yield result
    if unclear:
        yield from engine.grade(unclear, scopes, groups)


def scope_of(data: CourseData, trial: ValidationTrial, diagnose: bool = False) -> Scope:
    """Return the exercises that a trial is about, and the definitions that show its edit.

    With `diagnose`, causes are looked for in misconceptions and variants: some must be found in the
    first, none may be found in the second.
    """
    scope = Scope(trial.slugs, diagnose=diagnose and trial.kind in DIAGNOSED)
    if trial.edited is None:
        return scope
    entry = trial.edited.entry
    definition = trial.edited.stem, entry.target.partition(".")[0]
    unknown = (entry.id,) if scope.diagnose and isinstance(entry, Misconception) else ()
    seen_in = tuple(sorted(users(data.uses, definition)))
    return replace(scope, unknown=unknown, seen_in=seen_in)


def groups_of(all_trials: Iterable[ValidationTrial]) -> dict[str, str]:
    """Return the assignment of each trial, by its id: what one judge is to grade.

    Diagnosis runs the known mistakes of an exercise once in each judge that is asked about it.
    """
    return {trial.id: trial.slugs[0].partition(".")[0] for trial in all_trials}


def _is_known(data: CourseData, observation: Observation) -> bool:
    exercise = data.course.rubric.exercises[observation.exercise]
    return observation.criterion in exercise.criteria


def submission_of(data: CourseData, trial: ValidationTrial) -> Submission:
    sources = {**data.references, **trial.sources}
    files = {f"{stem}.py": source.encode() for stem, source in sources.items()}
    # What a fresh check draws hangs on it: not on a word of a hand-out far away from the trial.
    digest = hashlib.sha256(trial.id.encode()).hexdigest()
    return Submission(id=trial.id, files=files, digest=digest, path="")


def _stubs(data: CourseData) -> Iterator[tuple[str, str]]:
    for stem, source in data.references.items():
        try:
            yield stem, stub_source(source, f"reference/{stem}.py")
        except StubError:
            continue  # told where the hand-outs are compared


def _stem(data: CourseData, slug: str) -> str:
    return data.course.rubric.exercises[slug].assignment


def _targets(data: CourseData, stem: str) -> list[str]:
    exercises = data.course.rubric.exercises.values()
    return [name for e in exercises if e.assignment == stem for name in e.targets]
