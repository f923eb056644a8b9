"""A reference with markers of nbgrader or otter: who hands in its stub has not attempted it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome
from grader.handouts.stubs import stub_of
from tests.support.courses import submission, write_course

pytestmark = pytest.mark.usefixtures("warm_nursery")

SUITE = """
    class TestOutputs:
        def test_values(self, student, expect):
            \"\"\"Twice the number.\"\"\"
            expect.true(student.double(3) == 6, observed="something else", expected="6")
"""
NBGRADER = """\
    def double(x):
        ### BEGIN SOLUTION
        return 2 * x
        ### END SOLUTION
"""
OTTER = """\
    def double(x):
        return 2 * x  # SOLUTION
"""


@pytest.mark.parametrize("reference", [NBGRADER, OTTER], ids=["nbgrader", "otter"])
def test_a_stub_is_not_attempted_and_the_reference_passes(reference: str, tmp_path: Path) -> None:
    root = write_course(tmp_path, targets="double", reference=reference, suite=SUITE)
    solved = textwrap.dedent(reference)
    stub = stub_of(solved, "t1_toy.py").text

    with Engine(find_course(root), Options()) as engine:
        results = engine.grade(
            [
                submission({"t1_toy.py": solved}, "student-001"),
                submission({"t1_toy.py": stub}, "student-002"),
            ]
        )
        outcomes = {r.submission.id: [o.outcome for o in r.observations] for r in results}

    assert outcomes == {
        "student-001": [Outcome.PASSED],
        "student-002": [Outcome.NOT_ATTEMPTED],
    }
