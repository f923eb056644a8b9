"""Read `rubric.yaml`, the only place with points, exactly; or refuse it with all its errors.

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

from grader.course.attempts import AttemptRule
from grader.course.cycles import circles
from grader.course.feedback import Feedback, feedback
from grader.course.follow_through import FollowThrough, follow_problems, follow_through
from grader.course.late import LatePolicy, late_policy, late_problems
from grader.course.questions import WrittenItem, item_problems, items_of, located, written_items
from grader.course.schema import (
    Described,
    choice,
    flag,
    listing,
    number,
    optional,
    record,
    required,
    table,
    text,
)
from grader.course.totals import Totals, totals_problems, totals_rules
from grader.course.yaml_source import read_source
from grader.text.language import _, marked
from grader.text.problem import Problem, Trail, did_you_mean, quoted

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
    "rubric_form",
]


POLICY = "policy"
"""The criterion whose checks are made from `banned` and `no_loops`, and stand in no suite."""


class RubricError(Exception):
    """A rubric that cannot be used: one problem a line, in the order of the file."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


class Visibility(StrEnum):
    """The people who see the details of a criterion's checks."""

    PUBLIC = "public"
    HIDDEN = "hidden"
    AFTER_DUE = "after_due"


class Scoring(StrEnum):
    """The way in which the checks of a criterion become points."""

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
    """The course's exercises, criteria and points, in the order of the file."""

    course: str
    seed: str
    """The course seed: fresh checks derive their inputs from it."""
    assignments: Mapping[str, str]
    """Slug prefix to file stem: `a1` to `a1_attention`."""
    exercises: Mapping[str, Exercise]
    operators: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """A banned name -> the operators of torch that run for it, however it is called."""
    written: Mapping[str, WrittenItem] = field(default_factory=dict)
    """The questions that a person grades; no part of `points`."""
    name_hidden_checks: bool = False
    """True if students' reports may name the checks of hidden criteria, one by one."""
    late: LatePolicy | None = None
    """What it costs to hand in late; None if that costs nothing."""
    totals: Totals | None = None
    """What is left out, given and capped beside what the checks earn; None if nothing is."""
    feedback: Feedback = field(default_factory=Feedback)
    """What a student has to find out before a report says it."""
    attempts: AttemptRule | None = None
    """The hand-in that counts of several; None if the course does not say."""

    @property
    def points(self) -> Fraction:
        return sum((exercise.points for exercise in self.exercises.values()), Fraction(0))

    def written_for(self, only: Iterable[str] = ()) -> tuple[WrittenItem, ...]:
        """Return the questions that a person grades with these exercises; all if none are given."""
        stems = {slug: exercise.assignment for slug, exercise in self.exercises.items()}
        chosen = tuple(only)
        return items_of(self.written, stems, chosen) if chosen else tuple(self.written.values())


_Faults = Iterator[tuple[Trail, str]]
"""Pairs of a place in the rubric and the problem there."""

_WORD = r"[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*"
_PREFIX = r"[a-z][a-z0-9]*"
_SLUG = rf"{_PREFIX}\.[a-z][a-z0-9_]*"
_IDENTIFIER = r"[^\W\d]\w*"
_DOTTED = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*"


_SEED = re.compile(
    rb"^[\"']?seed[\"']?[ \t]*:((?:[ \t][^\r\n]*)?(?:\r?\n(?:[ \t]+[^\r\n]*|(?=[\r\n])))*)",
    re.MULTILINE,
)
"""The seed's value: the rest of its line, and what stands further in below it."""


def is_slug(word: str) -> bool:
    """Tell whether a word can be the slug of an exercise.

    >>> is_slug("a1.sums"), is_slug("a1"), is_slug("A1.Sums")
    (True, False, False)
    """
    return re.fullmatch(_SLUG, word) is not None


def _exercise(slug: str, **values: Any) -> Exercise:
    return Exercise(slug=slug, assignment="", **values)


def _rubric(_name: str, *, exercises: Mapping[str, Exercise], **values: Any) -> Rubric:
    assignments = values["assignments"]
    values["written"] = located(values["written"], assignments)
    placed = {
        slug: replace(exercise, assignment=assignments.get(_prefix(slug), ""))
        for slug, exercise in exercises.items()
    }
    return Rubric(exercises=placed, **values)


_CRITERION = record(
    Criterion,
    points=required(number(), "What the criterion is worth."),
    visibility=required(
        choice(Visibility),
        "Who sees its checks: everybody, nobody before the work is handed in, or everybody once "
        "the deadline is over.",
    ),
    scoring=optional(
        choice(Scoring),
        Scoring.PARTIAL,
        "Whether each check earns its share, or only all of them together earn anything.",
    ),
    requires=optional(
        listing(text(marked("the name of a criterion, such as 'shapes'"), _WORD)),
        (),
        "Criteria of the same exercise without which this one is not counted.",
    ),
)
_EXERCISE = record(
    _exercise,
    targets=required(
        listing(
            text(marked("the name of a function or class"), _IDENTIFIER),
            at_least_one=marked("at least one target"),
        ),
        "The functions and classes that students write.",
    ),
    criteria=required(
        table(
            marked("a criterion's name, such as 'shapes', as the key"),
            _WORD,
            _CRITERION,
            at_least_one=marked("at least one criterion"),
        ),
        "What earns points. The class `TestShapes` of the suite belongs to `shapes`.",
    ),
    requires=optional(
        listing(
            text(
                marked("an exercise or exercise/criterion, such as 'a1.sums'"),
                rf"{_SLUG}(?:/{_WORD})?",
            )
        ),
        (),
        "Other exercises or criteria that have to pass first; else this one waits.",
    ),
    banned=optional(
        listing(text(marked("a dotted name, such as 'torch.sum'"), _DOTTED)),
        (),
        "What the targets, and whatever they call, may not use.",
    ),
    no_loops=optional(
        listing(text(marked("the name of a target"), _IDENTIFIER)),
        (),
        "Targets that, with whatever they call, may not loop in Python.",
    ),
    follow_through=optional(
        follow_through(),
        FollowThrough(),
        "Where a mistake in what is used here has cost its points already.",
    ),
)
_RUBRIC = record(
    _rubric,
    course=required(text(marked("text")), "The name of the course."),
    seed=required(
        text(marked("text")),
        "Fresh checks draw their inputs from it. Keep it secret where you grade for marks.",
    ),
    assignments=required(
        table(
            marked("a slug prefix, such as 'a1', as the key"),
            _PREFIX,
            text(marked("the stem of the assignment's files, such as 'a1_sums'"), _IDENTIFIER),
            at_least_one=marked("at least one assignment"),
        ),
        "The file of each assignment, without its ending, by the beginning of its slugs.",
    ),
    exercises=required(
        table(
            marked("a slug, such as 'a1.sums', as the key"),
            _SLUG,
            _EXERCISE,
            at_least_one=marked("at least one exercise"),
        ),
        "The exercises, in the order in which reports show them.",
    ),
    operators=optional(
        table(
            marked("a dotted name that is banned, such as 'torch.sum', as the key"),
            _DOTTED,
            listing(text(marked("an operator of torch, such as 'aten::sum'"), r"\w+::\w+")),
            at_least_one=marked("at least one name"),
        ),
        {},
        "The operators of torch that run for a banned name, however it was called.",
    ),
    written=optional(written_items(), {}, "Questions that a person grades."),
    name_hidden_checks=optional(
        flag(), False, "Whether reports to students may name hidden checks, one by one."
    ),
    late=optional(late_policy(), None, "The deadlines, and what it costs to miss one."),
    totals=optional(
        totals_rules(), None, "The lowest that is left out, bonuses, and caps on totals."
    ),
    feedback=optional(
        feedback(), Feedback(), "What a student has to find out before a report says it."
    ),
    attempts=optional(
        choice(AttemptRule), None, "Which counts of several hand-ins of one student."
    ),
)


def rubric_form() -> Described[Rubric]:
    """Return the form of `rubric.yaml`, of which its page of reference is made."""
    return _RUBRIC


def load_rubric(path: Path, *, with_seed: bool = True) -> Rubric:
    """Return the rubric in the file.

    Without `with_seed`, the seed is overwritten with `x` where it was read, and no copy of it stays
    in memory.

    Raises:
        RubricError: with every problem of the file, if there is any.
    """
    source = read_source(path, None if with_seed else _SEED)
    if source.root is not None:
        rubric = _RUBRIC(source.root)
        checks = (_check_assignments, _check_targets, _check_requires, _check_circles)
        others = (_check_follow_through, _check_policy, _check_written, _check_late, _check_totals)
        if not with_seed and rubric.seed.strip("x \n"):
            place = source.places["seed",]
            place.key_problem(_("cannot be kept from student code - begin a line with 'seed: '"))
        for check in (*checks, *others):
            for trail, message in check(rubric):
                # The last step of these trails names what is wrong: a key, or an element.
                source.places[trail].key_problem(message)
        if not source.problems:
            return rubric
    raise RubricError(tuple(sorted(source.problems, key=lambda p: (p.line, p.column))))


def _prefix(slug: str) -> str:
    return slug.partition(".")[0]


def _check_assignments(rubric: Rubric) -> _Faults:
    """Yield a problem unless each exercise has one assignment, and each assignment one stem."""
    owners: dict[str, str] = {}
    for prefix, stem in rubric.assignments.items():
        if stem and owners.setdefault(stem, prefix) != prefix:
            taken = _(
                "{stem} already belongs to {owner} - an assignment has a file of its own",
                stem=quoted(stem),
                owner=owners[stem],
            )
            yield ("assignments", prefix), taken
    for slug in rubric.exercises:
        prefix, dot, _rest = slug.partition(".")
        if dot and rubric.assignments and prefix not in rubric.assignments:
            hint = did_you_mean(prefix, rubric.assignments)
            unknown = _("unknown assignment {name}{hint}", name=quoted(prefix), hint=hint)
            yield ("exercises", slug), unknown


def _check_targets(rubric: Rubric) -> _Faults:
    """Yield a problem for each target that two exercises of an assignment own.

    A file defines a name once.
    """
    owners: dict[tuple[str, str], str] = {}
    for slug, exercise in rubric.exercises.items():
        for index, target in enumerate(exercise.targets):
            owner = owners.setdefault((_prefix(slug), target), slug)
            if target and owner != slug:
                trail = ("exercises", slug, "targets", index)
                taken = _(
                    "target {name} already belongs to {owner} - "
                    "a file defines a name once: delete one of them",
                    name=quoted(target),
                    owner=owner,
                )
                yield trail, taken


def _check_requires(rubric: Rubric) -> _Faults:
    """Yield a problem for each requirement that does not exist."""
    for slug, exercise in rubric.exercises.items():
        for index, requirement in enumerate(exercise.requires):
            trail: Trail = ("exercises", slug, "requires", index)
            wanted, _slash, criterion = requirement.partition("/")
            if wanted and wanted not in rubric.exercises:
                others = [other for other in rubric.exercises if other != slug]
                hint = did_you_mean(wanted, others)
                yield trail, _("unknown exercise {name}{hint}", name=quoted(wanted), hint=hint)
            elif criterion:
                yield from _check_criterion(rubric.exercises[wanted], criterion, trail)
        for name, owner in exercise.criteria.items():
            for index, wanted in enumerate(owner.requires):
                trail = ("exercises", slug, "criteria", name, "requires", index)
                if wanted:
                    yield from _check_criterion(exercise, wanted, trail)


def _check_criterion(exercise: Exercise, wanted: str, trail: Trail) -> _Faults:
    # Without any criteria the exercise has been reported already.
    if exercise.criteria and wanted not in exercise.criteria:
        hint = did_you_mean(wanted, exercise.criteria)
        missing = _(
            "{exercise} has no criterion {name}{hint}",
            exercise=exercise.slug,
            name=quoted(wanted),
            hint=hint,
        )
        yield trail, missing


def _check_policy(rubric: Rubric) -> _Faults:
    """Yield a problem for a name in `no_loops` that is no target, and for `policy` without rules.

    The rules are `banned` and `no_loops`. A name in `operators` that no exercise bans is a problem
    as well.
    """
    for slug, exercise in rubric.exercises.items():
        for index, target in enumerate(exercise.no_loops):
            if target and target not in exercise.targets:
                hint = did_you_mean(target, exercise.targets)
                trail: Trail = ("exercises", slug, "no_loops", index)
                missing = _(
                    "{exercise} has no target {name}{hint}",
                    exercise=slug,
                    name=quoted(target),
                    hint=hint,
                )
                yield trail, missing
        if POLICY in exercise.criteria and not (exercise.banned or exercise.no_loops):
            idle = _(
                "{criterion} has nothing to check: give {exercise} 'banned' or 'no_loops'",
                criterion=POLICY,
                exercise=slug,
            )
            yield ("exercises", slug, "criteria", POLICY), idle
    exercises = rubric.exercises.values()
    banned = dict.fromkeys(name for exercise in exercises for name in exercise.banned)
    for name in rubric.operators:
        if name not in banned:
            hint = did_you_mean(name, banned)
            unused = _("no exercise bans {name}{hint}", name=quoted(name), hint=hint)
            yield ("operators", name), unused


def _check_follow_through(rubric: Rubric) -> _Faults:
    return follow_problems(rubric.exercises)


def _check_written(rubric: Rubric) -> _Faults:
    return item_problems(rubric.written, rubric.assignments, rubric.exercises)


def _check_late(rubric: Rubric) -> _Faults:
    return late_problems(rubric.late, rubric.assignments)


def _check_totals(rubric: Rubric) -> _Faults:
    points = {slug: exercise.points for slug, exercise in rubric.exercises.items()}
    return totals_problems(rubric.totals, points)


def _check_circles(rubric: Rubric) -> _Faults:
    """Yield a problem for each circle in which something requires itself, even by way of others.

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


def _describe(requirements: Mapping[str, dict[str, Trail]]) -> _Faults:
    for circle, trail in circles(requirements):
        if len(circle) == 1:
            yield trail, _("{name} requires itself - delete this", name=circle[0])
        else:
            way = " -> ".join((*circle, circle[0]))
            yield trail, _("requirements run in a circle: {way} - delete one step", way=way)
