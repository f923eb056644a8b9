"""When a time-out is the machine's fault and when it is the submission's."""

from __future__ import annotations

import pytest

from grader.judge.student import MAX_GRANTED_S, Plan, SubmissionClient
from grader.judge.worker_process import Usage


class Worker:
    """As far as a time-out looks at one."""

    def __init__(self, usage: Usage | None) -> None:
        self._usage = usage

    def usage(self) -> Usage | None:
        return self._usage


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
    client = SubmissionClient(None, None, Plan({}, {}, {}, {}))  # type: ignore[arg-type]
    client.limit_s = 2.0
    client._usage = Usage(10.0, 20.0)
    client._worker = Worker(Usage(10.0 + running_s, 20.0 + waiting_s))  # type: ignore[assignment]
    assert client._was_starved() is starved


def test_where_the_system_does_not_tell_nobody_starves() -> None:
    client = SubmissionClient(None, None, Plan({}, {}, {}, {}))  # type: ignore[arg-type]
    client._usage = Usage(0.0, 0.0)
    client._worker = Worker(None)  # type: ignore[assignment]
    assert not client._was_starved()


def test_time_that_others_had_is_given_back_up_to_a_point() -> None:
    client = SubmissionClient(None, None, Plan({}, {}, {}, {}))  # type: ignore[arg-type]
    client.limit_s = 2.0
    client._usage = Usage(0.0, 0.0)
    client._worker = Worker(Usage(0.5, 1.5))  # type: ignore[assignment]
    assert client._more_time() == 1.5
    granted = [client._more_time() for _ in range(20)]
    assert sum(granted) + 1.5 == MAX_GRANTED_S
    client._granted_s = 0.0  # the next call
    assert sum(client._more_time() for _ in range(40)) == MAX_GRANTED_S
    client._granted_s = 0.0
    assert client._more_time() == 0.0


def test_who_slept_or_had_the_time_gets_no_more() -> None:
    client = SubmissionClient(None, None, Plan({}, {}, {}, {}))  # type: ignore[arg-type]
    client.limit_s = 2.0
    client._usage = Usage(0.0, 0.0)
    for usage in (Usage(0.0, 0.0), Usage(2.0, 5.0), None):
        client._worker = Worker(usage)  # type: ignore[assignment]
        assert client._more_time() == 0.0
