"""Whether diagnosis names the mistakes that a course knows, and nobody for what they did not do.

Every answer is handed in for real and graded by workers, once. What is said of it is then asked
for twice: with all that the course knows, and with the very mistake that was made forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from ..course import Course
from ..engine import Engine, Options, Result
from ..evidence import Observation
from ..misconceptions import Misconception
from ..rubric import POLICY
from .data import CourseData, read_course
from .pairs import AND, PAIRS, pairs_of
from .trials import Trial, each_for_itself, kills, scope_of, submission_of, trial_of

SELF_TARGET = Fraction(95, 100)
OPEN_TARGET = Fraction(2, 100)


class Seen(Protocol):
    """What came of an answer."""

    @property
    def observations(self) -> tuple[Observation, ...]: ...

    @property
    def without(self) -> tuple[Observation, ...]:
        """The same as if nobody had heard of the mistake in it; empty if there is none."""


class Verdict(StrEnum):
    """What was said of an answer."""

    NAMED = "named"
    SILENT = "silent"
    """Nothing but what was observed."""
    WRONG = "wrong"


@dataclass(frozen=True)
class Said:
    """What was said of one answer in one exercise."""

    id: str
    slug: str
    verdict: Verdict
    causes: tuple[str, ...]
    observed: str
    """Why the first check failed, for those that nobody named."""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """What was said of answers of one kind."""

    title: str
    rows: tuple[Said, ...]

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict is verdict for row in self.rows)

    def of(self, verdict: Verdict) -> tuple[Said, ...]:
        return tuple(row for row in self.rows if row.verdict is verdict)

    def share(self, verdict: Verdict) -> Fraction:
        return Fraction(self.count(verdict), max(1, len(self.rows)))


@dataclass(frozen=True)
class Diagnosed:
    """The tables of a course."""

    itself: Table
    open: Table
    pairs: Table
    variants: Table
    alike: tuple[tuple[str, ...], ...]
    """Mistakes that no check tells apart: either is named with the other."""
    unexplained: tuple[str, ...]
    """What the course says of a mistake that is not named, or leaves unsaid."""
    whole: bool = True
    """Whether it is about all exercises: a share of a few answers means nothing."""

    @property
    def failures(self) -> tuple[str, ...]:
        """What is not as it has to be."""
        found = [*self.unexplained]
        if self.whole and self.itself.share(Verdict.NAMED) < SELF_TARGET:
            found.append(f"fewer than {float(SELF_TARGET):.0%} are named as themselves")
        if self.whole and self.open.share(Verdict.WRONG) > OPEN_TARGET:
            found.append(f"more than {float(OPEN_TARGET):.0%} of what is unknown is named wrongly")
        if self.pairs.count(Verdict.WRONG):
            found.append("a false cause is stated for two mistakes at once")
        if self.variants.count(Verdict.WRONG):
            found.append("a right answer is accused of a mistake")
        return tuple(found)


def diagnose(
    course: Course, only: Sequence[str], options: Options, pairs: int = PAIRS
) -> Diagnosed:
    """The tables for the exercises in `only`, or for all. Raises CourseError, EngineError."""
    data = read_course(course, only)
    waiting = [trial_of(data, each) for each in (*data.misconceptions, *data.variants)]
    return tables_of(data, graded_for_real(data, waiting, options), options, pairs)


def tables_of(
    data: CourseData, results: Mapping[str, Seen], options: Options, pairs: int = PAIRS
) -> Diagnosed:
    """The same from what came of misconceptions and variants, by their ids. Raises EngineError."""
    known = {each.entry.id for each in data.misconceptions}
    itself, open_, alike = [], [], set()
    for trial in (trial_of(data, each) for each in data.misconceptions):
        for slug, seen, without in _exercises(trial, results[trial.id]):
            equals = _equals(trial.id, seen)
            alike |= {tuple(sorted({trial.id, *equals}))} if equals else set()
            said = said_of(trial.id, slug, seen, {trial.id}, known)
            itself.append(replace(said, note=_why_unnamed(trial, said)))
            open_.append(said_of(trial.id, slug, without, {trial.id, *equals}, known))
    accused = [
        said_of(trial.id, slug, seen, _also_a_mistake(data, trial), known)
        for trial in (trial_of(data, each) for each in data.variants)
        for slug, seen in _by_exercise(trial, results[trial.id].observations)
    ]
    return Diagnosed(
        Table("self: each known mistake by itself", tuple(itself)),
        Table("open set: the same with that mistake forgotten", tuple(open_)),
        Table("pairs: two mistakes at once", tuple(_of_pairs(data, known, options, pairs))),
        Table("variants: right answers", tuple(accused)),
        tuple(sorted(alike)),
        tuple(unexplained(data, itself)),
        {*data.slugs} == {*data.course.rubric.exercises},
    )


def _of_pairs(data: CourseData, known: set[str], options: Options, count: int) -> Iterator[Said]:
    double = list(pairs_of(data, count))
    results = graded_for_real(data, double, options)
    both = [
        said_of(trial.id, slug, seen, {*trial.id.split(AND)}, known)
        for trial in double
        for slug, seen, _ in _exercises(trial, results[trial.id])
    ]
    yield from _amounting(data, double, both, known, options)


def unexplained(data: CourseData, rows: Sequence[Said]) -> Iterator[str]:
    """Each mistake that nobody is told of has a reason in its entry, and no other one has."""
    silent = {row.id for row in rows if row.verdict is Verdict.SILENT}
    for each in data.misconceptions:
        assert isinstance(each.entry, Misconception)
        id, why = each.entry.id, each.entry.unnamed
        if id in silent and not why:
            yield f"{each.place}  {id} is not named: say why in `unnamed`, or make a check tell it"
        elif why and id not in silent and {*each.slugs} <= {*data.slugs}:
            yield f"{each.place}  {id} is named: take its `unnamed` away"


def _why_unnamed(trial: Trial, said: Said) -> str:
    entry = trial.edited.entry if trial.edited is not None else None
    silent = said.verdict is Verdict.SILENT
    return entry.unnamed if silent and isinstance(entry, Misconception) else ""


def _also_a_mistake(data: CourseData, right: Trial) -> set[str]:
    """A right way to write one exercise may be a known mistake of another."""
    return {
        each.entry.id for each in data.misconceptions if right.sources.get(each.stem) == each.source
    }


# ---- what is handed in -----------------------------------------------------------------------


def graded_for_real(
    data: CourseData, trials: Sequence[Trial], options: Options
) -> dict[str, Result]:
    """What came of each, by its id. Raises EngineError."""
    course = each_for_itself(data.course)
    scopes = {trial.id: scope_of(data, trial, diagnose=True) for trial in trials}
    submissions = (submission_of(data, trial) for trial in trials)
    with Engine(course, replace(options, only=data.slugs)) as engine:
        found = engine.grade(submissions, scopes)
        return {result.submission.id: result for result in found}


# ---- what was said ---------------------------------------------------------------------------


def _exercises(
    trial: Trial, result: Seen
) -> Iterator[tuple[str, list[Observation], list[Observation]]]:
    """Slug, what failed there, and the same with the mistake forgotten."""
    without = dict(_by_exercise(trial, result.without or result.observations))
    for slug, seen in _by_exercise(trial, result.observations):
        if seen:
            yield slug, seen, without[slug]


def _by_exercise(
    trial: Trial, observations: Sequence[Observation]
) -> Iterator[tuple[str, list[Observation]]]:
    for slug in trial.slugs:
        # A broken rule is seen in the text; there is nothing to diagnose.
        yield (
            slug,
            [o for o in observations if o.exercise == slug and kills(o) and o.criterion != POLICY],
        )


def said_of(
    id: str, slug: str, failed: Sequence[Observation], truths: set[str], known: set[str]
) -> Said:
    """What failed checks say: something wrong if none of the causes that fit one is true."""
    told = [named & known for o in failed if (named := set(_named(o)))]
    told = [named for named in told if named]
    wrong = any(not named & truths for named in told)
    verdict = Verdict.WRONG if wrong else Verdict.NAMED if told else Verdict.SILENT
    causes = tuple(sorted(set().union(*told)))
    observed = failed[0].observed if failed else ""
    return Said(id, slug, verdict, causes, observed)


def _named(observation: Observation) -> Iterable[str]:
    causes = (observation.cause, *observation.also)
    return [cause.id for cause in causes if cause is not None]


def _equals(id: str, failed: Sequence[Observation]) -> set[str]:
    """What is named wherever the mistake itself is."""
    named = [names for o in failed if (names := set(_named(o)))]
    return set.intersection(*named) - {id} if named and all(id in n for n in named) else set()


def _amounting(
    data: CourseData,
    trials: Sequence[Trial],
    rows: Sequence[Said],
    known: set[str],
    options: Options,
) -> Iterator[Said]:
    """Two mistakes may amount to a third that the course knows: the diagonal seen too late in the
    wrong triangle is the inverted mask. Then it is named on all other inputs as well."""
    doubted = {row.id for row in rows if row.verdict is Verdict.WRONG}
    rubric = replace(data.course.rubric, seed=f"{data.course.rubric.seed}, once more")
    other = replace(data, course=replace(data.course, rubric=rubric))
    chosen = [trial for trial in trials if trial.id in doubted]
    results: Mapping[str, Result] = graded_for_real(other, chosen, options) if chosen else {}
    for row in rows:
        if row.id not in results:
            yield row
            continue
        failed = [o for o in results[row.id].observations if kills(o)]
        again = said_of(row.id, row.slug, failed, set(row.causes), known)
        if again.verdict is Verdict.NAMED and again.causes == row.causes:
            note = f"the two amount to {' or '.join(row.causes)}, on other inputs as well"
            yield replace(row, verdict=Verdict.NAMED, note=note)
        else:
            yield row
