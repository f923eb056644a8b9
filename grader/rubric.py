"""`rubric.yaml`: the only place with points. Read exactly, or refused with every error at once.

Imports no torch; the only I/O is reading the one file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.circles import circles
from grader.follow_through import FollowThrough, follow_problems, follow_through
from grader.problem import Problem, Trail, did_you_mean, quoted
from grader.schema import choice, listing, number, optional, record, required, table, text
from grader.written.items import WrittenItem, asked_with, item_problems, located, written_items
from grader.yaml_source import read_source

__all__ = [
    "POLICY",
    "Criterion",
    "Exercise",
    "Problem",
    "Rubric",
    "RubricError",
    "Scoring",
    "Visibility",
    "is_slug",
    "load_rubric",
]


POLICY = "policy"
"""The criterion whose checks are made of `banned` and `no_loops`, and stand in no suite."""


class RubricError(Exception):
    """The rubric cannot be used: one problem a line, in the order of the file."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


class Visibility(StrEnum):
    """Who sees the details of a criterion's checks."""

    PUBLIC = "public"
    HIDDEN = "hidden"
    AFTER_DUE = "after_due"


class Scoring(StrEnum):
    """How the checks of a criterion become points."""

    PARTIAL = "partial"
    """Each check earns its share."""
    ALL_OR_NOTHING = "all_or_nothing"


@dataclass(frozen=True)
class Criterion:
    """A named group of checks with points."""

    name: str
    points: Fraction
    visibility: Visibility
    scoring: Scoring = Scoring.PARTIAL
    requires: tuple[str, ...] = ()
    """Names of criteria of the same exercise."""


@dataclass(frozen=True)
class Exercise:
    """One entry of `exercises`, with at least one target and one criterion.

    >>> shapes = Criterion("shapes", Fraction("1/3"), Visibility.PUBLIC)
    >>> masking = Criterion("masking", Fraction("2.5"), Visibility.HIDDEN)
    >>> criteria = {"shapes": shapes, "masking": masking}
    >>> exercise = Exercise("a1.sdpa", "a1_attention", ("attend",), criteria)
    >>> exercise.points, exercise.suite
    (Fraction(17, 6), 'test_sdpa.py')
    """

    slug: str
    assignment: str
    """The stem of the assignment's files, such as `a1_attention`."""
    targets: tuple[str, ...]
    criteria: Mapping[str, Criterion]
    requires: tuple[str, ...] = ()
    """`slug` or `slug/criterion` of other exercises."""
    banned: tuple[str, ...] = ()
    """Dotted names that the targets, and what they reach, may not use."""
    no_loops: tuple[str, ...] = ()
    """Targets that, with what they reach, may not loop in Python."""
    follow_through: FollowThrough = field(default_factory=FollowThrough)

    @property
    def points(self) -> Fraction:
        return sum((criterion.points for criterion in self.criteria.values()), Fraction(0))

    @property
    def suite(self) -> str:
        return f"test_{self.slug.partition('.')[2]}.py"


@dataclass(frozen=True)
class Rubric:
    """What there is to earn, in the order of the file."""

    course: str
    seed: str
    """The course seed: fresh checks derive their inputs from it."""
    assignments: Mapping[str, str]
    """Slug prefix to file stem: `a1` to `a1_attention`."""
    exercises: Mapping[str, Exercise]
    written: Mapping[str, WrittenItem] = field(default_factory=dict)
    """What a person grades; no part of `points`."""

    @property
    def points(self) -> Fraction:
        return sum((exercise.points for exercise in self.exercises.values()), Fraction(0))

    def written_for(self, only: Iterable[str] = ()) -> tuple[WrittenItem, ...]:
        """What a person grades when these exercises are graded, or all of them."""
        stems = {slug: exercise.assignment for slug, exercise in self.exercises.items()}
        chosen = tuple(only)
        return asked_with(self.written, stems, chosen) if chosen else tuple(self.written.values())


_Found = Iterator[tuple[Trail, str]]
"""Where, and what is wrong there."""

_WORD = r"[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*"
_PREFIX = r"[a-z][a-z0-9]*"
_SLUG = rf"{_PREFIX}\.[a-z][a-z0-9_]*"
_IDENTIFIER = r"[^\W\d]\w*"


def is_slug(word: str) -> bool:
    """Whether an exercise can be called that.

    >>> is_slug("a1.sums"), is_slug("a1"), is_slug("A1.Sums")
    (True, False, False)
    """
    return re.fullmatch(_SLUG, word) is not None


def _exercise(slug: str, **values: Any) -> Exercise:
    return Exercise(slug=slug, assignment="", **values)


def _rubric(_: str, *, exercises: Mapping[str, Exercise], **values: Any) -> Rubric:
    assignments = values["assignments"]
    values["written"] = located(values["written"], assignments)
    placed = {
        slug: replace(exercise, assignment=assignments.get(_prefix(slug), ""))
        for slug, exercise in exercises.items()
    }
    return Rubric(exercises=placed, **values)


_CRITERION = record(
    Criterion,
    points=required(number()),
    visibility=required(choice(Visibility)),
    scoring=optional(choice(Scoring), Scoring.PARTIAL),
    requires=optional(listing(text("the name of a criterion, such as 'shapes'", _WORD)), ()),
)
_EXERCISE = record(
    _exercise,
    targets=required(
        listing(text("the name of a function or class", _IDENTIFIER), at_least_one="target")
    ),
    criteria=required(
        table("a criterion's name, such as 'shapes'", _WORD, _CRITERION, at_least_one="criterion")
    ),
    requires=optional(
        listing(
            text("an exercise or exercise/criterion, such as 'a1.sums'", rf"{_SLUG}(?:/{_WORD})?")
        ),
        (),
    ),
    banned=optional(
        listing(text("a dotted name, such as 'torch.sum'", rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*")),
        (),
    ),
    no_loops=optional(listing(text("the name of a target", _IDENTIFIER)), ()),
    follow_through=optional(follow_through(), FollowThrough()),
)
_RUBRIC = record(
    _rubric,
    course=required(text("text")),
    seed=required(text("text")),
    assignments=required(
        table(
            "a slug prefix, such as 'a1',",
            _PREFIX,
            text("the stem of the assignment's files, such as 'a1_sums'", _IDENTIFIER),
            at_least_one="assignment",
        )
    ),
    exercises=required(
        table("a slug, such as 'a1.sums',", _SLUG, _EXERCISE, at_least_one="exercise")
    ),
    written=optional(written_items(), {}),
)


def load_rubric(path: Path) -> Rubric:
    """The rubric in the file.

    Raises:
        RubricError: with every problem of the file, if there is any.
    """
    source = read_source(path)
    if source.root is not None:
        rubric = _RUBRIC(source.root)
        checks = (_check_assignments, _check_targets, _check_requires, _check_circles)
        others = (_check_follow_through, _check_policy, _check_written)
        for check in (*checks, *others):
            for trail, message in check(rubric):
                # The last step of these trails names what is wrong: a key, or an element.
                source.places[trail].key_problem(message)
        if not source.problems:
            return rubric
    raise RubricError(tuple(sorted(source.problems, key=lambda p: (p.line, p.column))))


def _prefix(slug: str) -> str:
    return slug.partition(".")[0]


def _check_assignments(rubric: Rubric) -> _Found:
    """Every exercise belongs to one assignment, every assignment to one stem."""
    owners: dict[str, str] = {}
    for prefix, stem in rubric.assignments.items():
        if stem and owners.setdefault(stem, prefix) != prefix:
            yield ("assignments", prefix), f"{quoted(stem)} already belongs to {owners[stem]}"
    for slug in rubric.exercises:
        prefix, dot, _ = slug.partition(".")
        if dot and rubric.assignments and prefix not in rubric.assignments:
            hint = did_you_mean(prefix, rubric.assignments)
            yield ("exercises", slug), f"unknown assignment {quoted(prefix)}{hint}"


def _check_targets(rubric: Rubric) -> _Found:
    """A file defines a name once, so one exercise of an assignment owns it."""
    owners: dict[tuple[str, str], str] = {}
    for slug, exercise in rubric.exercises.items():
        for index, target in enumerate(exercise.targets):
            owner = owners.setdefault((_prefix(slug), target), slug)
            if target and owner != slug:
                trail = ("exercises", slug, "targets", index)
                yield trail, f"target {quoted(target)} already belongs to {owner}"


def _check_requires(rubric: Rubric) -> _Found:
    """Whatever is required exists."""
    for slug, exercise in rubric.exercises.items():
        for index, requirement in enumerate(exercise.requires):
            trail: Trail = ("exercises", slug, "requires", index)
            wanted, _, criterion = requirement.partition("/")
            if wanted and wanted not in rubric.exercises:
                others = [other for other in rubric.exercises if other != slug]
                hint = did_you_mean(wanted, others)
                yield trail, f"unknown exercise {quoted(wanted)}{hint}"
            elif criterion:
                yield from _check_criterion(rubric.exercises[wanted], criterion, trail)
        for name, owner in exercise.criteria.items():
            for index, wanted in enumerate(owner.requires):
                trail = ("exercises", slug, "criteria", name, "requires", index)
                if wanted:
                    yield from _check_criterion(exercise, wanted, trail)


def _check_criterion(exercise: Exercise, wanted: str, trail: Trail) -> _Found:
    # Without any criteria the exercise has been reported already.
    if exercise.criteria and wanted not in exercise.criteria:
        hint = did_you_mean(wanted, exercise.criteria)
        yield trail, f"{exercise.slug} has no criterion {quoted(wanted)}{hint}"


def _check_policy(rubric: Rubric) -> _Found:
    """What is to do without loops is a target; points for rules need rules."""
    for slug, exercise in rubric.exercises.items():
        for index, target in enumerate(exercise.no_loops):
            if target and target not in exercise.targets:
                hint = did_you_mean(target, exercise.targets)
                trail: Trail = ("exercises", slug, "no_loops", index)
                yield trail, f"{slug} has no target {quoted(target)}{hint}"
        if POLICY in exercise.criteria and not (exercise.banned or exercise.no_loops):
            message = f"{POLICY} has nothing to check: give {slug} 'banned' or 'no_loops'"
            yield ("exercises", slug, "criteria", POLICY), message


def _check_follow_through(rubric: Rubric) -> _Found:
    return follow_problems(rubric.exercises)


def _check_written(rubric: Rubric) -> _Found:
    return item_problems(rubric.written, rubric.assignments, rubric.exercises)


def _check_circles(rubric: Rubric) -> _Found:
    """Nothing requires itself, not even by way of others.

    A requirement of an exercise holds for all its criteria, so a circle through several exercises
    is one between exercises; all others lie within one exercise.
    """
    between: dict[str, dict[str, Trail]] = {}
    for slug, exercise in rubric.exercises.items():
        trail: Trail = ("exercises", slug)
        names = tuple(requirement.partition("/")[0] for requirement in exercise.requires)
        between[slug] = _edges(names, rubric.exercises, trail)
        within = {
            name: _edges(criterion.requires, exercise.criteria, (*trail, "criteria", name))
            for name, criterion in exercise.criteria.items()
        }
        yield from _describe(within)
    yield from _describe(between)


def _edges(names: tuple[str, ...], known: Mapping[str, object], owner: Trail) -> dict[str, Trail]:
    edges: dict[str, Trail] = {}
    for index, name in enumerate(names):
        if name in known:
            edges.setdefault(name, (*owner, "requires", index))
    return edges


def _describe(requirements: Mapping[str, dict[str, Trail]]) -> _Found:
    for circle, trail in circles(requirements):
        if len(circle) == 1:
            yield trail, f"{circle[0]} requires itself"
        else:
            yield trail, f"requirements run in a circle: {' -> '.join((*circle, circle[0]))}"
