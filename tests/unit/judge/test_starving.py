"""When a time-out is the machine's fault and when it is the submission's."""

from __future__ import annotations

import pytest

from grader.judge.student import Plan, SubmissionClient
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
    ],
    ids=["kept waiting", "ran all the time", "slept", "waited for its own threads"],
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
