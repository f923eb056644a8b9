"""Text made to be slow or fatal to read costs its author, in bounded time, and nobody else."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine
from grader.engine.job import job_for
from grader.grade.evidence import Outcome
from grader.submission.submission import Submission, digest_of
from tests.support.courses import write_course

pytestmark = pytest.mark.usefixtures("warm_nursery")

STEM = "t1_toy"
RIGHT = b"def work(step):\n    return step\n"
SUITE = """
    class TestOutputs:
        def test_step(self, student, expect):
            '''The step is returned.'''
            expect.true(student.work(1) == 1, observed="another step", expected="the step")
"""
LIMIT_S = 25.0
"""The loader's 10 s, twice where the process ended, and what a loaded machine adds."""
TRUSTED_S = 12.0
"""One second or three on an idle machine; without a bound, a minute and more."""
THEIRS = {Outcome.STUDENT_ERROR, Outcome.NOT_ATTEMPTED, Outcome.TIMED_OUT, Outcome.FAILED}


def notebook(source: object, **more: object) -> bytes:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source, **more}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}).encode()


FATAL = {
    "a million parentheses": b"x = " + b"(" * 1_000_000 + b")" * 1_000_000,
    "a million brackets": b"x = " + b"[" * 1_000_000,
    "a million minus signs": b"x = " + b"-" * 1_000_000 + b"1",
    "a megabyte of one expression": b"x = 1" + b" + 1" * 250_000,
    "attributes without end": b"x = a" + b".a" * 500_000,
    "calls without end": b"x = f" + b"()" * 500_000,
    "blocks without end": b"".join(b" " * n + b"if 1:\n" for n in range(1500)),
    "a number of a million digits": b"x = " + b"9" * 1_000_000,
    "null bytes": b"x = 1\n\0\0\0\ny = 2\n",
    "only null bytes": bytes(1_000_000),
    "a false encoding": b"# -*- coding: rot13 -*-\nqrs jbex(k): erghea k\n",
    "an unknown encoding": b"# -*- coding: no-such-thing -*-\nx = 1\n",
    "an encoding that is none": b"# -*- coding: \xff\xfe -*-\nx = 1\n",
    "not UTF-8": b"x = '\xff\xfe\xfd'\n",
    "one line of 8 MB": b"x = '" + b"a" * (8 << 20) + b"'\n",
    "a million lines": b"x = 1\n" * 1_000_000,
    "formatted strings in each other": b"x = " + b"f'{" * 500 + b"1" + b"}'" * 500,
    "a pattern of a match that explodes": (
        b"match 1:\n  case " + b"(" * 5000 + b"1" + b")" * 5000 + b": pass"
    ),
}  # fmt: skip
FATAL_NOTEBOOKS = {
    "a million parentheses": notebook("(" * 900_000),
    "a million nested lists": b'{"cells":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}",
    "a nested source": notebook(0).replace(b": 0", b": " + b"[" * 500_000 + b"]" * 500_000),
    "nested metadata": b'{"metadata":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b',"cells":[]}',
    "a number of a million digits": notebook(0).replace(b": 0", b": " + b"9" * 1_000_000),
    "a lone surrogate": notebook("x = '\ud800'\n\ud800 = 1"),
    "a null in a cell": notebook("x = 1\0"),
    "members without end": b"{" + b'"a":1,' * 4_000_000 + b'"cells":[]}',
    "cells without end": b'{"cells":[' + b"{}," * 8_000_000 + b"{}]}",
    "lists of cells without end": b"{" + (b'"cells":[' + b"{}," * 9_000 + b"{}],") * 900,
    "50 MB of outputs and no end": notebook("x = 1", outputs=["A" * (50 << 20)])[:-9],
    "50 MB of brackets": b'{"cells":[],"x":' + b"[" * (50 << 20),
    "50 MB of nothing": bytes(50 << 20),
    "50 MB of white space": b" " * (50 << 20),
    "50 MB of backslashes": b'{"x":"' + b"\\" * (50 << 20) + b'","cells":[]}',
}  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = write_course(
        tmp_path_factory.mktemp("toy"), targets="work", reference=RIGHT.decode(), suite=SUITE
    )
    with Engine(find_course(Path(root))) as running:
        yield running


def graded(engine: Engine, name: str, data: bytes) -> tuple[Outcome, str, float]:
    files = {name: data}
    started = time.monotonic()
    (result,) = engine.grade([Submission("student-001", files, digest_of(files), "student-001")])
    (seen,) = result.observations
    return seen.outcome, seen.observed, time.monotonic() - started


def test_an_honest_file_and_a_large_honest_notebook_pass(engine: Engine) -> None:
    """The positive control, and the largest notebook that anybody hands in."""
    assert graded(engine, f"{STEM}.py", RIGHT)[0] is Outcome.PASSED
    large = notebook(RIGHT.decode(), outputs=["A" * (50 << 20)])
    assert graded(engine, f"{STEM}.ipynb", large)[0] is Outcome.PASSED


@pytest.mark.parametrize("name", FATAL)
def test_a_fatal_file_is_its_authors_loss_in_bounded_time(engine: Engine, name: str) -> None:
    outcome, _, took_s = graded(engine, f"{STEM}.py", FATAL[name])
    assert outcome in THEIRS
    assert took_s < LIMIT_S
    assert graded(engine, f"{STEM}.py", RIGHT)[0] is Outcome.PASSED


@pytest.mark.parametrize("name", FATAL_NOTEBOOKS)
def test_a_fatal_notebook_is_its_authors_loss_in_bounded_time(engine: Engine, name: str) -> None:
    outcome, _, took_s = graded(engine, f"{STEM}.ipynb", FATAL_NOTEBOOKS[name])
    assert outcome in THEIRS
    assert took_s < LIMIT_S
    assert graded(engine, f"{STEM}.py", RIGHT)[0] is Outcome.PASSED


@pytest.mark.parametrize("name", FATAL_NOTEBOOKS)
def test_the_trusted_side_spends_seconds_on_a_fatal_notebook(name: str) -> None:
    """What `test_a_fatal_notebook` can't tell apart from the worker's share."""
    files = {f"{STEM}.ipynb": FATAL_NOTEBOOKS[name]}
    submission = Submission("student-001", files, digest_of(files), "student-001")
    started = time.process_time()
    job_for(submission, [STEM])
    assert time.process_time() - started < TRUSTED_S


@pytest.mark.parametrize(
    "one", ["[" * (8 << 20), "{" + '"a":1,' * 320_000], ids=["brackets", "members"]
)
def test_many_fatal_notebooks_cost_no_more_than_one(one: str) -> None:
    """As many as a submission may hold."""
    data = one.encode()
    files = {f"n{number}.ipynb": data for number in range(min(200, (128 << 20) // len(data)))}
    submission = Submission("student-001", files, digest_of(files), "student-001")
    started = time.process_time()
    job = job_for(submission, [STEM])
    assert time.process_time() - started < TRUSTED_S
    assert all(b"unreadable" in source for source in job.files.values())
