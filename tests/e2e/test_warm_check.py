"""`grader check --warm` says what `grader check` says, from a process that stays ready."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.courses import write_course

REFERENCE = """
    def double(x):
        return x * 2

    def triple(x):
        return x * 3
"""
SUITE = """
    class TestOutputs:
        def test_double(self, student, reference, probe, expect):
            '''Numbers are doubled.'''
            expect.matches(student.double, reference.double, probe.randn(3))

        def test_triple(self, student, reference, probe, expect):
            '''Numbers are tripled.'''
            expect.matches(student.triple, reference.triple, probe.randn(3))
"""
WRONG = "def double(x):\n    return x * 2\n\n\ndef triple(x):\n    return x * 4\n"
RIGHT = WRONG.replace("x * 4", "x * 3")
WAIT_S = 20.0


@dataclass(frozen=True)
class Shell:
    """A student's terminal: a course, a file to hand in, and a place for the process that stays."""

    course: Path
    runtime: Path

    @property
    def file(self) -> Path:
        return self.course / "t1_toy.py"

    def words(self, *more: str) -> list[str]:
        course = ["--course", str(self.course)]
        return [sys.executable, "-m", "grader", "check", str(self.file), *course, *more]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "XDG_RUNTIME_DIR": str(self.runtime), "COLUMNS": "100"}

    def said(self, *more: str, cwd: Path | None = None) -> tuple[int, str, str]:
        done = subprocess.run(
            self.words(*more), capture_output=True, text=True, env=self.environment(),
            cwd=cwd or self.course,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def standing_by(self) -> list[int]:
        """Return the processes that stay ready."""
        sockets = self.runtime.glob("grader/*.sock")
        return [int(one.with_suffix(".lock").read_text().split()[-1]) for one in sockets]

    def ended(self) -> bool:
        until = time.monotonic() + WAIT_S
        while self.standing_by() and time.monotonic() < until:
            time.sleep(0.05)
        return not self.standing_by()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    # Short, because the path of a socket may have a hundred letters.
    runtime = Path(f"/tmp/grader-test-{os.getpid()}-{time.monotonic_ns() % 10**6}")
    runtime.mkdir(mode=0o700)
    course = tmp_path / "course"
    write_course(course, targets="double, triple", reference=REFERENCE, suite=SUITE)
    one = Shell(course, runtime)
    one.file.write_text(WRONG)
    yield one
    for pid in one.standing_by():
        os.kill(pid, signal.SIGTERM)
    subprocess.run(["rm", "-r", str(runtime)], check=True)


def has_socket(pid: int) -> bool:
    """Tell whether a process has opened a socket, as a client does when it is about to ask."""
    links = (one.readlink() for one in Path(f"/proc/{pid}/fd").iterdir())
    return any(link.name.startswith("socket:") for link in links)


def untimed(report: str) -> str:
    """Leave out how long each step took."""
    return re.sub(r'": \d+\.\d+(,?)$', r'": 0.0\1', report, flags=re.MULTILINE)


@pytest.mark.parametrize("format_", ["text", "json"])
def test_it_says_the_same_from_one_process(shell: Shell, format_: str) -> None:
    code, output, errors = shell.said("--format", format_)
    assert (code, errors) == (1, "")
    assert "tripled" in output
    first = shell.said("--warm", "--format", format_)
    one = shell.standing_by()
    for said in (first, shell.said("--warm", "--format", format_)):
        assert (said[0], untimed(said[1]), said[2]) == (code, untimed(output), errors)
    assert shell.standing_by() == one != []
    shell.file.write_text(RIGHT)
    assert shell.said("--warm", "--format", format_)[0] == 0


def test_a_course_that_changed_is_read_again(shell: Shell) -> None:
    assert shell.said("--warm")[0] == 1
    reference = shell.course / "reference/t1_toy.py"
    reference.write_text(reference.read_text().replace("x * 3", "x * 4"))
    assert shell.said("--warm")[0] == 0
    (shell.course / "rubric.yaml").write_text("course: [\n")
    assert shell.said("--warm") == shell.said()


def test_reports_go_where_the_client_is(shell: Shell, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shell.said("--warm", "--report", "json=one.json")
    os.umask(umask := os.umask(0o022))
    shell.said("--warm", "--report", "json=one.json", cwd=elsewhere)
    one = elsewhere / "one.json"
    assert untimed(one.read_text()) == untimed((shell.course / "one.json").read_text())
    assert stat.S_IMODE(one.stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_who_leaves_early_ends_it(shell: Shell) -> None:
    shell.said("--warm")
    assert shell.standing_by()
    shell.file.write_text(RIGHT.replace("return x * 3", "while True: pass"))
    client = subprocess.Popen(shell.words("--warm"), env=shell.environment(), cwd=shell.course)
    until = time.monotonic() + WAIT_S
    while not has_socket(client.pid) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1.0)  # until it has said what it wants
    client.kill()
    client.wait()
    assert shell.ended()
    shell.file.write_text(RIGHT)
    assert shell.said("--warm")[0] == 0


def test_one_that_was_killed_is_replaced(shell: Shell) -> None:
    shell.said("--warm")
    (killed,) = shell.standing_by()
    os.kill(killed, signal.SIGKILL)
    assert shell.said("--warm")[0] == 1
    assert shell.standing_by() != [killed]


def test_a_folder_that_others_can_write_is_not_used(shell: Shell) -> None:
    (shell.runtime / "grader").mkdir()
    (shell.runtime / "grader").chmod(0o777)
    code, output, errors = shell.said("--warm")
    assert (code, output) == shell.said()[:2]
    assert errors == "nothing could stay ready: graded as without --warm\n"
    assert not shell.standing_by()
