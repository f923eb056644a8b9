"""Check what one key of `rubric.yaml` says against the others: names, requirements, circles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from grader.course.cycles import circles
from grader.course.follow_through import follow_problems
from grader.course.late import late_problems
from grader.course.questions import item_problems
from grader.course.rubric import POLICY, Exercise, Rubric
from grader.course.rubric_form import WORD
from grader.course.totals import totals_problems
from grader.text.language import _
from grader.text.problem import Trail, did_you_mean, quoted

_Faults = Iterator[tuple[Trail, str]]
"""Pairs of a place in the rubric and the problem there."""


def rubric_problems(rubric: Rubric) -> _Faults:
    """Yield each place at which keys contradict each other, with what is wrong there.

    The last step of a place names what is wrong: a key, or an element of a list.
    """
    for check in (
        _check_assignments,
        _check_targets,
        _check_requires,
        _check_circles,
        _check_follow_through,
        _check_policy,
        _check_written,
        _check_late,
        _check_totals,
        _check_rests_on,
    ):
        yield from check(rubric)


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


def _check_rests_on(rubric: Rubric) -> _Faults:
    """Yield a problem for each criterion under `rests_on` that no exercise has."""
    known = sorted({name for one in rubric.exercises.values() for name in one.criteria})
    for base, others in rubric.rests_on.items():
        places: list[tuple[str, Trail]] = [(base, ("rests_on", base))]
        places += [(name, ("rests_on", base, index)) for index, name in enumerate(others)]
        for name, trail in places:
            if re.fullmatch(WORD, name) and known and name not in known:
                hint = did_you_mean(name, known)
                message = _(
                    "no exercise has a criterion {name}{hint}", name=quoted(name), hint=hint
                )
                yield trail, message
            elif name == base and trail[-1] != base:
                yield trail, _("{name} requires itself - delete this", name=name)


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
