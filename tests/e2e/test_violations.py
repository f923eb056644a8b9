"""Whoever breaks the protocol loses that check and the process that did it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine
from grader.grade.evidence import Outcome, Tried
from tests.support.courses import submission, write_course

SUITE = """
    TOKENS = []

    class TestOutputs:
        def test_before(self, student, expect):
            '''A process of its own, remembered by a number that it drew.'''
            TOKENS[:] = [student.token()]
            expect.true(student.work(0) == 0, observed="another number", expected="0")

        def test_violation(self, student, expect):
            '''The number is returned.'''
            expect.true(student.work(1) == 1, observed="another number", expected="1")

        def test_after(self, student, expect):
            '''The number is returned.'''
            same = student.token() == TOKENS[0]
            expect.true(student.work(2) == 2, observed="another number", expected="2")
            expect.true(not same, observed="the same process", expected="another one")
"""
REFERENCE = """
import os

def token():
    return os.urandom(4).hex()

def work(step):
    return step
"""
STUDENT = """
import json, os, struct

def token():
    return os.environ.setdefault("TOKEN", os.urandom(8).hex())

def frame(meta, payload=b"", size=None):
    text = meta if isinstance(meta, bytes) else json.dumps(meta).encode()
    size = len(payload) if size is None else size
    return struct.pack("<4sIQ", b"GRW1", len(text), size) + text + payload

def tensor(dtype, count, data):
    table = {"storages": [len(data)], "tensors": [[dtype, [count], [1], 0, 0, 0]]}
    return frame({"t": "ok", "value": ["T", 0], **table}, data)

def say(data):
    while data:
        data = data[os.write(3, data):]

def work(step):
    if step == 1:
        {deed}
    return step
"""
DEEDS = {
    "noise": "say(os.urandom(4096))",
    "a header of 4 GiB": "say(struct.pack('<4sIQ', b'GRW1', 0xFFFFFFFF, 0))",
    "a payload of 16 EiB": "say(frame({'t': 'ok'}, size=2**64 - 1))",
    "no JSON": "say(frame(b'{'))",
    "JSON nested without end": "say(frame(b'[' * 1_000_000))",
    "a number of 4 MB": "say(frame(b'{\"t\": ' + b'9' * 4_000_000 + b'}'))",
    "another request": "say(frame({'t': 'passed'}))",
    "a false table": "say(tensor('float64', 99, bytes(16)))",
    "a bool that is 7": "say(tensor('bool', 1, bytes([7] + [0] * 15)))",
    "a value without end": "say(frame({'t': 'ok', 'value': ['l'] + [None] * 200_000}))",
    "a false account": "say(frame({'t': 'ok', 'report': {'modules': []}, 'value': ['O', -1, {}]}))",
    "requests without end": "say(frame({'t': 'call', 'target': ['H', 0]}) * 20_000)",
    "half a frame, and silence": "say(frame({'t': 'ok'}, size=64)); __import__('time').sleep(60)",
}  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root: Path = write_course(
        tmp_path_factory.mktemp("toy"), targets="token, work", reference=REFERENCE, suite=SUITE
    )
    with Engine(find_course(root)) as running:
        yield running


def outcomes(engine: Engine, deed: str) -> list[tuple[str, str]]:
    text = STUDENT.replace("{deed}", deed)
    (result,) = engine.grade([submission({"t1_toy.py": text})])
    return [(seen.outcome, seen.observed) for seen in result.observations]


def test_without_a_violation_the_process_stays(engine: Engine) -> None:
    """The positive control: only the check that asks for another process fails."""
    before, during, after = outcomes(engine, "pass")
    assert [before[0], during[0]] == [Outcome.PASSED] * 2
    assert after == (Outcome.FAILED, "the same process")


@pytest.mark.parametrize("name", DEEDS)
def test_a_violation_costs_its_check_and_its_process(engine: Engine, name: str) -> None:
    before, during, after = outcomes(engine, DEEDS[name])
    assert (before[0], after[0]) == (Outcome.PASSED, Outcome.PASSED)
    assert during[0] in (Outcome.STUDENT_ERROR, Outcome.TIMED_OUT, Outcome.FAILED)


def test_a_forged_reply_gains_nothing(engine: Engine) -> None:
    """It is well-formed, so it is taken for the answer. Answers are all that can be sent."""
    forged = "say(frame({'t': 'ok', 'value': 'passed', 'outcome': 'passed', 'points': 10}))"
    before, during, after = outcomes(engine, forged)
    assert before[0] == Outcome.PASSED
    assert during == (Outcome.FAILED, "another number")
    assert after[0] in (Outcome.FAILED, Outcome.STUDENT_ERROR)  # one reply too many is its own


def tried(engine: Engine, deed: str) -> tuple[str, list[str]]:
    """The isolation, and what staff reads of each check that something was refused in.

    Other files are not refused in full isolation: they are not there.
    """
    text = STUDENT.replace("{deed}", deed)
    (result,) = engine.grade([submission({"t1_toy.py": text})])
    return result.tier, [seen.tried for seen in result.observations if seen.tried]


@pytest.mark.parametrize(
    ("deed", "what"),
    [
        ("say(b'x' * 100)", Tried.CONNECTION),
        ("__import__('ctypes').CDLL(None).ptrace(0, 0, 0, 0)", Tried.CALL),
        ("__import__('socket').create_connection(('127.0.0.1', 9), 1)", Tried.NETWORK),
        ("__import__('subprocess').run(['/bin/true'])", Tried.PROCESS),
    ],
    ids=["a reply", "tracing", "network", "a program"],
)
def test_staff_reads_what_was_tried_and_refused(engine: Engine, deed: str, what: Tried) -> None:
    tier, seen = tried(engine, deed)
    if tier == "none" and what is not Tried.CONNECTION:
        pytest.skip("nothing is refused without a jail")
    assert seen == [what]


def test_what_is_no_attempt_is_not_called_one(engine: Engine) -> None:
    assert tried(engine, "pass")[1] == []
    assert tried(engine, "raise ValueError('of its own')")[1] == []
    assert tried(engine, "os._exit(3)")[1] == []
