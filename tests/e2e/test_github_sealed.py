"""The example workflow for a sealed course: its steps as written, and where the key is not."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.release.sealing import sealed_course
from grader.release.wheel import grader_wheel, wheel_name
from grader.sealed.ciphers import new_key
from grader.sealed.key import KEY_FILE_VARIABLE
from tests.support.families import child_pids
from tests.support.memory import started_with
from tests.support.workflow import Runner, read, steps

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = read(ROOT / "docs" / "examples" / "github-sealed.yml")
KEY_OF_AUTHOR = new_key()
KEY = KEY_OF_AUTHOR.grading
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a sealed course needs a jail")


@dataclass
class Watched:
    """What processes were started with: commands and environments, by process."""

    started: dict[int, set[bytes]] = field(default_factory=dict)

    def look(self) -> None:
        for pid in child_pids(os.getpid()):
            self.started.setdefault(pid, set()).add(started_with(pid))

    def holding(self, text: bytes) -> set[int]:
        return {pid for pid, seen in self.started.items() if any(text in one for one in seen)}


@contextmanager
def watched() -> Iterator[Watched]:
    """Look at all processes below this one, again and again."""
    result, over = Watched(), threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            result.look()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield result
    finally:
        over.set()
        thread.join()


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner on which nothing is checked out yet; what it installs is what is here."""
    workspace, temp, programs = (tmp_path / name for name in ("workspace", "temp", "bin"))
    for folder in (workspace, temp, programs):
        folder.mkdir()
    make = f'cd "{ROOT}" && exec "{sys.executable}" -m tests.support.clean_python "$OLDPWD/$3"'
    (programs / "python3").write_text(f"#!/bin/bash\n{make}\n", encoding="utf-8")
    (programs / "python3").chmod(0o755)
    path = f"{programs}:/usr/local/bin:/usr/bin:/bin"
    environment = {"PATH": path, "PIP_NO_INDEX": "1", "PYTHONPATH": "", "LANGUAGE": "en"}
    values = {
        "vars.ONLY": "a1.sdpa",
        "secrets.GRADER_COURSE_KEY": KEY.text,
        "runner.temp": str(temp),
    }
    return Runner(workspace, values, environment)


def check_out(workspace: Path) -> None:
    """Put the staff's repository and a student's where the workflow has them."""
    course = sealed_course(find_course(ROOT), KEY_OF_AUTHOR, date(2099, 12, 31), date(2026, 11, 1))
    (workspace / "staff" / "wheel").mkdir(parents=True)
    (workspace / "staff" / "course.sealed").write_bytes(course)
    (workspace / "staff" / "wheel" / wheel_name()).write_bytes(grader_wheel())
    shutil.copytree(ROOT / "tests" / "corpus" / "mask_inverted", workspace / "submission")


def test_a_repository_is_graded_and_the_key_is_nowhere(runner: Runner) -> None:
    check_out(runner.workspace)
    with watched() as processes:
        assert runner.run(WORKFLOW) == 1

    names = [done.name for done in runner.done]
    assert names == ["Install the grader", "Put the key into a file", "Grade", "Take the key away"]
    graded = runner.done[2]
    assert "mask" in graded.log and "isolation  full" in graded.log, graded.log
    assert re.search(r"^points=[1-9][\d.]*$", graded.files["GITHUB_OUTPUT"], re.MULTILINE)
    assert (runner.workspace / "grader-report" / "junit.xml").is_file()

    secret, step = KEY.text[30:90].encode(), b"/runner/1/step.sh"
    assert processes.holding(KEY_FILE_VARIABLE.encode())
    assert len(processes.started) >= 8
    assert processes.holding(secret) <= processes.holding(step)
    files = [path for path in runner.workspace.parent.rglob("*") if path.is_file()]
    assert len(files) > 100
    assert [path for path in files if secret in path.read_bytes()] == []
    assert not any(secret in done.log.encode() for done in runner.done)


def test_the_key_would_be_seen(runner: Runner) -> None:
    """The positive control: the same searches, where the key is in a file and an environment."""
    step = next(step for step in steps(WORKFLOW) if step["name"] == "Put the key into a file")
    slow = {**step, "run": f"{step['run']}\nsleep 1"}
    with watched() as processes:
        assert runner.run({"jobs": {"one": {"steps": [slow]}}}) == 0

    secret = KEY.text[30:90].encode()
    assert processes.holding(secret)
    (file,) = (path for path in runner.workspace.parent.rglob("*.key"))
    assert secret in file.read_bytes() and file.stat().st_mode & 0o077 == 0


def test_student_code_gets_no_rights_and_no_script_is_made_of_expressions() -> None:
    checkouts = [step for step in steps(WORKFLOW) if "actions/checkout" in step.get("uses", "")]
    scripts = [step["run"] for step in steps(WORKFLOW) if "run" in step]

    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert len(checkouts) == 2
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert len(scripts) == 4
    assert not any("${{" in script for script in scripts)
