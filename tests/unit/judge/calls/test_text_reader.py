"""What becomes of a text that a worker was given to read."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from grader.grade.evidence import Outcome
from grader.judge.calls import text_reader
from grader.judge.calls.faults import Starved
from grader.judge.calls.text_reader import Reading, TextReader
from grader.judge.calls.worker_process import Usage
from grader.wire.frame import Channel
from grader.wire.load_plan import LoadPlan, Wanted
from grader.wire.survey_report import CodeFinding, TargetSurvey, encoded_survey

LOOP = TargetSurvey(loops=(CodeFinding("for", "a.py", None, 3),))


class Worker:
    """The judge's end of a channel, and the other end of it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.channel, self.other = Channel(ours), Channel(theirs)
        self.more_time: Callable[[], float] = lambda: 0.0
        self.used = Usage(0.0, 0.0, 0.0)
        self.killed = 0
        self.ended_by: signal.Signals | None = None

    def usage(self) -> Usage:
        return self.used

    def fate(self) -> int:
        if self.ended_by is not None:
            return int(self.ended_by)
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
    plan = LoadPlan({"a.py": b"x = 1\n"}, {"a": "a.py"}, {"a": ("f",)}, {})
    return Reading(worker, plan, Wanted({}, {}, (), {}))


def test_nobody_waits_for_it_before_its_answer_is_asked_for(worker: Worker) -> None:
    told = begun(worker)
    assert worker.other.receive(time.monotonic() + 1).payload == b"x = 1\n"
    worker.other.send({"t": "ok", "found": encoded_survey({"a": {"f": LOOP}})})
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


@pytest.mark.parametrize("type_name", ["KeyError", "AttributeError", "Odd"])
def test_an_exception_of_the_readers_own_is_ours(worker: Worker, type_name: str) -> None:
    told = begun(worker)
    worker.other.send({"t": "raised", "type": type_name, "bases": [type_name], "message": "'x'"})
    survey = told.survey()
    assert survey.fault is None and not survey.is_read
    assert survey.ours == f"{type_name}: 'x'"


def test_a_reader_that_we_end_is_nobodys_fault_but_ours(worker: Worker) -> None:
    told = begun(worker)
    told.close()
    survey = told.survey()
    assert survey.fault is None
    assert survey.ours == "the process that reads it was ended before it answered"


def test_what_was_told_before_the_end_stays(worker: Worker) -> None:
    told = begun(worker)
    worker.other.send({"t": "ok", "found": {}})
    survey = told.survey()
    told.close()
    assert told.survey() is survey and survey.is_read


def test_a_reader_that_ended_is_told_of(worker: Worker) -> None:
    told = begun(worker)
    worker.other.close()
    fault = told.survey().fault
    assert fault is not None and "exit code 3" in fault.observed


def test_a_text_that_takes_too_long_is_its_authors(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_reader, "LIMIT_S", 0.05)
    fault = begun(worker).survey().fault
    assert fault is not None and fault.outcome is Outcome.TIMED_OUT


def test_a_machine_that_is_too_busy_is_nobodys_fault(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_reader, "LIMIT_S", 0.05)
    told = begun(worker)
    worker.used = Usage(0.0, 1.0, 0.0)
    with pytest.raises(Starved):
        told.survey()
    told.close()
    assert worker.killed == 1


class Taken:
    """Workers, the first of which are ended by a SIGKILL while they read; the next ones answer."""

    def __init__(self, kills: int) -> None:
        self._kills = kills
        self.taken: list[Any] = []

    def take(self) -> Any:
        worker = Worker()
        if len(self.taken) < self._kills:
            worker.ended_by = signal.SIGKILL
        else:
            worker.other.send({"t": "ok", "found": encoded_survey({"a": {"f": LOOP}})})
        worker.other.sock.shutdown(socket.SHUT_WR)
        self.taken.append(worker)
        return worker


@pytest.fixture
def taken() -> Iterator[Callable[[int], Taken]]:
    """Workers by how many of them are killed; all are closed afterwards."""
    made: list[Taken] = []

    def make(kills: int) -> Taken:
        made.append(Taken(kills))
        return made[-1]

    yield make
    for worker in (one for workers in made for one in workers.taken):
        worker.channel.close()
        worker.other.close()


def read(workers: Any, *, has_own_worker: bool) -> TextReader:
    """Have a text read as a client does that takes workers until one has read it."""
    plan = LoadPlan({"a.py": b"x = 1\n"}, {"a": "a.py"}, {"a": ("f",)}, {})
    reader = TextReader(workers, plan, Wanted({}, {}, (), {}), has_own_worker)
    for _ in range(5):
        if reader.read_first(None if has_own_worker else workers.take()):  # type: ignore[arg-type]
            break
    return reader


@pytest.mark.parametrize("has_own_worker", [True, False], ids=["beside", "first"])
def test_what_a_sigkill_ended_is_read_again(
    taken: Callable[[int], Taken], has_own_worker: bool
) -> None:
    workers = taken(2)
    survey = read(workers, has_own_worker=has_own_worker).survey()
    assert survey is not None and survey.is_read
    assert [place.where.line for place in survey.loops("a", "f")] == [3]
    assert len(workers.taken) == 3


@pytest.mark.parametrize("has_own_worker", [True, False], ids=["beside", "first"])
def test_a_reader_that_is_killed_again_and_again_is_told_of(
    taken: Callable[[int], Taken], has_own_worker: bool
) -> None:
    survey = read(taken(9), has_own_worker=has_own_worker).survey()
    assert survey is not None and survey.fault is not None
    assert "was killed" in survey.fault.observed
