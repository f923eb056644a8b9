"""A submission's time in all is looked at before every call: one check may make a hundred."""

from __future__ import annotations

import time
from typing import Any

import pytest

from grader.judge.calls.faults import TimedOut
from grader.judge.calls.student import SubmissionClient
from grader.judge.calls.submission_limits import SUBMISSION_LIMIT_S
from grader.judge.calls.time_limits import MAX_WAITED_S
from grader.judge.calls.worker_process import Usage
from grader.wire.load_plan import LoadPlan


class Worker:
    """As far as a request that is about to be sent looks at one."""

    def __init__(self, waiting_s: float = 0.0, others_s: float = 0.0) -> None:
        self._usage = Usage(running_s=others_s, waiting_s=waiting_s, main_s=0.0)

    def usage(self) -> Usage:
        return self._usage


@pytest.fixture
def client() -> SubmissionClient:
    workers: Any = None
    made = SubmissionClient(workers, LoadPlan({}, {}, {}, {}))
    made._now.worker = Worker()  # type: ignore[assignment]
    return made


def use(client: SubmissionClient, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an answer take so long."""
    now = time.monotonic()
    monkeypatch.setattr("grader.judge.calls.time_limits.time.monotonic", lambda: now)
    client.before_request()
    monkeypatch.setattr("grader.judge.calls.time_limits.time.monotonic", lambda: now + seconds)
    client.after_request()
    monkeypatch.undo()


def test_within_its_time_a_call_may_be_made(
    client: SubmissionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _time in range(2):
        use(client, SUBMISSION_LIMIT_S / 2 - 0.01, monkeypatch)
    client.before_request()


def test_in_the_middle_of_a_check_time_can_be_up(
    client: SubmissionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(client, SUBMISSION_LIMIT_S + 1, monkeypatch)
    with pytest.raises(TimedOut, match="used up its 60 s"):
        client.before_request()


def test_what_passes_between_two_calls_does_not_count(
    client: SubmissionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(client, 1.0, monkeypatch)
    now = time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now + 10 * SUBMISSION_LIMIT_S)
    client.before_request()


@pytest.mark.parametrize(
    ("waiting_s", "others_s", "over_s", "is_up"),
    [
        (50.0, 0.0, 40.0, False),
        (30.0, 0.0, 40.0, True),
        (50.0, 20.0, 40.0, True),  # its own threads kept it waiting
        (9000.0, 0.0, MAX_WAITED_S + 1, True),
    ],
)
def test_waiting_for_a_processor_does_not_count(
    client: SubmissionClient,
    monkeypatch: pytest.MonkeyPatch,
    waiting_s: float,
    others_s: float,
    over_s: float,
    is_up: bool,
) -> None:
    use(client, SUBMISSION_LIMIT_S + over_s, monkeypatch)
    client._limits.time.add_waiting(Worker(waiting_s / 2, others_s))  # type: ignore[arg-type]
    client._now.worker = Worker(waiting_s / 2)  # type: ignore[assignment]
    if is_up:
        with pytest.raises(TimedOut):
            client.before_request()
    else:
        client.before_request()


def test_to_load_it_there_is_time_of_its_own(
    client: SubmissionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(client, SUBMISSION_LIMIT_S + 1, monkeypatch)
    with client._limits.loading.attempt(until=0.0):
        client.before_request()
