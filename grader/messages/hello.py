"""Define the first message of the parent to a judge: the course."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import grader

from ..course.course import Course
from ..course.rubric import POLICY, Exercise, Rubric, Visibility
from ..sealed.opening import key_of
from ..text.language import language_in_use
from ..wire.frame import Meta
from .codec import decoded, encoded
from .exercise_plan import ExercisePlan


@dataclass(frozen=True)
class Hello:
    """A course as a judge is told about it, and how it is to be graded."""

    package: str
    """The folder of this package, and the import path: the nursery knows neither."""
    sys_path: tuple[str, ...]
    root: str
    """The course's folder."""
    seed: str | None
    """The course's seed; None if the judge is to read it from rubric.yaml."""
    exercises: tuple[ExercisePlan, ...]
    targets: Mapping[str, tuple[str, ...]]
    """Assignment of the whole course -> the definitions that it asks for."""
    reverse: bool
    """True to run the checks in reverse order."""
    language: str
    stubs: Mapping[str, Mapping[str, str]] | None = None
    """Stem -> target -> digest of its definition as handed out; None if the judge is to find them
    itself, which only it can in a sealed course."""
    trace: bool = False
    """True to record what student code answers, for `grader validate`."""
    diagnose: bool = True
    """True to look for the causes of failures."""
    counterexamples: bool = False
    """True to look for the smallest input on which a failing exercise is wrong."""
    hurry: bool = False
    """True if somebody waits for each answer."""
    tell: bool = False
    """True to send `CheckStarted` before each check."""
    live: bool = False
    """True if live objects are graded, whose workers are copies of a notebook's kernel."""
    key: str = field(default="", repr=False)
    """The key of a sealed course, whose file `root` is then; empty for a folder."""

    def encoded(self) -> Meta:
        """Return the message to send."""
        meta: Meta = encoded(self)
        return meta


def hello_in(meta: Meta) -> Hello:
    """Decode the parent's first message. Raises Violation if it is another one."""
    return decoded(Hello, meta)


def hello(course: Course, only: tuple[str, ...] = (), reverse: bool = False) -> Hello:
    """Describe the course for a judge: all exercises, or those in `only`."""
    return Hello(
        package=grader.__path__[0],
        sys_path=tuple(path for path in sys.path if path),
        root=str(course.root),
        seed=course.rubric.seed,
        exercises=tuple(
            _plan(course, slug, exercise)
            for slug, exercise in course.rubric.exercises.items()
            if not only or slug in only
        ),
        targets=_targets(course.rubric),
        reverse=reverse,
        language=language_in_use(),
        key=key_of(course.root),
    )


def holds_hidden(hello: Hello) -> bool:
    """Decide whether there is a hidden suite to protect; a student's course has none."""
    paths = [Path(path) for exercise in hello.exercises for path in exercise.suites]
    return any(path.parent.name != "public" for path in paths)


def mention_meta(hello: Hello, untouched: Collection[str] = ()) -> bool:
    """Decide whether a suite seems to use meta tensors, leaving out exercises in `untouched`.

    Only what is loaded early depends on it.
    """
    if hello.key:  # only the judge reads these
        return True
    exercises = (plan for plan in hello.exercises if plan.slug not in untouched)
    paths = (path for exercise in exercises for path in exercise.suites)
    return any(b"meta" in Path(path).read_bytes() for path in paths)


def _plan(course: Course, slug: str, exercise: Exercise) -> ExercisePlan:
    operators = course.rubric.operators
    return ExercisePlan(
        slug=slug,
        assignment=exercise.assignment,
        targets=tuple(exercise.targets),
        suites=tuple(str(path) for path in course.suite_files(exercise)),
        hidden=frozenset(
            name
            for name, criterion in exercise.criteria.items()
            if criterion.visibility is not Visibility.PUBLIC
        ),
        calls=dict(exercise.follow_through.calls),
        copied=exercise.follow_through.copied,
        banned=tuple(exercise.banned),
        no_loops=tuple(exercise.no_loops),
        operators={name: tuple(operators.get(name, ())) for name in exercise.banned},
        policy=POLICY in exercise.criteria,
    )


def _targets(rubric: Rubric) -> dict[str, tuple[str, ...]]:
    """Return the definitions that each assignment of the course asks for."""
    targets: dict[str, tuple[str, ...]] = {}
    for exercise in rubric.exercises.values():
        targets[exercise.assignment] = (*targets.get(exercise.assignment, ()), *exercise.targets)
    return targets
