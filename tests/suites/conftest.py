"""Lets plain pytest run every suite on the reference itself: all checks must pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from grader.course import Course, find_course
from grader.judge.bind.roles import Roles, load_roles
from grader.judge.checks import criterion_of
from grader.judge.client import LocalClient
from grader.judge.grading import OwnDefinitions, settle
from grader.judge.memo import Memo, Reference
from grader.judge.observe import Record
from grader.judge.plugin import Bench, expect, probe, reference, student
from grader.judge.probe import check_seed
from grader.judge.references import References

__all__ = ["expect", "probe", "reference", "student"]


@pytest.fixture(scope="session")
def course() -> Course:
    return find_course(Path(__file__))


@pytest.fixture(scope="session")
def references(course: Course) -> dict[str, ModuleType]:
    stems = course.rubric.assignments.values()
    references = References(course.root, stems)
    return {stem: references.module(stem) for stem in stems}


@pytest.fixture(scope="session")
def roles(course: Course) -> Roles:
    return load_roles(course.root)


@pytest.fixture
def bench(
    request: pytest.FixtureRequest,
    course: Course,
    references: dict[str, ModuleType],
    roles: Roles,
) -> Iterator[Bench]:
    path = request.path
    exercise = next(e for e in course.rubric.exercises.values() if path in course.suite_files(e))
    client = LocalClient(lambda stem, name: getattr(references[stem], name), lambda name: False)
    client.begin_check()
    check = f"{exercise.slug}/{criterion_of(request.cls.__name__)}/{request.node.name}"
    seed = check_seed(course.rubric.seed, check)
    settle(seed)
    memo, stem, record = Memo(), exercise.assignment, Record()
    own = OwnDefinitions(references)
    reference = Reference(references[stem], memo, roles)
    bench = Bench(client, own, stem, reference, memo, seed, record)
    yield bench
    bench.clear()
    assert record.expectations, "the check compared nothing"
