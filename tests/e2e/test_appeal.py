"""Claims on checks are decided with real code: one suite was wrong, one student is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
SUITE = "tests/suites/f1_filters/test_blur.py"
CORNER = ("[[4.0, 2.0], [2.0, 1.0]]", "[[4.0, 2.0], [2.0, 2.0]]")
MEAN = ("windows.mean(dim=(3, 4))", "windows.sum(dim=(3, 4)) / 9")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A class that was graded while a suite was wrong; the suite is right again."""
    shutil.copytree(TOY, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    right = (TOY / "reference" / "f1_filters.py").read_text("utf-8")
    suite = (TOY / SUITE).read_text("utf-8")
    assert (right.count(MEAN[0]), suite.count(CORNER[0])) == (1, 1)
    for number, text in enumerate((right, right.replace(*MEAN)), start=1):
        student = tmp_path / "class" / f"student-{number:03}"
        student.mkdir(parents=True)
        (student / "f1_filters.py").write_text(text, encoding="utf-8")
    (tmp_path / "course" / SUITE).write_text(suite.replace(*CORNER), encoding="utf-8")
    done = grader(tmp_path, "batch", "class", "--out", "results", "-j", "1")
    assert done.returncode == 3, done.stderr
    (tmp_path / "course" / SUITE).write_text(suite, encoding="utf-8")
    return tmp_path


def grader(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *words, "--course", "course"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    isolated = [*command, "--isolation", "none"]
    return subprocess.run(isolated, cwd=place, env=environ, capture_output=True, text=True)


def appeal(place: Path, student: str, check: str, times: int) -> str:
    lines = f"student: {student}\ncheck: {check}\nclaim: It is right.\n"
    (place / "claim.yaml").write_text(lines, encoding="utf-8")
    done = grader(place, "appeal", "claim.yaml", "--times", str(times))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_who_is_right_is_told_so_and_who_is_wrong_is_told_why(place: Path) -> None:
    before = (place / "results" / "gradebook.csv").read_bytes()

    right = appeal(place, "student-001", "f1.blur/borders", 2)
    wrong = appeal(place, "student-002", "f1.blur/outputs", 1)

    assert "student-001  f1.blur/borders: stands" in right
    assert "test_a_bright_corner: was could not check; again: 2 x passed" in right
    assert "student-002  f1.blur/outputs: falls" in wrong
    reply = wrong.split("reply, to be read by you first:")[1].split("next: ")[0]
    assert "The values are right." in reply
    assert "test_values" not in reply
    assert (place / "results" / "gradebook.csv").read_bytes() == before
