"""What is handed in to prove a course, and what came of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from ..course import Course
from ..engine import Engine, Options
from ..evidence import Observation, Outcome
from ..follow_through import FollowThrough
from ..hello import CheckFacts
from ..misconceptions import BlankAnswer, Misconception, Variant
from ..scope import Scope
from ..score import block, score
from ..stubs import StubError, stub_source
from ..submission import Submission
from .data import CourseData, Edited
from .uses import users
from .wrapping import BLANKS, blank_source, drawing_source, forbidden_source

Points = Mapping[tuple[str, str], Fraction | None]
LOOP = "for _ in (): ..."
DRAWING = ", drawing at random"
"""What the id of a trial with random draws ends in, after the id of the one without."""
KILLS = frozenset({Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT})


def kills(observation: Observation) -> bool:
    """Whether points were lost on something that was written."""
    return observation.outcome in KILLS


class Kind(StrEnum):
    """What a trial is for."""

    REFERENCE = "reference"
    STUB = "stub"
    DRAWING = "drawing"
    """The reference or a mistake, with another global seed and random draws on its way."""
    BLANK = "blank"
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
class Trial:
    """One submission to be graded."""

    id: str
    kind: Kind
    slugs: tuple[str, ...]
    sources: Mapping[str, str]
    """Stem to source, for what differs from the reference."""
    edited: Edited | None = None
    forbidden: str = ""
    """What must be found in its text."""


@dataclass(frozen=True)
class Graded:
    """What came of a trial."""

    trial: Trial
    observations: tuple[Observation, ...]
    points: Points
    """By (slug, criterion)."""
    answers: Mapping[str, Any]
    """By check, as `grader.judge.tracing` sketches them."""
    notes: tuple[str, ...]
    """On the submission as a whole."""
    without: tuple[Observation, ...]
    """The observations as they were if nobody had heard of the mistake, if that was asked for."""
    written: tuple[tuple[str, str], ...]
    """Globals of suites, as (file, name), that were not as before when it was graded."""

    @property
    def killers(self) -> tuple[str, ...]:
        """The checks that it fails."""
        return tuple(o.check for o in self.observations if kills(o))

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {o.check: o.outcome for o in self.observations}


@dataclass(frozen=True)
class Evidence:
    """All that grading showed."""

    checks: tuple[CheckFacts, ...]
    graded: Mapping[str, Graded]
    again: Mapping[str, Graded]
    """The few that were graded once more, in reverse order."""


def trials(data: CourseData) -> list[Trial]:
    """Everything to be graded, the longest first."""
    slugs = data.slugs
    stubs = dict(_stubs(data))
    found = [
        Trial("the reference", Kind.REFERENCE, slugs, {}),
        Trial("the stub", Kind.STUB, tuple(s for s in slugs if _stem(data, s) in stubs), stubs),
    ]
    for each in data.edited:
        found.append(trial_of(data, each))
    for blank in BLANKS:
        for slug, exercise in data.exercises.items():
            stem = exercise.assignment
            source = blank_source(data.references[stem], exercise.targets, blank)
            found.append(Trial(f"blank: {blank} in {slug}", Kind.BLANK, (slug,), {stem: source}))
    found += _forbidden(data)
    found = [trial for trial in found if trial.slugs]
    found += [_drawing(data, trial) for trial in few(found) if trial.kind is not Kind.STUB]
    return sorted(found, key=lambda trial: -len(trial.slugs))


def trial_of(data: CourseData, each: Edited) -> Trial:
    """The reference with an entry's edit."""
    own = tuple(slug for slug in each.slugs if slug in data.slugs)
    return Trial(each.entry.id, KINDS[type(each.entry)], own, {each.stem: each.source}, each)


def _forbidden(data: CourseData) -> Iterator[Trial]:
    """For each rule of each exercise, an answer that breaks it."""
    for slug, exercise in data.exercises.items():
        stem = exercise.assignment
        rules = [(exercise.targets[0], name) for name in exercise.banned]
        rules += [(target, LOOP) for target in exercise.no_loops]
        for target, name in rules:
            code = name if name == LOOP else f"import {name.partition('.')[0]}\n{name}"
            source = forbidden_source(data.references[stem], target, code)
            id = f"{target} with {name.rstrip(':. ')} in {slug}"
            yield Trial(id, Kind.FORBIDDEN, (slug,), {stem: source}, forbidden=name)


def _drawing(data: CourseData, trial: Trial) -> Trial:
    sources = {**data.references, **trial.sources}
    sources = {stem: drawing_source(text, _targets(data, stem)) for stem, text in sources.items()}
    return Trial(trial.id + DRAWING, Kind.DRAWING, trial.slugs, sources)


def few(all_trials: Iterable[Trial]) -> list[Trial]:
    """Those that are graded in other ways too: both ends, and of every exercise a mistake."""
    chosen: list[Trial] = []
    shown: set[str] = set()
    for trial in all_trials:
        if trial.kind in (Kind.REFERENCE, Kind.STUB):
            chosen.append(trial)
        elif trial.kind is Kind.MISCONCEPTION and not shown & {*trial.slugs}:
            shown |= {*trial.slugs}
            chosen.append(trial)
    return chosen


def grade(data: CourseData, options: Options, diagnose: bool = False) -> Evidence:
    """Grades every trial; with `diagnose`, looks for what is behind failures, too.

    Raises EngineError."""
    waiting, only = trials(data), data.slugs
    repeated, course = few(waiting), each_for_itself(data.course)
    options = replace(options, only=only, diagnose=False)
    with Engine(course, replace(options, trace=True, diagnose=diagnose)) as engine:
        graded = dict(_graded(data, engine, waiting))
        checks = engine.checks
    with Engine(course, replace(options, reverse=True)) as engine:
        again = dict(_graded(data, engine, repeated))
    # in the order of the plan, whichever lane was first
    return Evidence(
        checks,
        {trial.id: graded[trial.id] for trial in waiting},
        {trial.id: again[trial.id] for trial in repeated},
    )


def each_for_itself(course: Course) -> Course:
    """Without follow-through: what is to be proven is what each suite sees by itself."""
    alone = {
        slug: replace(exercise, follow_through=FollowThrough())
        for slug, exercise in course.rubric.exercises.items()
    }
    return replace(course, rubric=replace(course.rubric, exercises=alone))


def _graded(data: CourseData, engine: Engine, waiting: list[Trial]) -> Iterator[tuple[str, Graded]]:
    by_id = {trial.id: trial for trial in waiting}
    submissions = (submission_of(data, trial) for trial in waiting)
    rubric = data.course.rubric
    scopes = {trial.id: scope_of(data, trial, engine.options.diagnose) for trial in waiting}
    for result in engine.grade(submissions, scopes):
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
            Graded(
                trial,
                result.observations,
                points,
                result.trace.get("answers", {}),
                tuple(note.text for note in result.loading),
                result.without,
                tuple((file, name) for file, name in result.trace.get("written", ())),
            ),
        )


def scope_of(data: CourseData, trial: Trial, diagnose: bool = False) -> Scope:
    """The exercises it is about; of these, what its edit can be seen in.

    With `diagnose`, causes are looked for where some must be found, and where none may be.
    """
    scope = Scope(trial.slugs, diagnose=diagnose and trial.kind in DIAGNOSED)
    if trial.edited is None:
        return scope
    entry = trial.edited.entry
    definition = trial.edited.stem, entry.target.partition(".")[0]
    unknown = (entry.id,) if scope.diagnose and isinstance(entry, Misconception) else ()
    seen_in = tuple(sorted(users(data.uses, definition)))
    return replace(scope, unknown=unknown, seen_in=seen_in)


def _is_known(data: CourseData, observation: Observation) -> bool:
    exercise = data.course.rubric.exercises[observation.exercise]
    return observation.criterion in exercise.criteria


def submission_of(data: CourseData, trial: Trial) -> Submission:
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
