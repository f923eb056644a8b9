"""When a time-out is the machine's fault and when it is the submission's."""

from __future__ import annotations

from typing import Any

import pytest

from grader.judge.calls.time_limits import MAX_GRANTED_S, MAX_SPENT_S, LimitExtension
from grader.judge.calls.worker_process import Usage


class Worker:
    """As far as a time-out looks at one."""

    def __init__(self, usage: Usage | None) -> None:
        self._usage = usage

    def usage(self) -> Usage | None:
        return self._usage


def used(running_s: float, waiting_s: float, main_s: float | None = None) -> Usage:
    """What a worker had: all of it in its main thread, unless that is told."""
    return Usage(running_s, waiting_s, running_s if main_s is None else main_s)


def begun(running_s: float, waiting_s: float) -> LimitExtension:
    """A request was sent when a worker had had so much."""
    extension = LimitExtension()
    extension.begin(Worker(used(running_s, waiting_s)))  # type: ignore[arg-type]
    return extension


def more(extension: LimitExtension, usage: Usage | None, limit_s: float = 2.0) -> float:
    """What is given when it has had so much."""
    return extension.more_time(Worker(usage), limit_s)  # type: ignore[arg-type]


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
    worker: Any = Worker(used(10.0 + running_s, 20.0 + waiting_s))
    assert begun(10.0, 20.0).starves(worker, 2.0) is starved


def test_to_wait_for_threads_of_its_own_is_no_starving_on_a_busy_machine_either() -> None:
    """Twelve threads of its own, and others that leave it half a processor: it had not its time,
    yet it was itself that it waited for."""
    threads: Any = Worker(used(11.5, 21.8, main_s=10.1))
    alone: Any = Worker(used(11.5, 21.8))
    assert not begun(10.0, 20.0).starves(threads, 2.0)
    assert begun(10.0, 20.0).starves(alone, 2.0)


@pytest.mark.parametrize(
    ("running_s", "reads", "is_reading", "starved"),
    [
        (0.2, 40, False, True),
        (0.2, 0, True, True),
        (0.2, 3, False, False),
        (2.0, 40, False, False),
        (1.7, 40, False, False),
    ],
    ids=["many pages", "in a read", "hardly any page", "computed", "computed nearly all the time"],
)
def test_to_wait_for_a_disk_is_no_fault_of_a_submission(
    running_s: float, reads: int, is_reading: bool, starved: bool
) -> None:
    """Where memory is short, pages of torch have to be read anew: a right answer took over 2 s."""
    before = Usage(10.0, 20.0, 10.0, disk_reads=100)
    after = Usage(10.0 + running_s, 20.0, 10.0 + running_s, 100 + reads, is_reading)
    extension = LimitExtension()
    extension.begin(Worker(before))  # type: ignore[arg-type]
    assert extension.starves(Worker(after), 2.0) is starved  # type: ignore[arg-type]
    assert (more(extension, after) > 0) is starved


def test_what_was_read_before_a_request_is_not_its_own() -> None:
    slept = Usage(0.0, 0.0, 0.0, disk_reads=1000)
    extension = LimitExtension()
    extension.begin(Worker(slept))  # type: ignore[arg-type]
    assert not extension.starves(Worker(slept), 2.0)  # type: ignore[arg-type]


def test_who_hangs_in_every_call_does_not_use_up_the_patience_with_the_machine() -> None:
    """Each call gets what others took of its time, and had all of it in the end."""
    extension, granted_s = LimitExtension(), 0.0
    for _call in range(50):
        extension.begin(Worker(used(0.0, 0.0)))  # type: ignore[arg-type]
        granted_s += more(extension, used(0.5, 1.5))
        assert not extension.starves(Worker(used(2.0, 2.0)), 2.0)  # type: ignore[arg-type]
        extension.timed_out()
    assert granted_s == 50 * 1.5


def test_patience_with_who_hangs_has_an_end() -> None:
    extension, granted_s = LimitExtension(), 0.0
    for _call in range(500):
        extension.begin(Worker(used(0.0, 0.0)))  # type: ignore[arg-type]
        granted_s += more(extension, used(0.5, 1.5))
        extension.timed_out()
    assert granted_s == MAX_SPENT_S + 2 * MAX_GRANTED_S


def test_a_statement_has_a_limit_of_its_own() -> None:
    """What was waited for before it began is not its own."""
    extension = begun(0.0, 0.0)
    extension.renew()
    extension.begin_part(Worker(used(3.0, 3.0)))  # type: ignore[arg-type]
    spun: Any = Worker(used(5.0, 3.0))
    assert not extension.starves(spun, 2.0, part=True)
    assert extension.starves(spun, 10.0)
    assert extension.starves(Worker(used(3.5, 4.5)), 2.0, part=True)  # type: ignore[arg-type]


def test_where_the_system_does_not_tell_nobody_starves() -> None:
    worker: Any = Worker(None)
    assert not begun(0.0, 0.0).starves(worker, 2.0)
    assert not begun(0.0, 0.0).starves(None, 2.0)


def test_time_that_others_had_is_given_back_up_to_a_point() -> None:
    extension = begun(0.0, 0.0)
    kept_waiting = used(0.5, 1.5)
    granted = [more(extension, kept_waiting) for _ in range(20)]
    assert granted[0] == 1.5
    assert sum(granted) == MAX_GRANTED_S
    extension.begin(Worker(used(0.0, 0.0)))  # type: ignore[arg-type]  # the next call
    assert sum(more(extension, kept_waiting) for _ in range(40)) == MAX_GRANTED_S
    extension.begin(Worker(used(0.0, 0.0)))  # type: ignore[arg-type]
    assert more(extension, kept_waiting) == 0.0


def test_who_slept_or_had_the_time_gets_no_more() -> None:
    extension = begun(0.0, 0.0)
    for usage in (used(0.0, 0.0), used(2.0, 5.0), None):
        assert more(extension, usage) == 0.0


def test_of_another_worker_nothing_is_known() -> None:
    extension = begun(0.0, 0.0)
    extension.renew()
    extension.begin(Worker(used(5.0, 9.0)))  # type: ignore[arg-type]
    assert more(extension, used(5.0, 9.0)) == 0.0
