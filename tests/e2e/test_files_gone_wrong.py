"""What goes wrong with whole files is told once, in its own words, and is never *not attempted*."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, EngineError, Options
from grader.engine.result import Result
from grader.grade.evidence import Outcome
from tests.support.courses import submission, write_course

pytestmark = pytest.mark.usefixtures("warm_nursery")

SUITE = """
    class TestOutputs:
        def test_double(self, student, expect):
            '''Twice as much.'''
            expect.true(student.double(2) == 4, observed="another number", expected="4")

        def test_third(self, student, expect):
            '''A third.'''
            expect.true(student.third(3.0) == 1, observed="another number", expected="1")
"""
RIGHT = """
import math

def double(x):
    return math.fsum([x, x])

def third(x):
    return math.fsum([x]) / 3
"""
MARKED = """
<<<<<<< HEAD
import math
=======
from math import *
>>>>>>> other

def double(x):
<<<<<<< HEAD
    return 2 * x
=======
    return x + x
>>>>>>> other

def third(x):
    return x / 3
"""
FORGOTTEN = "`math` is used here and never imported: add `import math` at the top of the file"
MARKS = "git left conflict marks here: keep one side, delete the marks, and save"
NAMES = {
    "right": {"t1_toy.py": RIGHT},
    "forgotten": {"t1_toy.py": RIGHT.replace("import math", "")},
    "marked": {"t1_toy.py": MARKED},
    "long": {"t1_toy.py": RIGHT + "x = 1\n" * 60_000},
    "misspelt": {"t1_toy.py": RIGHT.replace("double", "duoble")},
    "misnamed": {"hw1_final.py": RIGHT},
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("toy")
    return write_course(root, targets="double, third", reference=RIGHT, suite=SUITE)


@pytest.fixture(scope="module")
def results(course: Path) -> Iterator[dict[str, Result]]:
    hand_ins = [submission(files, id) for id, files in NAMES.items()]
    with Engine(find_course(course), Options(isolation="none")) as engine:
        yield {result.submission.id: result for result in engine.grade(hand_ins)}


def problems(result: Result) -> list[str]:
    return [f"{n.where}  {n.text}" for n in result.loading if n.kind == "problem"]


def seen(result: Result) -> list[tuple[Outcome, str, str]]:
    return [(one.outcome, one.observed, str(one.where)) for one in result.observations]


def test_the_control_passes(results: dict[str, Result]) -> None:
    assert {one.outcome for one in results["right"].observations} == {Outcome.PASSED}
    assert problems(results["right"]) == []


def test_a_forgotten_import_is_one_mistake(results: dict[str, Result]) -> None:
    told = (Outcome.STUDENT_ERROR, FORGOTTEN, "t1_toy.py:5")

    assert problems(results["forgotten"]) == [f"t1_toy.py:5  {FORGOTTEN}"]
    assert seen(results["forgotten"]) == [told, told]


def test_conflict_marks_are_one_mistake_each(results: dict[str, Result]) -> None:
    rest = "The rest of the file is loaded."

    assert problems(results["marked"]) == [
        f"t1_toy.py:2  {MARKS}. {rest}",
        f"t1_toy.py:9  {MARKS}. {rest}",
    ]
    [double, third] = results["marked"].observations
    assert double.outcome is Outcome.STUDENT_ERROR
    assert double.observed.startswith(MARKS)
    assert third.outcome is Outcome.PASSED


def test_a_file_of_60000_lines_is_said_to_be_too_long(results: dict[str, Result]) -> None:
    why = (
        "the file has 60,008 lines, and at most 10,000 are read: hand in only your own code. "
        "Nothing of it is loaded."
    )

    assert problems(results["long"]) == [f"t1_toy.py  {why}"]
    assert seen(results["long"]) == [(Outcome.STUDENT_ERROR, why, "t1_toy.py")] * 2


def test_nearly_the_right_name_is_an_attempt(results: dict[str, Result]) -> None:
    [double, third] = results["misspelt"].observations

    assert double.outcome is Outcome.STUDENT_ERROR
    assert double.observed == (
        "t1_toy.py does not define double; there is a duoble: is that the one?"
    )
    assert str(double.where) == "t1_toy.py:4"
    assert third.outcome is Outcome.PASSED


def test_a_file_under_another_name_is_told_the_right_one(results: dict[str, Result]) -> None:
    assert problems(results["misnamed"]) == [
        "hw1_final.py  this file defines double: rename it to t1_toy.py"
    ]


def test_a_misspelt_target_is_the_courses_mistake_and_nobodys_zero(tmp_path: Path) -> None:
    root = write_course(tmp_path, targets="duoble, third", reference=RIGHT, suite=SUITE)

    with (
        pytest.raises(EngineError) as stopped,
        Engine(find_course(root), Options(isolation="none")) as engine,
    ):
        list(engine.grade([submission(NAMES["right"])]))

    assert [line.partition("rubric.yaml:")[2] for line in str(stopped.value).splitlines()] == [
        "6:15  exercises.t1.toy.targets[0]: reference/t1_toy.py has no 'duoble' - did you mean "
        "'double'?"
    ]
