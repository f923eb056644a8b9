"""A call that is to get by with little memory gets no more, whatever it tries."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Observation, Outcome
from tests.support.courses import submission, write_course

REFERENCE = """
    import torch

    def total(count):
        return sum(float(torch.ones(1000).sum()) for _ in range(count // 1000))
"""
SUITE = """
    import pytest

    COUNT = 25_000_000  # 95 MiB as float32

    class TestOutputs:
        @pytest.mark.alone
        def test_little_memory(self, student, expect):
            '''It gets by with 16 MiB.'''
            expect.within_memory(16, student.total, 1000)
            expect.close(expect.within_memory(16, student.total, COUNT), float(COUNT))

        def test_any_memory(self, student, expect):
            '''It works.'''
            expect.close(student.total(COUNT), float(COUNT))

        @pytest.mark.alone
        def test_little_memory_again(self, student, expect):
            '''It gets by with 16 MiB once more.'''
            expect.close(expect.within_memory(16, student.total, COUNT), float(COUNT))
"""
NEEDS_IT = "needs more than 16 MiB of memory"
PIECES = """
    import torch

    def total(count):
        kept = []
        for start in range(0, count, 250_000):
            piece = torch.ones(min(250_000, count - start))
            kept.append((piece + 0).sum())
        return float(sum(kept))
"""
WHOLE = "import torch\n\ndef total(count):\n    return float(torch.ones(count).sum())\n"
NUMPY = "import numpy\n\ndef total(count):\n    return float(numpy.ones(count).sum())\n"
RAISES_IT = """
    import resource
    import torch

    def total(count):
        for limit in (resource.RLIM_INFINITY, 1 << 40):
            try:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            except (OSError, ValueError):
                pass
        return float(torch.ones(count).sum())
"""
HOLDS_IT = """
    import torch

    HELD = [torch.ones(25_000_000)]

    def total(count):
        HELD.clear()
        return float(torch.ones(count).sum())
"""
KEEPS_IT_OFF = """
    import resource
    import torch

    resource.setrlimit = lambda kind, limits: None

    def total(count):
        return float(torch.ones(count).sum())
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are none")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course") / "toy"
    return write_course(folder, targets="total", reference=REFERENCE, suite=SUITE)


WAYS = {
    "full": Options(isolation="full"),
    "partial": Options(isolation="partial"),
    "none": Options(isolation="none"),
    "spawn": Options(spawn=True, isolation="none"),
}


@pytest.fixture(scope="module", params=WAYS)
def engine(request: pytest.FixtureRequest, root: Path) -> Iterator[Engine]:
    with Engine(find_course(root), WAYS[request.param]) as engine:
        yield engine


def graded(engine: Engine, source: str) -> list[Observation]:
    (result,) = engine.grade([submission({"t1_toy.py": source})])
    return list(result.observations)


def test_what_needs_little_gets_by(engine: Engine) -> None:
    assert [o.outcome for o in graded(engine, REFERENCE)] == [Outcome.PASSED] * 3


def test_what_is_freed_can_be_had_again(engine: Engine) -> None:
    """Large pieces with small ones between them, as a loop over blocks makes them."""
    assert [o.outcome for o in graded(engine, PIECES)] == [Outcome.PASSED] * 3


@pytest.mark.parametrize("source", [WHOLE, NUMPY, RAISES_IT], ids=["torch", "numpy", "raises-it"])
def test_what_needs_more_does_not_and_other_checks_are_not_limited(
    engine: Engine, source: str
) -> None:
    found = graded(engine, source)

    expected = [Outcome.FAILED, Outcome.PASSED, Outcome.FAILED]
    assert [o.outcome for o in found] == expected
    assert [o.observed for o in found] == [NEEDS_IT, "", NEEDS_IT]


def test_memory_held_beforehand_is_no_way_round(engine: Engine) -> None:
    found = graded(engine, HOLDS_IT)

    assert [o.outcome for o in found] == [Outcome.FAILED, Outcome.PASSED, Outcome.FAILED]
    assert "MiB before it is called" in found[0].observed


def test_a_limit_that_was_kept_off_is_seen(engine: Engine) -> None:
    found = graded(engine, KEEPS_IT_OFF)

    expected = [Outcome.STUDENT_ERROR, Outcome.PASSED, Outcome.STUDENT_ERROR]
    assert [o.outcome for o in found] == expected


def test_a_check_that_is_not_alone_may_not_limit(tmp_path: Path) -> None:
    suite = SUITE.replace("@pytest.mark.alone", "")
    root = write_course(tmp_path / "toy", targets="total", reference=REFERENCE, suite=suite)
    with Engine(find_course(root), WAYS["none"]) as engine:
        found = graded(engine, REFERENCE)

    expected = [Outcome.COULD_NOT_CHECK, Outcome.PASSED, Outcome.COULD_NOT_CHECK]
    assert [o.outcome for o in found] == expected
    assert "@pytest.mark.alone" in found[0].staff
