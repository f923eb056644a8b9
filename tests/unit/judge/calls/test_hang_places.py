"""A call is ended sooner where others hung, and only there."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from grader.judge.calls.hang_places import HangPlaces, RunningFunction, running_functions
from grader.judge.calls.submission_limits import (
    KNOWN_HANG_FACTOR,
    KNOWN_HANG_LIMIT_S,
    SECOND_HANG_LIMIT_S,
    SubmissionLimits,
)
from grader.wire.faults import Violation

LOOP = RunningFunction("a1.py", None, 10, 12)
HELPER = RunningFunction("a1.py", None, 30)
OUTER = RunningFunction("a1.py", None, 50)


def hang(places: HangPlaces, *seen: tuple[RunningFunction, ...]) -> None:
    places.begin()
    for functions in seen:
        places.see(functions)
    places.timed_out()


def limits_after(
    hangs: int, *, is_slow: bool = False, is_cold: bool = False, reference_s: float = 0.0
) -> float:
    limits = SubmissionLimits()
    limits.begin_check(lambda call: reference_s)
    limits.of_call(0)
    if is_slow:
        limits.places.see((LOOP, OUTER))
        limits.places.answered()
    for _hang in range(hangs):
        hang(limits.places, (LOOP, OUTER))
    limits.places.begin()
    return limits.of_call_in((LOOP, OUTER), is_cold=is_cold)


def test_the_place_of_a_hang_is_the_innermost_function_that_it_never_leaves() -> None:
    places = HangPlaces()
    hang(places, (HELPER, LOOP, OUTER), (LOOP, OUTER), (HELPER, LOOP, OUTER))
    assert places.place == LOOP
    places.begin()
    assert places.see((HELPER, OUTER)) == 0
    assert places.see((LOOP, OUTER)) == 1


def test_a_later_call_is_told_the_place_of_the_first() -> None:
    """Looked at once, a call may be in a function that is called in the loop."""
    places = HangPlaces()
    hang(places, (LOOP, OUTER))
    places.begin()
    places.see((HELPER, LOOP, OUTER))
    assert places.place == LOOP
    assert places.is_known


def test_a_call_that_was_never_looked_at_has_no_place() -> None:
    places = HangPlaces()
    hang(places)
    assert places.place is None
    assert not places.is_known


def test_the_limit_is_shorter_with_each_hang_in_a_function() -> None:
    assert limits_after(0) == math.inf
    assert limits_after(1) == SECOND_HANG_LIMIT_S
    assert limits_after(2) == limits_after(9) == KNOWN_HANG_LIMIT_S


def test_many_times_what_the_reference_takes_is_given_in_any_case() -> None:
    assert limits_after(9, reference_s=0.02) == pytest.approx(KNOWN_HANG_FACTOR * 0.02)


def test_a_function_that_came_back_late_is_slow_and_no_endless_loop() -> None:
    assert limits_after(9, is_slow=True) == math.inf


def test_a_worker_that_has_not_practised_gets_more() -> None:
    assert limits_after(9, is_cold=True) == SECOND_HANG_LIMIT_S


@pytest.mark.parametrize(
    "elsewhere",
    [(HELPER, OUTER), (replace(LOOP, loop=None), OUTER), (replace(LOOP, loop=14), OUTER)],
    ids=["another function", "before the loop", "another loop"],
)
def test_who_is_elsewhere_keeps_the_limit(elsewhere: tuple[RunningFunction, ...]) -> None:
    """A function may wait for ever in a loop that others never come to."""
    limits = SubmissionLimits()
    for _hang in range(5):
        hang(limits.places, (LOOP, OUTER))
    limits.places.begin()
    assert limits.of_call_in(elsewhere, is_cold=False) == math.inf


def test_a_function_without_a_loop_has_no_shorter_limit() -> None:
    limits = SubmissionLimits()
    for _hang in range(5):
        hang(limits.places, (HELPER, OUTER))
    limits.places.begin()
    assert limits.of_call_in((HELPER, OUTER), is_cold=False) == math.inf
    assert not limits.places.is_known


@pytest.mark.parametrize(
    "value", [[3], [[]], [["a.py", None, 1]], [[1, None, 1, None]], [["a.py", "x", 1, None]]]
)
def test_what_a_worker_must_not_say_is_refused(value: Any) -> None:
    with pytest.raises(Violation):
        running_functions(value)


def test_what_a_worker_says_is_read() -> None:
    assert running_functions([["a1.py", None, 10, 12]]) == (LOOP,)
    assert running_functions("nothing") == ()
    assert len(running_functions([["a1.py", 3, 10, None]] * 500)) == 20
