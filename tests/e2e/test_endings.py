"""A student whose process was ended or refused something is told what it was, in plain words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome
from tests.support.courses import submission, write_course

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a jail"),
    pytest.mark.skipif(
        os.environ.get("GRADER_NO_JAIL") == "1", reason="this machine was said to have none"
    ),
]

SUITE = """
    class TestOutputs:
        def test_step(self, student, expect):
            '''The step is returned.'''
            expect.true(student.work(1) == 1, observed="another step", expected="the step")
"""
LIBC = "__import__('ctypes').CDLL(None)"
FORBIDDEN = (
    "the system ended the process: it made a call that no submission may make (such as tracing or "
    "reading other processes, mounting, namespaces, killing itself)"
)
CRASHED = (
    "the process crashed outside of Python (ctypes, recursion that is too deep, or a library that "
    "gave up)"
)
CLOSED = "the code closed the grader's own connection"
ENDINGS = {
    "ptrace": (f"{LIBC}.ptrace(0, 0, None, None)", FORBIDDEN),
    "mount": (f"{LIBC}.mount(b'none', b'/box', b'tmpfs', 0, None)", FORBIDDEN),
    "unshare": (f"{LIBC}.unshare(0x10000000)", FORBIDDEN),
    "kill -9": ("os.kill(os.getpid(), 9)", FORBIDDEN),
    "exit": ("os._exit(0)", "the process ended by itself, with exit code 0 (os._exit)"),
    "exit 3": ("os._exit(3)", "the process ended by itself, with exit code 3 (os._exit)"),
    "crash": (f"{LIBC}.memset(0, 1, 1)", CRASHED),
    "abort": ("os.abort()", CRASHED),
    "close": ("os.close(3); import time; time.sleep(9)", CLOSED),
}  # fmt: skip
NETWORK = "there is no network while a submission is graded"
PROCESS = "no program or process can be started while a submission is graded"
FILES = "other files than the submission's own cannot be used while it is graded"
ANYTHING = "not allowed while a submission is graded (network, processes, other files)"
REFUSALS = {
    "socket": ("import socket; socket.socket()", "PermissionError", NETWORK),
    "download": ("import urllib.request as u; u.urlopen('http://127.0.0.1/')", "URLError", NETWORK),
    "subprocess": ("import subprocess; subprocess.run(['/bin/true'])", "PermissionError", PROCESS),
    "multiprocessing": (
        "import multiprocessing as m; m.get_context('fork').Process(target=print).start()",
        "PermissionError", PROCESS,
    ),
    "fork": ("os.fork()", "PermissionError", ANYTHING),
    "exec": ("os.execv('/bin/true', ['true'])", "PermissionError", ANYTHING),
    "file": ("open(os.__file__, 'a')", "PermissionError", FILES),
}  # fmt: skip


@pytest.fixture(scope="module", params=["full", "partial"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    reference = "def work(step):\n    return step\n"
    root = write_course(
        tmp_path_factory.mktemp("toy"), targets="work", reference=reference, suite=SUITE
    )
    with Engine(find_course(root), Options(isolation=request.param)) as running:
        yield running


def observed(engine: Engine, deed: str) -> tuple[Outcome, str]:
    text = f"import os\n\ndef work(step):\n    {deed}\n    return step\n"
    (result,) = engine.grade([submission({"t1_toy.py": text})])
    (seen,) = result.observations
    return seen.outcome, seen.observed


def test_without_a_deed_the_check_passes(engine: Engine) -> None:
    """The positive control."""
    assert observed(engine, "pass") == (Outcome.PASSED, "")


@pytest.mark.parametrize("name", ENDINGS)
def test_how_a_process_ended_is_told(engine: Engine, name: str) -> None:
    deed, words = ENDINGS[name]
    assert observed(engine, deed) == (Outcome.STUDENT_ERROR, words)


@pytest.mark.parametrize("name", REFUSALS)
def test_what_was_refused_is_told(engine: Engine, name: str) -> None:
    deed, kind, words = REFUSALS[name]
    outcome, said = observed(engine, deed)
    assert outcome is Outcome.STUDENT_ERROR
    assert said.startswith(f"raised {kind} at t1_toy.py:4 ({words}): ")


def test_an_error_of_their_own_is_no_refusal(engine: Engine) -> None:
    _, said = observed(engine, "raise ValueError('no')")
    assert said == "raised ValueError at t1_toy.py:4: no"
