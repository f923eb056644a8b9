"""`grader batch` on a part of a class, bit by bit, ends in the files of one run."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A class of three, the second of whom has written nothing."""
    for number in range(1, 4):
        student = tmp_path / "class" / f"student-{number:03}"
        student.mkdir(parents=True)
        source = "assignments" if number == 2 else "reference"
        shutil.copy(TOY / source / "f1_filters.py", student)
    return tmp_path


def batch(place: Path, out: str, *words: str) -> subprocess.CompletedProcess[str]:
    given = ("batch", "class", "--out", out, "--course", str(TOY), "--only", "f1.sobel", *words)
    command = [sys.executable, "-m", "grader", *given, "--isolation", "none", "-j", "1"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=place, capture_output=True, text=True, env=environ)


def totals(place: Path) -> list[str]:
    with (place / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        return [row["total"] for row in csv.DictReader(file)]


def test_a_class_is_graded_bit_by_bit(place: Path) -> None:
    one = batch(place, "out", "--student", "student-003")
    assert (one.returncode, totals(place)) == (0, ["", "", "6"]), one.stderr
    assert "2 not graded in this run; the same command without --student goes on" in one.stdout

    two = batch(place, "out", "--limit", "1")
    assert (two.returncode, totals(place)) == (0, ["6", "", "6"]), two.stderr
    assert "1 not graded in this run" in two.stdout
    assert "student-002" in two.stdout

    rest, undisturbed = batch(place, "out"), batch(place, "undisturbed")
    assert (rest.returncode, undisturbed.returncode) == (1, 1)
    assert totals(place) == ["6", "0", "6"]
    books = [(place / name / "gradebook.csv").read_bytes() for name in ("out", "undisturbed")]
    assert books[0] == books[1]


def test_an_unknown_student_is_refused_with_near_names(place: Path) -> None:
    done = batch(place, "out", "--student", "student-03")

    assert (done.returncode, (place / "out").exists()) == (2, False)
    assert "--student student-03: nobody has this id; near it: student-003" in done.stderr
