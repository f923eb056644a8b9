"""Whether diagnosis names the mistakes that a course knows, and nobody for what they did not do.

Every answer is handed in for real and graded by workers, once. What is said of it is then asked
for twice: with all that the course knows, and with the very mistake that was made forgotten.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from ..course import Course
from ..engine import Engine, Options, Result
from ..evidence import Observation
from ..misconceptions import Misconception, MisconceptionError, Origin, apply_misconception
from ..rubric import POLICY
from ..scope import Scope
from .data import CourseData, Edited, read_course
from .trials import Kind, Trial, each_for_itself, kills, submission_of

PAIRS = 50
SELF_TARGET = Fraction(95, 100)
OPEN_TARGET = Fraction(2, 100)


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

    @property
    def failures(self) -> tuple[str, ...]:
        """What is not as it has to be."""
        found = []
        if self.itself.share(Verdict.NAMED) < SELF_TARGET:
            found.append(f"fewer than {float(SELF_TARGET):.0%} are named as themselves")
        if self.open.share(Verdict.WRONG) > OPEN_TARGET:
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
    single = [_trial(data, each) for each in data.misconceptions]
    double = list(_pairs(data, pairs))
    right = [_trial(data, each) for each in data.variants]
    results = graded_for_real(data, [*single, *double, *right], options)
    known = {each.entry.id for each in data.misconceptions}
    itself, open_, alike = [], [], set()
    for trial in single:
        for slug, seen, without in _exercises(trial, results[trial.id]):
            equals = _equals(trial.id, seen)
            alike |= {tuple(sorted({trial.id, *equals}))} if equals else set()
            itself.append(said_of(trial.id, slug, seen, {trial.id}, known))
            open_.append(said_of(trial.id, slug, without, {trial.id, *equals}, known))
    both = [
        said_of(trial.id, slug, seen, {*trial.id.split(AND)}, known)
        for trial in double
        for slug, seen, _ in _exercises(trial, results[trial.id])
    ]
    both = list(_amounting(data, double, both, known, options))
    accused = [
        said_of(trial.id, slug, seen, _also_a_mistake(data, trial), known)
        for trial in right
        for slug, seen in _by_exercise(trial, results[trial.id].observations)
    ]
    return Diagnosed(
        Table("self: each known mistake by itself", tuple(itself)),
        Table("open set: the same with that mistake forgotten", tuple(open_)),
        Table("pairs: two mistakes at once", tuple(both)),
        Table("variants: right answers", tuple(accused)),
        tuple(sorted(alike)),
    )


def _also_a_mistake(data: CourseData, right: Trial) -> set[str]:
    """A right way to write one exercise may be a known mistake of another."""
    return {
        each.entry.id for each in data.misconceptions if right.sources.get(each.stem) == each.source
    }


# ---- what is handed in -----------------------------------------------------------------------

AND = " and "


def _trial(data: CourseData, each: Edited) -> Trial:
    kind = Kind.MISCONCEPTION if isinstance(each.entry, Misconception) else Kind.VARIANT
    own = tuple(slug for slug in each.slugs if slug in data.slugs)
    return Trial(each.entry.id, kind, own, {each.stem: each.source}, each)


def _pairs(data: CourseData, count: int) -> Iterator[Trial]:
    """Two mistakes in one exercise, drawn from all that can be made at once; from each exercise
    about as many."""
    draw = random.Random("pairs")
    waiting = [_shuffled(data, slug, draw) for slug in data.slugs]
    made = 0
    while waiting and made < count:
        for pairs in list(waiting):
            found = next(pairs, None)
            if found is None:
                waiting.remove(pairs)
            elif made < count:
                made += 1
                yield found


def _shuffled(data: CourseData, slug: str, draw: random.Random) -> Iterator[Trial]:
    own = [each for each in data.misconceptions if slug in each.slugs]
    stem = data.course.rubric.exercises[slug].assignment
    own = [each for each in own if each.stem == stem]
    pairs = [(one, other) for i, one in enumerate(own) for other in own[i + 1 :]]
    draw.shuffle(pairs)
    for one, other in pairs:
        assert isinstance(other.entry, Misconception)
        try:
            source = apply_misconception(one.source, other.entry, Origin(other.place, {}))
        except MisconceptionError:
            continue  # both stand in the same place
        yield Trial(
            f"{one.entry.id}{AND}{other.entry.id}", Kind.MISCONCEPTION, (slug,), {stem: source}
        )


def graded_for_real(
    data: CourseData, trials: Sequence[Trial], options: Options
) -> dict[str, Result]:
    """What came of each, by its id. Raises EngineError."""
    course = each_for_itself(data.course)
    scopes = {t.id: Scope(t.slugs, (t.id,) if t.edited is not None else ()) for t in trials}
    submissions = (submission_of(data, trial) for trial in trials)
    with Engine(course, replace(options, only=data.slugs)) as engine:
        found = engine.grade(submissions, scopes)
        return {result.submission.id: result for result in found}


# ---- what was said ---------------------------------------------------------------------------


def _exercises(
    trial: Trial, result: Result
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
