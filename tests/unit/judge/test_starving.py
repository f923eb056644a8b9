"""When a time-out is the machine's fault and when it is the submission's."""

from __future__ import annotations

from typing import Any

import pytest

from grader.judge.patience import MAX_GRANTED_S, Patience
from grader.judge.worker_process import Usage


class Worker:
    """As far as a time-out looks at one."""

    def __init__(self, usage: Usage | None) -> None:
        self._usage = usage

    def usage(self) -> Usage | None:
        return self._usage


def begun(running_s: float, waiting_s: float) -> Patience:
    """A request was sent when a worker had had so much."""
    patience = Patience()
    patience.begin(Worker(Usage(running_s, waiting_s)))  # type: ignore[arg-type]
    return patience


def more(patience: Patience, usage: Usage | None, limit_s: float = 2.0) -> float:
    """What is given when it has had so much."""
    return patience.more_time(Worker(usage), limit_s)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("running_s", "waiting_s", "starved"),
    [
        (0.3, 1.7, True),
        (2.0, 0.0, False),
        (0.0, 0.0, False),
        (3.6, 1.8, False),
        (1.97, 18.0, False),
    ],
    ids=[
        "kept waiting",
        "ran all the time",
        "slept",
        "waited for its own threads",
        "had its time in the end",
    ],
)
def test_starving_is_to_wait_for_others(running_s: float, waiting_s: float, starved: bool) -> None:
    worker: Any = Worker(Usage(10.0 + running_s, 20.0 + waiting_s))
    assert begun(10.0, 20.0).starves(worker, 2.0) is starved


def test_where_the_system_does_not_tell_nobody_starves() -> None:
    worker: Any = Worker(None)
    assert not begun(0.0, 0.0).starves(worker, 2.0)
    assert not begun(0.0, 0.0).starves(None, 2.0)


def test_time_that_others_had_is_given_back_up_to_a_point() -> None:
    patience = begun(0.0, 0.0)
    kept_waiting = Usage(0.5, 1.5)
    granted = [more(patience, kept_waiting) for _ in range(20)]
    assert granted[0] == 1.5
    assert sum(granted) == MAX_GRANTED_S
    patience.begin(Worker(Usage(0.0, 0.0)))  # type: ignore[arg-type]  # the next call
    assert sum(more(patience, kept_waiting) for _ in range(40)) == MAX_GRANTED_S
    patience.begin(Worker(Usage(0.0, 0.0)))  # type: ignore[arg-type]
    assert more(patience, kept_waiting) == 0.0


def test_who_slept_or_had_the_time_gets_no_more() -> None:
    patience = begun(0.0, 0.0)
    for usage in (Usage(0.0, 0.0), Usage(2.0, 5.0), None):
        assert more(patience, usage) == 0.0


def test_of_another_worker_nothing_is_known() -> None:
    patience = begun(0.0, 0.0)
    patience.renew()
    patience.begin(Worker(Usage(5.0, 9.0)))  # type: ignore[arg-type]
    assert more(patience, Usage(5.0, 9.0)) == 0.0
