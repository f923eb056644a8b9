"""The recorder of a kit ends with the command that began it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
ENDLESS = """

from pathlib import Path
import os, time
Path(os.environ["TOLD"]).write_text(str(os.getpid()))
time.sleep(600)
"""
RELEASE = "from grader.cli.cli import main; main(['release', '--out', 'kit', '--no-wheel'])"
LONG_S = 60.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="macOS has no such signal")


def wait_for(happened: Callable[[], object], what: str) -> None:
    until = time.monotonic() + LONG_S
    while not happened():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_nobody_records_for_a_release_that_was_killed(tmp_path: Path) -> None:
    course, told = tmp_path / "course", tmp_path / "told"
    shutil.copytree(TOY, course, ignore=shutil.ignore_patterns("__pycache__"))
    with (course / "reference" / "f1_filters.py").open("a", encoding="utf-8") as reference:
        reference.write(ENDLESS)
    release = subprocess.Popen(
        [sys.executable, "-c", RELEASE], cwd=course, stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TOLD": str(told)},
    )  # fmt: skip
    wait_for(lambda: told.is_file() and told.read_text(), "the recorder began")
    recorder = int(told.read_text())
    assert is_running(recorder)

    release.kill()
    release.wait()

    wait_for(lambda: not is_running(recorder), "the recorder ended")
