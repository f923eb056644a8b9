"""How far a class has come is counted right, whatever becomes of its submissions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.batch.gradebook import Row
from grader.batch.part import ClassPart
from grader.batch.progress import ClassState, ProgressCount
from tests.unit.batch.test_batch import hand_in
from tests.unit.samples import RUBRIC, SampleGrader


class Clock:
    """Shows the time that somebody set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def graded(id: str, unchecked: int = 0) -> Row:
    return Row(id, total=Fraction(1), unchecked=Fraction(unchecked))


def test_a_class_is_counted_from_beginning_to_end() -> None:
    clock = Clock()
    count = ProgressCount(4, 2, clock)
    assert count.now() == ClassState(0, 4, 0, 0)

    count.steps.on_start("s-1")
    clock.now = 3
    count.steps.on_start("s-2")
    clock.now = 10
    assert count.now() == ClassState(0, 2, 0, 2, None, ("s-1", 10))

    count.finish(graded("s-2"))
    # s-2 took 7 s: two wait, s-1 is over its time, and two lanes share the rest.
    assert count.now() == ClassState(1, 2, 0, 1, 7.0, ("s-1", 10))

    count.finish(graded("s-1", unchecked=1))
    for id in ("s-3", "s-4"):
        count.steps.on_start(id)
        count.finish(Row(id, problem="damaged"))
    assert count.now() == ClassState(4, 0, 3, 0, 0.0)


def test_what_is_put_off_waits_again() -> None:
    count = ProgressCount(1, 1, Clock())
    count.steps.on_start("s-1")
    count.steps.on_put_off("s-1")
    assert (count.now().waiting, count.now().at_work) == (1, 0)

    count.steps.on_start("s-1")
    assert (count.now().waiting, count.now().at_work) == (0, 1)


def test_who_handed_in_nothing_is_no_fault_of_the_checks() -> None:
    count = ProgressCount(1, 1, Clock())
    count.finish(Row("s-1", problem="handed in nothing"))

    assert (count.now().done, count.now().unchecked) == (1, 0)


@pytest.mark.parametrize(("limit", "done"), [(None, 5), (2, 3)])
def test_a_batch_ends_with_nobody_waiting(tmp_path: Path, limit: int | None, done: int) -> None:
    words = dict(s_1="passed", s_2="could_not_check", s_3="failed", s_4="passed")
    folder = hand_in(tmp_path / "class", **words)
    (folder / "s-5.pdf").write_bytes(b"%PDF")
    count = ProgressCount(5, 1, Clock())
    grade_batch(
        discover(folder, tmp_path / "out").entries, RUBRIC, SampleGrader(), tmp_path / "out",
        count.finish, part=ClassPart(limit=limit), steps=count.steps,
    )  # fmt: skip

    assert count.now() == ClassState(done, 0, 2, 0, 0.0)


@pytest.mark.parametrize(
    ("state", "counts", "slowest"),
    [
        (ClassState(0, 4, 0, 0), "4 waiting, 0 could not be checked", ""),
        (
            ClassState(1, 2, 1, 1, 130, ("s-1", 9.6)),
            "2 waiting, 1 could not be checked, about 3 min left",
            "slowest at work: s-1, 10 s",
        ),
        (ClassState(4, 0, 3, 0, 0), "0 waiting, 3 could not be checked", ""),
    ],
)
def test_the_state_in_words(state: ClassState, counts: str, slowest: str) -> None:
    assert (state.counts, state.slowest_at_work) == (counts, slowest)
