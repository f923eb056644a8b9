"""`make bench-check`: what counts as slower, and that calls are counted."""

from dataclasses import replace

import pytest

from tests.bench.no_slower import NEXT, Cost, calls_of, compared

THEN = Cost(calls=1000, times_floor=4.0, python="3.11", torch="2.13.0")


@pytest.mark.parametrize(
    ("now", "holds"),
    [
        (THEN, [True, True]),
        (replace(THEN, calls=1150, times_floor=4.6), [True, True]),
        (replace(THEN, calls=1151), [False, True]),
        (replace(THEN, times_floor=4.61), [True, False]),
        (replace(THEN, calls=500, times_floor=2.0), [True, True]),
        (replace(THEN, calls=2000, torch="2.14.0"), [None, True]),
        (replace(THEN, calls=2000, python="3.13"), [None, True]),
    ],
)
def test_fifteen_percent_more_is_too_much(now: Cost, holds: list[bool | None]) -> None:
    rows = list(compared(now, THEN))

    assert [row.holds for row in rows] == holds
    assert [NEXT in str(row) for row in rows] == [held is False for held in holds]


def test_calls_of_python_and_of_c_are_counted() -> None:
    def run() -> None:
        for _time in range(10):
            sorted(())

    assert calls_of(run) - calls_of(lambda: None) == 10
    assert calls_of(run) == calls_of(run)
