"""Make a grade from observations and a rubric: exact, in any order of the observations.

Pure. Points are fractions from the rubric's text to the total. They are rounded once, when they are
written down: `two_decimals`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.course.rubric import POLICY, Criterion, Rubric, Scoring, Visibility
from grader.grade.evidence import BlockedFinding, Observation, Outcome
from grader.text.points import two_decimals
from grader.text.problem import did_you_mean

EARNS = frozenset({Outcome.PASSED, Outcome.CARRIED})
"""Outcomes that earn a check's share: a carried mistake has cost its points elsewhere."""

MAY_BE_AN_ECHO = frozenset({Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT})
"""Outcomes that a failed prerequisite may explain."""


@dataclass(frozen=True)
class CriterionGrade:
    """The points that one criterion earned."""

    exercise: str
    criterion: str
    points: Fraction | None
    """None when it could not be checked, and the other checks do not decide it."""
    max_points: Fraction
    passed: int
    """Checks that passed; carried ones are counted in `outcomes`."""
    checks: int
    outcomes: Mapping[Outcome, int]
    """The count of each outcome that occurred, in the order of `Outcome`."""
    visibility: Visibility
    elsewhere: bool = False
    """True if its checks are not in this copy of the course: a student's has no hidden ones."""

    @property
    def is_hidden(self) -> bool:
        """Tell whether its checks stand in a hidden suite; the checks of `policy` stand in none."""
        return self.visibility is not Visibility.PUBLIC and self.criterion != POLICY


@dataclass(frozen=True)
class ExerciseGrade:
    """The points that one exercise earned."""

    slug: str
    criteria: tuple[CriterionGrade, ...]

    @property
    def points(self) -> Fraction:
        """Return the sum of the points that are known."""
        return sum((grade.points or Fraction(0) for grade in self.criteria), Fraction(0))

    @property
    def max_points(self) -> Fraction:
        return sum((grade.max_points for grade in self.criteria), Fraction(0))

    @property
    def unchecked_points(self) -> Fraction:
        """Return the points of criteria that could not be checked: neither earned nor lost."""
        unchecked = (grade.max_points for grade in self.criteria if grade.points is None)
        return sum(unchecked, Fraction(0))

    @property
    def is_unknown(self) -> bool:
        """Tell whether no criterion could be checked."""
        return all(grade.points is None for grade in self.criteria)

    @property
    def here(self) -> tuple[CriterionGrade, ...]:
        """Return the criteria whose checks are in this copy of the course."""
        return tuple(one for one in self.criteria if not one.elsewhere)

    @property
    def later_points(self) -> Fraction:
        """Return the points of the other criteria, which are unchecked as well."""
        return sum((one.max_points for one in self.criteria if one.elsewhere), Fraction(0))

    @property
    def attempted(self) -> bool:
        """Return False if checks found the hand-out's stub and nothing else.

        Without any finding this is True: nobody is called idle because we could not look.
        """
        result = {outcome for grade in self.criteria for outcome in grade.outcomes}
        return result - {Outcome.COULD_NOT_CHECK} != {Outcome.NOT_ATTEMPTED}


@dataclass(frozen=True)
class Grade:
    """The points that one submission earned, in the order of the rubric."""

    exercises: tuple[ExerciseGrade, ...]

    @property
    def points(self) -> Fraction:
        """Return the sum of the points that are known."""
        return sum((exercise.points for exercise in self.exercises), Fraction(0))

    @property
    def max_points(self) -> Fraction:
        return sum((exercise.max_points for exercise in self.exercises), Fraction(0))

    @property
    def unchecked_points(self) -> Fraction:
        """Return the points of criteria that could not be checked: neither earned nor lost."""
        return sum((exercise.unchecked_points for exercise in self.exercises), Fraction(0))

    @property
    def later_points(self) -> Fraction:
        """Return those of the unchecked points whose checks are not in this copy of the course."""
        return sum((exercise.later_points for exercise in self.exercises), Fraction(0))

    @property
    def complete(self) -> bool:
        """Tell whether all points are earned: exactly, not after rounding."""
        return self.points == self.max_points and not self.unchecked_points

    @property
    def complete_here(self) -> bool:
        """Tell whether all points are earned whose checks are in this copy of the course."""
        return 0 < self.points == self.max_points - self.later_points

    @property
    def rounded(self) -> str:
        """Return `points` as they are written down, see `two_decimals`."""
        return two_decimals(self.points)


def block(rubric: Rubric, observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """Return the observations; a failure becomes `blocked` if a prerequisite did not wholly pass.

    Only an outcome in MAY_BE_AN_ECHO is blocked; a check that passed stays passed, unless its
    criterion requires `policy` and a rule was broken (points that were earned in a forbidden way
    are not earned), or rests on a criterion of which nothing is right. The finding of a blocked
    check becomes a note. A prerequisite without any observation (a run of one exercise) blocks
    nothing. Observations that the rubric does not know
    are left as they are.

    >>> from grader.course.rubric import Criterion, Exercise, Rubric, Visibility
    >>> points = {name: Criterion(name, Fraction(1), Visibility.PUBLIC) for name in ("shapes",)}
    >>> heads = Exercise("a3.heads", "a3", ("split_heads",), points)
    >>> mha = Exercise("a3.mha", "a3", ("MultiHeadAttention",), points, requires=("a3.heads",))
    >>> rubric = Rubric("toy", "seed", {"a3": "a3"}, {"a3.heads": heads, "a3.mha": mha})
    >>> seen = [Observation(f"{s}/shapes/test", "", Outcome.FAILED) for s in ("a3.mha", "a3.heads")]
    >>> [(str(o.outcome), o.observed) for o in block(rubric, seen)]
    [('blocked', 'needs a3.heads to pass first'), ('failed', '')]
    """
    observations = tuple(observations)
    short = {"/".join(o.check.split("/")[:2]) for o in observations if o.outcome not in EARNS}
    short |= {criterion.partition("/")[0] for criterion in short}
    broken = {
        f"{o.exercise}/{POLICY}"
        for o in observations
        if o.criterion == POLICY and o.outcome in MAY_BE_AN_ECHO
    }
    worthless = _worthless(rubric, observations)
    return tuple(
        _blocked(rubric, observation, short, broken, worthless) for observation in observations
    )


def _worthless(rubric: Rubric, observations: Iterable[Observation]) -> set[str]:
    """Return the criteria that others rest on, and of which nothing is right, as `slug/criterion`.

    Something there must have failed, and nothing may be unknown: what was not attempted, or could
    not be checked, is not wrong.
    """
    outcomes: dict[str, set[Outcome]] = defaultdict(set)
    for observation in observations:
        if observation.criterion in rubric.rests_on:
            outcomes[f"{observation.exercise}/{observation.criterion}"].add(observation.outcome)
    unknown = EARNS | {Outcome.COULD_NOT_CHECK}
    return {at for at, all in outcomes.items() if all & MAY_BE_AN_ECHO and not all & unknown}


def _blocked(
    rubric: Rubric,
    observation: Observation,
    short: set[str],
    broken: set[str],
    worthless: set[str],
) -> Observation:
    if observation.outcome in EARNS:
        unmet = [name for name in _requirements(rubric, observation) if name in broken]
        unmet += [name for name in _resting(rubric, observation) if name in worthless]
    elif observation.outcome in MAY_BE_AN_ECHO:
        # What fails anyway is no echo of a broken rule.
        short = {name for name in short if not name.endswith(f"/{POLICY}")}
        unmet = [name for name in _requirements(rubric, observation) if name in short]
    else:
        return observation
    if not unmet:
        return observation
    seen = BlockedFinding(observation.outcome, observation.observed, observation.notes)
    return replace(observation.blocked_by(unmet), finding=seen)


def _requirements(rubric: Rubric, observation: Observation) -> tuple[str, ...]:
    """Return the exercise's requirements, then the criterion's: `slug` or `slug/criterion`."""
    slug, _slash, rest = observation.check.partition("/")
    exercise = rubric.exercises.get(slug)
    if exercise is None:
        return ()
    criterion = exercise.criteria.get(rest.partition("/")[0])
    own = criterion.requires if criterion else ()
    return (*exercise.requires, *(f"{slug}/{wanted}" for wanted in own))


def _resting(rubric: Rubric, observation: Observation) -> tuple[str, ...]:
    """Return the criteria that an observation's criterion rests on, as `slug/criterion`."""
    slug, criterion = observation.exercise, observation.criterion
    return tuple(
        f"{slug}/{base}" for base, others in rubric.rests_on.items() if criterion in others
    )


def score(rubric: Rubric, observations: Iterable[Observation]) -> Grade:
    """Return the grade that the observations earn.

    A criterion earns `points * (passed + carried) / checks`, or all or nothing. If a check could
    not be made, or none was, it earns None, unless every way it could have gone gives the same.

    >>> from grader.course.rubric import Criterion, Exercise, Rubric, Visibility
    >>> outputs = Criterion("outputs", Fraction(4), Visibility.PUBLIC)
    >>> exercise = Exercise("a1.sdpa", "a1_attention", ("attend",), {"outputs": outputs})
    >>> rubric = Rubric("toy", "seed", {"a1": "a1_attention"}, {"a1.sdpa": exercise})
    >>> outcomes = {"values": Outcome.PASSED, "scale": Outcome.FAILED, "batch": Outcome.PASSED}
    >>> seen = [Observation(f"a1.sdpa/outputs/test_{n}", "", o) for n, o in outcomes.items()]
    >>> grade = score(rubric, seen)
    >>> grade.points, grade.rounded, grade.complete
    (Fraction(8, 3), '2.67', False)

    Raises:
        ValueError: for a check that is not the rubric's, or was observed twice. Both would change
            what the others are worth, so neither is passed over.
    """
    outcomes: dict[tuple[str, str], Counter[Outcome]] = defaultdict(Counter)
    seen: set[str] = set()
    for observation in observations:
        if observation.check in seen:
            raise ValueError(f"{observation.check}: observed twice")
        seen.add(observation.check)
        outcomes[_criterion_of(rubric, observation.check)][observation.outcome] += 1
    grades = {
        slug: [
            _criterion_grade(slug, criterion, outcomes[slug, name])
            for name, criterion in exercise.criteria.items()
        ]
        for slug, exercise in rubric.exercises.items()
    }
    # Where one hidden suite is, all have to be: one that is missing there is missed.
    if not any(one.is_hidden and one.checks for result in grades.values() for one in result):
        grades = {slug: [_for_later(one) for one in result] for slug, result in grades.items()}
    return Grade(tuple(ExerciseGrade(slug, tuple(result)) for slug, result in grades.items()))


def _for_later(grade: CriterionGrade) -> CriterionGrade:
    missing = grade.is_hidden and not grade.checks and grade.points is None
    return replace(grade, elsewhere=True) if missing else grade


def _criterion_of(rubric: Rubric, check: str) -> tuple[str, str]:
    slug, _slash, rest = check.partition("/")
    name, _slash, test = rest.partition("/")
    if not test:
        raise ValueError(f"{check}: expected exercise/criterion/test")
    exercise = rubric.exercises.get(slug)
    if exercise is None:
        hint = did_you_mean(slug, rubric.exercises)
        raise ValueError(f"{check}: the rubric has no exercise '{slug}'{hint}")
    if name not in exercise.criteria:
        hint = did_you_mean(name, exercise.criteria)
        raise ValueError(f"{check}: {slug} has no criterion '{name}' in the rubric{hint}")
    return slug, name


def _criterion_grade(
    slug: str, criterion: Criterion, seen: Mapping[Outcome, int]
) -> CriterionGrade:
    counts = {outcome: seen[outcome] for outcome in Outcome if outcome in seen}
    checks = sum(counts.values())
    earning = sum(count for outcome, count in counts.items() if outcome in EARNS)
    unknown = counts.get(Outcome.COULD_NOT_CHECK, 0)
    if checks:
        least = _share(criterion, Fraction(earning, checks))
        most = _share(criterion, Fraction(earning + unknown, checks))
    else:
        least, most = Fraction(0), criterion.points
    return CriterionGrade(
        exercise=slug,
        criterion=criterion.name,
        points=least if least == most else None,
        max_points=criterion.points,
        passed=counts.get(Outcome.PASSED, 0),
        checks=checks,
        outcomes=counts,
        visibility=criterion.visibility,
    )


def _share(criterion: Criterion, earning: Fraction) -> Fraction:
    if criterion.scoring is Scoring.ALL_OR_NOTHING and earning < 1:
        return Fraction(0)
    return criterion.points * earning
