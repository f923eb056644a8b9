"""A failure is placed at the function that it is about, whichever of an exercise's that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome
from grader.report.content import Report, report_on
from grader.report.next_step import next_step
from tests.support.courses import submission, write_course

pytestmark = pytest.mark.usefixtures("warm_nursery")

REFERENCE = """
    def first(x):
        return x + 1

    def second(x):
        return x * 2
"""
SUITE = """
    class TestOutputs:
        def test_first(self, student, reference, probe, expect):
            '''The first adds one.'''
            expect.matches(student.first, reference.first, probe.randn(3))

        def test_second(self, student, reference, probe, expect):
            '''The second doubles.'''
            expect.matches(student.second, reference.second, probe.randn(3))
"""
STUB = """
    def first(x):
        raise NotImplementedError("first: replace this line with your solution")

    def second(x):
        raise NotImplementedError("second: replace this line with your solution")
"""
ANSWERS = {
    "wrong": REFERENCE.replace("x * 2", "x * 3"),
    "a stub": REFERENCE.replace("return x * 2", "raise NotImplementedError('second: replace')"),
    "absent": REFERENCE.replace("second", "another"),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    root = tmp_path_factory.mktemp("course")
    write_course(root, targets="first, second", reference=REFERENCE, suite=SUITE, stub=STUB)
    course = find_course(root)
    students = [submission({"t1_toy.py": text}, id) for id, text in ANSWERS.items()]
    with Engine(course, Options(isolation="none")) as engine:
        return {one.submission.id: report_on(one, course.rubric) for one in engine.grade(students)}


@pytest.mark.parametrize(
    ("answer", "outcome", "line"),
    [
        ("wrong", Outcome.FAILED, "open wrong/t1_toy.py:5 (t1.toy, outputs)"),
        ("a stub", Outcome.NOT_ATTEMPTED, "open a stub/t1_toy.py:5 (t1.toy)"),
        ("absent", Outcome.NOT_ATTEMPTED, "add second to absent/t1_toy.py (t1.toy)"),
    ],
)
def test_the_next_step_is_the_second_function(
    reports: dict[str, Report], answer: str, outcome: Outcome, line: str
) -> None:
    report = reports[answer]

    assert [seen.outcome for seen in report.observations] == [Outcome.PASSED, outcome]
    assert next_step(report, Path.cwd()) == line
