"""A call that never ends is told where it stays, and its like are ended sooner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Observation, Outcome, Where
from grader.judge.calls.process_exit import Hung, fault_of
from grader.text.language import language_in_use, use_language
from grader.wire.faults import Deadline
from tests.support.courses import submission, write_course

CHECKS = 12
SUITE = "class TestOutputs:\n" + "".join(
    f"    def test_step_{number:02}(self, student, expect):\n"
    f"        '''Step {number} is returned.'''\n"
    f"        expect.true(student.work({number}) == {number}, observed='no', expected='yes')\n"
    for number in range(CHECKS)
)
ENDLESS = """
def next_of(step):
    return step + 1

def work(step):
    other = step
    while True:
        other = next_of(other)
        other = next_of(other)
"""
ENDLESS_AT_TIMES = ENDLESS.replace("True", "step % 2 or other < 0") + "    return step\n"
ENDLESS_BEFORE_WORK = """
import time

def work(step):
    while step % 2:
        pass
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    return step
"""
RECURSIVE = """
def work(step):
    return step if step > 60 else work(step + 1) + work(step + 2)
"""
SLOW = """
import time

def work(step):
    until = time.process_time() + (9 if step in (3, 4) else 0.2)
    while time.process_time() < until:
        pass
    return step
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    reference = "def work(step):\n    return step\n"
    root = write_course(
        tmp_path_factory.mktemp("toy"), targets="work", reference=reference, suite=SUITE
    )
    with Engine(find_course(root), Options(isolation="none")) as running:
        yield running


def graded(engine: Engine, text: str) -> tuple[Observation, ...]:
    (result,) = engine.grade([submission({"t1_toy.py": text})])
    return result.observations


def test_the_loop_is_told(engine: Engine) -> None:
    first, *others = graded(engine, ENDLESS)
    assert first.observed == "no answer within 2 s: it was still in the loop at t1_toy.py:7"
    assert first.where == Where("t1_toy.py", 7)
    assert {one.observed for one in others} == {
        "no answer: it stayed in the loop at t1_toy.py:7, as in a call before"
    }
    assert {one.outcome for one in (first, *others)} == {Outcome.TIMED_OUT}


def test_without_a_loop_the_function_is_told(engine: Engine) -> None:
    first, *_others = graded(engine, RECURSIVE)
    assert first.observed == "no answer within 2 s: it was still in the function at t1_toy.py:2"


def test_the_loop_is_told_in_korean() -> None:
    hung = Hung(Where("t1_toy.py", 7), in_loop=True)
    before = language_in_use()
    use_language("ko")
    try:
        first = fault_of(Deadline(), None, 2.0, False, hung)
        later = fault_of(Deadline(), None, 0.05, False, replace(hung, again=True))
    finally:
        use_language(before)
    assert str(first) == "2초 안에 응답이 없습니다. 그때까지 t1_toy.py:7의 반복문 안에 있었습니다"
    assert (
        str(later)
        == "응답이 없습니다. 앞의 호출에서처럼 t1_toy.py:7의 반복문에서 나오지 않았습니다"
    )


@pytest.mark.parametrize("text", [ENDLESS_AT_TIMES, ENDLESS_BEFORE_WORK], ids=["quick", "slow"])
def test_calls_that_do_end_in_the_same_function_pass(engine: Engine, text: str) -> None:
    outcomes = [one.outcome for one in graded(engine, text)]
    assert outcomes == [Outcome.PASSED, Outcome.TIMED_OUT] * (CHECKS // 2)


def test_who_is_slow_is_not_taken_for_endless(engine: Engine) -> None:
    """Two of the calls hang, and the others take four times what an endless loop is given."""
    outcomes = [one.outcome for one in graded(engine, SLOW)]
    assert [number for number, one in enumerate(outcomes) if one is Outcome.TIMED_OUT] == [3, 4]
    assert outcomes.count(Outcome.PASSED) == CHECKS - 2
