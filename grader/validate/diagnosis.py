"""Test that diagnosis names the mistakes a course knows, and accuses nobody falsely.

Every answer is handed in for real and graded by workers, once. Diagnosis is then asked twice: with
all that the course knows, and without the very mistake that was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from ..course.course import Course
from ..course.misconceptions import Misconception
from ..course.rubric import POLICY
from ..engine.engine import Engine, Options
from ..engine.result import Result
from ..grade.evidence import Observation
from .data import CourseData, read_course
from .pairs import AND, PAIRS, pairs_of
from .trials import (
    ValidationTrial,
    each_for_itself,
    groups_of,
    kills,
    scope_of,
    submission_of,
    trial_of,
)

SELF_TARGET = Fraction(95, 100)
OPEN_TARGET = Fraction(2, 100)


class Seen(Protocol):
    """The result of grading an answer."""

    @property
    def observations(self) -> tuple[Observation, ...]: ...

    @property
    def without(self) -> tuple[Observation, ...]:
        """Return the observations without knowledge of the mistake; empty if there was none."""


class Verdict(StrEnum):
    """The verdict on the causes that diagnosis named for an answer."""

    NAMED = "named"
    SILENT = "silent"
    """No cause was named, only what was observed."""
    WRONG = "wrong"


@dataclass(frozen=True)
class NamedCauses:
    """The causes that diagnosis named for one answer in one exercise."""

    id: str
    slug: str
    verdict: Verdict
    causes: tuple[str, ...]
    observed: str
    """The reason why the first check failed, for answers without a named cause."""
    note: str = ""
    in_pairs: bool = False
    """True if two mistakes were named that give the numbers only together."""


@dataclass(frozen=True)
class Table:
    """The verdicts on answers of one kind."""

    title: str
    rows: tuple[NamedCauses, ...]

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict is verdict for row in self.rows)

    def of(self, verdict: Verdict) -> tuple[NamedCauses, ...]:
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
    """Lines about mistakes that are not named and have no reason, or are named and have one."""
    whole: bool = True
    """True if it covers all exercises: a share of a few answers means nothing."""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return a line for each requirement that is not met."""
        reasons = [*self.unexplained]
        if self.whole and self.itself.share(Verdict.NAMED) < SELF_TARGET:
            reasons.append(f"fewer than {float(SELF_TARGET):.0%} are named as themselves")
        if self.whole and self.open.share(Verdict.WRONG) > OPEN_TARGET:
            reasons.append(
                f"more than {float(OPEN_TARGET):.0%} of what is unknown is named wrongly"
            )
        if self.pairs.count(Verdict.WRONG):
            reasons.append("a false cause is stated for two mistakes at once")
        if self.variants.count(Verdict.WRONG):
            reasons.append("a right answer is accused of a mistake")
        return tuple(reasons)


def diagnose(
    course: Course, only: Sequence[str], options: Options, pairs: int = PAIRS
) -> Diagnosed:
    """Return the tables for the exercises in `only`, or for all.

    Raises CourseError, EngineError.
    """
    data = read_course(course, only)
    alone = [trial_of(data, each) for each in (*data.misconceptions, *data.variants)]
    double = list(pairs_of(data, pairs))
    return tables_of(data, graded_for_real(data, [*alone, *double], options), double, options)


def tables_of(
    data: CourseData,
    results: Mapping[str, Seen],
    double: Sequence[ValidationTrial],
    options: Options,
) -> Diagnosed:
    """Return the tables from the results of misconceptions, variants and pairs, by their ids.

    Raises EngineError.
    """
    known = {each.entry.id for each in data.misconceptions}
    in_same_words = _by_words(data)
    itself, open_, alike = [], [], set()
    trials = [trial_of(data, each) for each in data.misconceptions]
    for trial in trials:
        for slug, seen, without in _exercises(trial, results[trial.id]):
            equals = _equals(trial.id, seen)
            alike |= {tuple(sorted({trial.id, *equals}))} if equals else set()
            row = named_causes(trial.id, slug, seen, {trial.id}, known)
            itself.append(replace(row, note=_why_unnamed(trial, row)))
            truths = {trial.id, *equals, *in_same_words[trial.id]}
            open_.append(named_causes(trial.id, slug, without, truths, known))
    accused = [
        named_causes(trial.id, slug, seen, set(), known)
        for trial in (trial_of(data, each) for each in data.variants)
        for slug, seen in _by_exercise(trial, results[trial.id].observations)
        if not _is_no_right_answer(data, trial, slug)
    ]
    return Diagnosed(
        Table("self: each known mistake by itself", tuple(itself)),
        Table(
            "open set: the same with that mistake forgotten",
            tuple(amounting_to_one(data, trials, open_, known, options)),
        ),
        Table("pairs: two mistakes at once", _of_pairs(data, known, results, double, options)),
        Table("variants: right answers", tuple(accused)),
        tuple(sorted(alike)),
        tuple(unexplained(data, itself)),
        {*data.slugs} == {*data.course.rubric.exercises},
    )


def _by_words(data: CourseData) -> Mapping[str, frozenset[str]]:
    """Return, for each mistake, the ids of those that are told in the very same sentence.

    Whoever made one of them and is told another one's sentence is told the truth.
    """
    words = {each.entry.id: _words(each.entry) for each in data.misconceptions}
    ids: dict[str, set[str]] = {}
    for id, sentence in words.items():
        ids.setdefault(sentence, set()).add(id)
    return {id: frozenset(ids[sentence]) for id, sentence in words.items()}


def _words(entry: object) -> str:
    assert isinstance(entry, Misconception)
    return entry.cause


def _of_pairs(
    data: CourseData,
    known: set[str],
    results: Mapping[str, Seen],
    double: Sequence[ValidationTrial],
    options: Options,
) -> tuple[NamedCauses, ...]:
    both = [
        named_causes(trial.id, slug, seen, {*trial.id.split(AND)}, known)
        for trial in double
        for slug, seen, _ in _exercises(trial, results[trial.id])
    ]
    return tuple(_amounting(data, double, both, known, options))


def unexplained(data: CourseData, rows: Sequence[NamedCauses]) -> Iterator[str]:
    """Yield a line for each mistake that is not named and has no reason, or is named and has one.

    The reason stands in `unnamed` of its entry.
    """
    silent = {row.id for row in rows if row.verdict is Verdict.SILENT}
    for each in data.misconceptions:
        assert isinstance(each.entry, Misconception)
        id, why = each.entry.id, each.entry.unnamed
        if id in silent and not why:
            yield f"{each.place}  {id} is not named: say why in `unnamed`, or make a check tell it"
        elif why and id not in silent and {*each.slugs} <= {*data.slugs}:
            yield f"{each.place}  {id} is named: take its `unnamed` away"


def _why_unnamed(trial: ValidationTrial, row: NamedCauses) -> str:
    entry = trial.edited.entry if trial.edited is not None else None
    silent = row.verdict is Verdict.SILENT
    return entry.unnamed if silent and isinstance(entry, Misconception) else ""


def _is_no_right_answer(data: CourseData, variant: ValidationTrial, slug: str) -> bool:
    """Return True if a variant earns nothing in the exercise of its own definition, this one.

    A right way to write what one exercise needs may be a mistake in another.
    """
    assert variant.edited is not None
    definition = variant.edited.entry.target.partition(".")[0]
    is_own = definition in data.course.rubric.exercises[slug].targets
    return is_own and all(slug != earned for earned, _ in variant.edited.named)


# ---- what is handed in -----------------------------------------------------------------------


def graded_for_real(
    data: CourseData, trials: Sequence[ValidationTrial], options: Options
) -> dict[str, Result]:
    """Return the result of each trial, by its id.

    Raises EngineError.
    """
    course = each_for_itself(data.course)
    scopes = {trial.id: scope_of(data, trial, diagnose=True) for trial in trials}
    submissions = (submission_of(data, trial) for trial in trials)
    with Engine(course, replace(options, only=data.slugs)) as engine:
        results = engine.grade(submissions, scopes, groups_of(trials))
        return {result.submission.id: result for result in results}


# ---- what was said ---------------------------------------------------------------------------


def _exercises(
    trial: ValidationTrial, result: Seen
) -> Iterator[tuple[str, list[Observation], list[Observation]]]:
    """Yield slug, the checks that failed there, and the same with the mistake forgotten."""
    without = dict(_by_exercise(trial, result.without or result.observations))
    for slug, seen in _by_exercise(trial, result.observations):
        if seen:
            yield slug, seen, without[slug]


def _by_exercise(
    trial: ValidationTrial, observations: Sequence[Observation]
) -> Iterator[tuple[str, list[Observation]]]:
    for slug in trial.slugs:
        # A broken rule is seen in the text; there is nothing to diagnose.
        yield (
            slug,
            [o for o in observations if o.exercise == slug and kills(o) and o.criterion != POLICY],
        )


def named_causes(
    id: str, slug: str, failed: Sequence[Observation], truths: set[str], known: set[str]
) -> NamedCauses:
    """Return the verdict on failed checks: wrong if one of them names only false causes."""
    known_causes = [named & known for o in failed if (named := set(_named(o)))]
    known_causes = [named for named in known_causes if named]
    wrong = any(not named & truths for named in known_causes)
    verdict = Verdict.WRONG if wrong else Verdict.NAMED if known_causes else Verdict.SILENT
    causes = tuple(sorted(set().union(*known_causes)))
    observed = failed[0].observed if failed else ""
    in_pairs = any(cause.is_beside for o in failed for cause in o.also)
    return NamedCauses(id, slug, verdict, causes, observed, in_pairs=in_pairs)


def _named(observation: Observation) -> Iterable[str]:
    causes = (observation.cause, *observation.also)
    return [cause.id for cause in causes if cause is not None]


def _equals(id: str, failed: Sequence[Observation]) -> set[str]:
    """Return the other ids that are named wherever this one is; none if it is missed somewhere."""
    named = [names for o in failed if (names := set(_named(o)))]
    return set.intersection(*named) - {id} if named and all(id in n for n in named) else set()


def _amounting(
    data: CourseData,
    trials: Sequence[ValidationTrial],
    rows: Sequence[NamedCauses],
    known: set[str],
    options: Options,
) -> Iterator[NamedCauses]:
    """Yield the rows; a pair that amounts to a third known mistake counts as named.

    For example, the diagonal seen too late in the wrong triangle is the inverted mask.
    """
    doubted = {row.id for row in rows if row.verdict is Verdict.WRONG}
    results = _once_more(data, [trial for trial in trials if trial.id in doubted], options)
    for row in rows:
        seen = results[row.id].observations if row.id in results else ()
        is_so = _is_named_again(row, seen, known)
        note = f"the two amount to {' or '.join(row.causes)}, on other inputs as well"
        yield replace(row, verdict=Verdict.NAMED, note=note) if is_so else row


def amounting_to_one(
    data: CourseData,
    trials: Sequence[ValidationTrial],
    rows: Sequence[NamedCauses],
    known: set[str],
    options: Options,
) -> Iterator[NamedCauses]:
    """Yield the rows; a mistake that a pair of others amounts to counts as named.

    For example, both residuals of a block add its norms if the first one does, and the second.
    """
    doubted = {row.id for row in rows if row.verdict is Verdict.WRONG and row.in_pairs}
    results = _once_more(data, [trial for trial in trials if trial.id in doubted], options)
    for row in rows:
        seen = results[row.id].without if row.id in results and row.in_pairs else ()
        is_so = _is_named_again(row, seen, known)
        note = f"it is what {' and '.join(row.causes)} amount to, on other inputs as well"
        yield replace(row, verdict=Verdict.NAMED, note=note) if is_so else row


def _once_more(
    data: CourseData, trials: Sequence[ValidationTrial], options: Options
) -> Mapping[str, Result]:
    """Return the results of the trials with another seed.

    What amounts to something else is named on all other inputs as well.
    """
    rubric = replace(data.course.rubric, seed=f"{data.course.rubric.seed}, once more")
    other = replace(data, course=replace(data.course, rubric=rubric))
    return graded_for_real(other, trials, options) if trials else {}


def _is_named_again(row: NamedCauses, seen: Sequence[Observation], known: set[str]) -> bool:
    """Decide whether another seed names the same causes, and only those."""
    failed = [o for o in seen if kills(o) and o.exercise == row.slug and o.criterion != POLICY]
    again = named_causes(row.id, row.slug, failed, set(row.causes), known)
    return again.verdict is Verdict.NAMED and again.causes == row.causes
