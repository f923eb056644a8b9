"""What becomes of a text that a worker was given to read."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from grader.evidence import Outcome
from grader.judge import reading
from grader.judge.faults import Starved
from grader.judge.reading import Reading
from grader.judge.worker_process import Usage
from grader.wire.frame import Channel


class Worker:
    """The judge's end of a channel, and the other end of it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.channel, self.other = Channel(ours), Channel(theirs)
        self.more_time: Callable[[], float] = lambda: 0.0
        self.used = Usage(0.0, 0.0)
        self.killed = 0

    def usage(self) -> Usage:
        return self.used

    def fate(self) -> int:
        return os.W_EXITCODE(3, 0) if hasattr(os, "W_EXITCODE") else 3 << 8

    def kill(self) -> None:
        self.killed += 1


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.channel.close()
    made.other.close()


def begun(worker: Any) -> Reading:
    return Reading(worker, {"t": "survey", "wanted": {}}, [b"x = 1\n"])


def test_nobody_waits_for_it_before_its_answer_is_asked_for(worker: Worker) -> None:
    told = begun(worker)
    assert worker.other.receive(time.monotonic() + 1).payload == b"x = 1\n"
    worker.other.send({"t": "ok", "found": {"a": {"f": {"loops": [["for", "a.py", None, 3]]}}}})
    survey = told.survey()
    assert [place.where.line for place in survey.loops("a", "f")] == [3]
    assert told.survey() is survey, "asked once"


@pytest.mark.parametrize(
    ("reply", "outcome", "words"),
    [
        ({"t": "ok", "found": []}, Outcome.STUDENT_ERROR, "no valid reply"),
        ({"t": "call", "target": ["N", "a", "f"]}, Outcome.STUDENT_ERROR, "no valid reply"),
        (
            {"t": "raised", "type": "RecursionError", "bases": ["RecursionError"]},
            Outcome.STUDENT_ERROR,
            "raised RecursionError",
        ),
    ],
    ids=["no survey", "a request", "an exception"],
)
def test_any_other_answer_is_why_it_could_not_be_read(
    worker: Worker, reply: dict[str, Any], outcome: Outcome, words: str
) -> None:
    told = begun(worker)
    worker.other.send(reply)
    fault = told.survey().fault
    assert fault is not None and fault.outcome is outcome and words in fault.observed


def test_a_reader_that_ended_is_told_of(worker: Worker) -> None:
    told = begun(worker)
    worker.other.close()
    fault = told.survey().fault
    assert fault is not None and "exit code 3" in fault.observed


def test_a_text_that_takes_too_long_is_its_authors(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LIMIT_S", 0.05)
    fault = begun(worker).survey().fault
    assert fault is not None and fault.outcome is Outcome.TIMED_OUT


def test_a_machine_that_is_too_busy_is_nobodys_fault(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LIMIT_S", 0.05)
    told = begun(worker)
    worker.used = Usage(0.0, 1.0)
    with pytest.raises(Starved):
        told.survey()
    told.close()
    assert worker.killed == 1
