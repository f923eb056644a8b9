"""`grader batch` on a part of a class, bit by bit, ends in the files of one run."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

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


def words(out: str) -> tuple[str, ...]:
    course = ("--course", str(TOY), "--only", "f1.sobel", "--isolation", "none", "-j", "1")
    return ("batch", "class", "--out", out, *course)


def batch(place: Path, out: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *words(out), *more]
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


def test_a_program_reads_each_result_as_a_line(place: Path) -> None:
    done = batch(place, "out", "--format", "json-lines", "--quiet", "--student", "student-001")

    assert done.returncode == 0, done.stderr
    [line, last] = map(json.loads, done.stdout.splitlines())
    assert (line["id"], line["points"], line["max"]) == ("student-001", "6", "6")
    assert (line["problem"], last["submissions"], last["exit_code"]) == (None, 1, 0)
    assert line["seconds"] > 0
    assert last["not_graded"] == ["student-002", "student-003"]
    assert done.stderr == "1 submission, 1 with all points, 0 without a result\n"


def test_a_terminal_shows_how_far_it_is(place: Path) -> None:
    program = [sys.executable, "-m", "grader", *words("out")]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "PWD": str(place)}
    with Terminal(["/usr/bin/env", "-C", str(place), *program], environ, (20, 60)) as terminal:
        terminal.until(
            "0 of 3", "2 waiting, 0 could not be checked", "slowest at work: student-001"
        )
        terminal.until("3 of 3", "0 waiting, 0 could not be checked", "student-003: 6 points")
        assert terminal.ended() == 1


def test_an_unknown_student_is_refused_with_near_names(place: Path) -> None:
    done = batch(place, "out", "--student", "student-03")

    assert (done.returncode, (place / "out").exists()) == (2, False)
    assert "--student student-03: nobody has this id; near it: student-003" in done.stderr
