"""Find the holes of a course's suites: edits of the reference that no check notices.

Every edited reference, a mutant, is handed in for real, and graded until the first check fails. One
that passes them all is a hole, unless `reference/equal_edits.toml` says why it is right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..course.course import Course
from ..course.equal_edits import EqualEdit, load_equal_edits
from ..course.scope import Scope
from ..course.uses import touched, users
from ..engine.engine import Engine, Options
from ..grade.evidence import Outcome
from ..submission.submission import Submission
from .data import CourseData, read_course
from .edits.change import Operator
from .edits.generation import OPERATORS, Mutant, definitions, mutants
from .gap import Gap
from .trials import each_for_itself, kills


@dataclass(frozen=True)
class MutantTrial:
    """A mutant of one assignment's reference, and the exercises in which it can be seen."""

    stem: str
    mutant: Mutant
    slugs: tuple[str, ...]

    @property
    def id(self) -> str:
        """Return the name of this trial, which no other one of the course has."""
        return f"{self.stem}.py:{self.mutant.line}:{self.mutant.column}: {self.edit}"

    @property
    def definition(self) -> str:
        """Return the place of the edit: the assignment, a dot, and the definition."""
        return f"{self.stem}.{self.mutant.definition}"

    @property
    def edit(self) -> str:
        """Return the edit in words: its kind, and the text before and after."""
        return f"{self.mutant.operator}: {self.mutant.before} -> {self.mutant.after}"


@dataclass(frozen=True)
class TriedMutant:
    """The result of a mutant: the check that noticed it, or none."""

    trial: MutantTrial
    killer: str
    """The check that fails; "" if the mutant survives."""
    unchecked: tuple[str, ...] = ()
    """Checks that could not be made, with the reason."""


@dataclass(frozen=True)
class MutantSurvey:
    """The results of all mutants, and what of them is left to mend."""

    tried: tuple[TriedMutant, ...]
    equal: tuple[tuple[TriedMutant, EqualEdit], ...]
    """Mutants that no check notices, and the reason why none has to."""
    gaps: tuple[Gap, ...]
    """Mutants that no check notices for no reason, and reasons that nothing needs."""


def survey_mutants(course: Course, only: Sequence[str], options: Options) -> MutantSurvey:
    """Try every mutant of the exercises in `only`, or of all.

    Raises CourseError, EngineError, MisconceptionError.
    """
    data = read_course(course, only)
    reasons = load_equal_edits(course.paths)
    results = tried(data, list(mutant_trials(data)), options)
    equal, gaps = [], []
    for result in results:
        trial = result.trial
        gaps += [_unchecked(trial, text) for text in result.unchecked]
        if not result.killer:
            why = next((one for one in reasons if one.covers(trial.definition, trial.edit)), None)
            equal += [(result, why)] if why else []
            gaps += [] if why else [_hole(trial)]
    seen = {result.trial.definition for result in results}
    used = {why for _, why in equal}
    shown = course.paths.shown(course.paths.equal_edits)
    for reason in reasons:
        if reason.definition in seen and reason not in used:
            message = f"no edit that survives needs this reason: {reason.edit}"
            gaps.append(Gap(shown, reason.line, message, "take it out"))
    return MutantSurvey(tuple(results), tuple(equal), tuple(gaps))


def _hole(trial: MutantTrial) -> Gap:
    place = f"reference/{trial.stem}.py"
    message = f"no check of {', '.join(trial.slugs)} notices this edit: {trial.edit}"
    next = "add a check, or say in reference/equal_edits.toml why it is right"
    return Gap(place, trial.mutant.line, message, next)


def _unchecked(trial: MutantTrial, text: str) -> Gap:
    message = f"could not be checked with this edit: {trial.edit}: {text}"
    return Gap(f"reference/{trial.stem}.py", trial.mutant.line, message, "mend the check")


def mutant_trials(
    data: CourseData, operators: Sequence[Operator] = OPERATORS
) -> Iterator[MutantTrial]:
    """Yield every mutant of the references that can be seen in one of `data.slugs`."""
    rubric = data.course.rubric
    for stem, source in data.references.items():
        for name in definitions(source):
            owners = [e.slug for e in rubric.exercises.values() if name in e.targets]
            reached = owners or touched(rubric, data.uses, (stem, name))
            slugs = tuple(slug for slug in reached if slug in data.slugs)
            for mutant in mutants(source, name, operators) if slugs else ():
                yield MutantTrial(stem, mutant, slugs)


def tried(data: CourseData, trials: Sequence[MutantTrial], options: Options) -> list[TriedMutant]:
    """Grade the mutants and return what became of each, in the order given.

    Raises EngineError.
    """
    by_id = {trial.id: trial for trial in trials}
    scopes = {trial.id: _scope(data, trial) for trial in trials}
    submissions = (_submission(data, trial) for trial in trials)
    options = replace(options, only=data.slugs, diagnose=False)
    results: dict[str, TriedMutant] = {}
    with Engine(each_for_itself(data.course), options) as engine:
        for result in engine.grade(submissions, scopes):
            id = result.submission.id
            killer = next((o.check for o in result.observations if kills(o)), "")
            unchecked = tuple(
                f"{o.check}: {o.observed}"
                for o in result.observations
                if o.outcome is Outcome.COULD_NOT_CHECK
            )
            results[id] = TriedMutant(by_id[id], killer, unchecked)
    return [results[trial.id] for trial in trials]


def _scope(data: CourseData, trial: MutantTrial) -> Scope:
    definition = trial.stem, trial.mutant.definition
    seen_in = tuple(sorted(users(data.uses, definition)))
    return Scope(trial.slugs, seen_in=seen_in, diagnose=False, until_failure=True)


def _submission(data: CourseData, trial: MutantTrial) -> Submission:
    sources = {**data.references, trial.stem: trial.mutant.source}
    files = {f"{stem}.py": source.encode() for stem, source in sources.items()}
    digest = hashlib.sha256(trial.id.encode()).hexdigest()
    return Submission(id=trial.id, files=files, digest=digest, path="")
