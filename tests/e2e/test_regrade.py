"""A class is regraded by a changed course, with real code, and ends where grading anew ends."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
HIDDEN = "tests/suites/f1_filters/test_blur.py"
BROKEN = ("windows.mean(dim=(3, 4))", "windows.sum(dim=(3, 4)) / 9")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A course of its own, and a class with right, wrong and no work, graded into `out`."""
    shutil.copytree(TOY, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    right = (TOY / "reference" / "f1_filters.py").read_text("utf-8")
    stub = (TOY / "assignments" / "f1_filters.py").read_text("utf-8")
    assert right.count(BROKEN[0]) == 1
    for number, text in enumerate((right, right.replace(*BROKEN), stub), start=1):
        student = tmp_path / "class" / f"student-{number:03}"
        student.mkdir(parents=True)
        (student / "f1_filters.py").write_text(text, encoding="utf-8")
    assert grader(tmp_path, "batch", "class", "--out", "out", "-j", "1").returncode == 1
    return tmp_path


def grader(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *words, "--course", "course"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    isolated = [*command, "--isolation", "none"]
    return subprocess.run(isolated, cwd=place, env=environ, capture_output=True, text=True)


def regraded(place: Path, *words: str) -> dict[str, tuple[str, str]]:
    done = grader(place, "regrade", "out", "--format", "json", *words)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {one["ran"] for one in told["students"]} == {bool(place.joinpath("ran").exists())}
    return {one["student"]: (one["before"], one["after"]) for one in told["changes"]}


def change(place: Path, path: str, old: str, new: str) -> None:
    file = place / "course" / path
    text = file.read_text("utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def gradebook(place: Path, out: str) -> bytes:
    return (place / out / "gradebook.csv").read_bytes()


def test_it_ends_where_grading_anew_ends(place: Path) -> None:
    before = gradebook(place, "out")
    # Other points, and nothing runs.
    change(
        place,
        "rubric.yaml",
        "borders:   {points: 2, visibility: hidden}",
        "borders:   {points: 4, visibility: hidden, requires: [outputs]}",
    )
    assert regraded(place) == {"student-001": ("14", "16"), "student-002": ("12.5", "14.5")}
    assert gradebook(place, "out") == before

    # A check that asks for more: code runs, for the show, and for `--commit` no more.
    change(place, HIDDEN, "torch.zeros(B, R, C, dtype", "torch.ones(B, R, C, dtype")
    change(place, HIDDEN, "wanted = torch.zeros_like", "wanted = torch.ones_like")
    change(place, HIDDEN, "[[4.0, 2.0], [2.0, 1.0]]", "[[41 / 9, 25 / 9], [25 / 9, 17 / 9]]")
    (place / "ran").touch()
    regraded(place)
    (place / "ran").unlink()
    regraded(place, "--commit")
    assert regraded(place) == {}

    assert grader(place, "batch", "class", "--out", "anew", "-j", "1").returncode == 1
    assert gradebook(place, "out") == gradebook(place, "anew")
    assert gradebook(place, "out") != before
