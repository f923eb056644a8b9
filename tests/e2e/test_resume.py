"""`grader batch` after `kill -9`: the same command goes on and ends in the same files."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from grader.store.store import STORE_FILE, open_store

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
STUDENTS = 8
KILLS = int(os.environ.get("GRADER_KILLS", "4"))
LIMIT_S = 120.0


def command(folder: Path, out: Path) -> list[str]:
    words = ("batch", str(folder), "--out", str(out), "--course", str(TOY))
    return [sys.executable, "-m", "grader", *words, "--isolation", "none", "-j", "1"]


def ran(folder: Path, out: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command(folder, out), capture_output=True, text=True, env=environ)


def results(out: Path) -> int:
    """The number of results that are kept."""
    if not (out / STORE_FILE).is_file():
        return 0
    with open_store(out / STORE_FILE) as store:
        return sum(1 for _one in store.history())


def end_after(folder: Path, out: Path, count: int, delay_s: float) -> bool:
    """Start the batch, and kill it when that many results are kept; False if it ended before."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command(folder, out), env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        until = time.monotonic() + LIMIT_S
        while results(out) < count and process.poll() is None:
            assert time.monotonic() < until
            time.sleep(0.005)
        time.sleep(delay_s)
        was_running = process.poll() is None
        process.send_signal(signal.SIGKILL)
    return was_running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class with right, wrong, hostile and unreadable work."""
    made = tmp_path_factory.mktemp("class")
    right, stub = TOY / "reference" / "f1_filters.py", TOY / "assignments" / "f1_filters.py"
    for number in range(STUDENTS - 2):
        student = made / f"student-{number:03}"
        student.mkdir()
        shutil.copy(right if number % 2 else stub, student / "f1_filters.py")
    (made / f"student-{STUDENTS - 2:03}.py").write_text("import os\nos._exit(0)\n")
    (made / f"student-{STUDENTS - 1:03}.pdf").write_bytes(b"%PDF")
    return made


def test_an_interrupt_says_how_to_go_on(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command(folder, out), env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        until = time.monotonic() + LIMIT_S
        while results(out) < 1:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=LIMIT_S)[1]

    assert process.returncode == 130
    assert said.endswith(
        f"\ninterrupted: what is graded is kept in {out}; the same command goes on with the rest\n"
    )
    assert "Traceback" not in said
    assert 1 <= results(out) < STUDENTS - 1


def test_the_same_command_goes_on_after_a_kill(folder: Path, tmp_path: Path) -> None:
    undisturbed, out = tmp_path / "undisturbed", tmp_path / "out"
    first = ran(folder, undisturbed)
    assert first.returncode == 3, first.stderr
    draw = random.Random(7)

    killed = 0
    for _ in range(KILLS):
        count = min(results(out) + draw.randrange(3), STUDENTS - 2)
        killed += end_after(folder, out, count, draw.uniform(0, 0.2))
    last = ran(folder, out)

    assert killed >= 1
    assert last.returncode == first.returncode
    for name in ("gradebook.csv",):
        assert (out / name).read_bytes() == (undisturbed / name).read_bytes()
    assert {p.name for p in (out / "records").iterdir()} == {
        p.name for p in (undisturbed / "records").iterdir()
    }
    with open_store(out / STORE_FILE) as store:
        graded = Counter(one.student for one in store.history())
    assert graded == {f"student-{number:03}": 1 for number in range(STUDENTS - 1)}
    assert "were graded before" in last.stdout
