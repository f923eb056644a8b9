"""`grader lens`: students share a mistake that nobody has named, and it shows their edit."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.class_report.data.reading import read_class
from grader.course.course import find_course

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
ONE = "return windows.mean(dim=(3, 4))"
SLOPE = "[-1, 0, 1]"
STUDENTS = {
    # one edit that the bank of this course has lost, in three styles
    "student-001": ((ONE, "return windows.sum(dim=(3, 4))"),),
    "student-002": ((ONE, "return windows.sum(-1).sum(-1)"),),
    "student-003": ((ONE, 'return torch.einsum("brcij->brc", windows)'),),
    # two known mistakes at once
    "student-004": (("[1, 2, 1]", "[1, 1, 1]"), (SLOPE, "[1, 0, -1]")),
    "student-005": (("[1, 2, 1]", "[1, 1, 1]"), (SLOPE, "[1, 0, -1]"), ("smooth", "soft")),
    # what no edit of the grammar computes, and a line of their own does
    "student-006": (("return right, down", "return right * 1.25 + 3, down"),),
    "student-007": (("return right, down", "return right / 0.8 + 3, down"), ("smooth", "soft")),
    "student-008": (),
}


def grader(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *words, "--course", "course"]
    if words[0] != "report":
        command += ["--isolation", "none"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environ, check=False
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose bank has lost a mistake, and a graded class."""
    folder = tmp_path_factory.mktemp("lens")
    shutil.copytree(TOY, folder / "course", ignore=shutil.ignore_patterns("__pycache__"))
    bank = folder / "course/reference/exercises/f1.blur/mistakes.diff"
    text = re.sub(r"id: blur\.sum\n.*?\n\n", "", bank.read_text(encoding="utf-8"), flags=re.S)
    assert "blur.sum" not in text
    bank.write_text(text, encoding="utf-8")
    reference = (TOY / "reference/f1_filters.py").read_text(encoding="utf-8")
    for student, edits in STUDENTS.items():
        source = reference
        for old, new in edits:
            assert old in source
            source = source.replace(old, new)
        (folder / "class" / student).mkdir(parents=True)
        (folder / "class" / student / "f1_filters.py").write_text(source, encoding="utf-8")
    done = grader(folder, "batch", "class", "--out", "results", "--only", "f1", "-j", "2")
    assert done.returncode == 1, done.stderr
    return folder


@pytest.fixture(scope="module")
def written(place: Path) -> subprocess.CompletedProcess[str]:
    return grader(place, "lens", "results", "--write", "-j", "2")


def test_each_group_is_told_the_edit_that_computes_the_same(
    place: Path, written: subprocess.CompletedProcess[str]
) -> None:
    assert written.returncode == 0, written.stderr
    report = json.loads((place / "results/lens.json").read_text(encoding="utf-8"))
    groups = {tuple(one["students"]): one for one in report["groups"]}

    assert groups.keys() == {
        ("student-001", "student-002", "student-003"),
        ("student-004", "student-005"),
        ("student-006", "student-007"),
    }
    (edit, *_others) = groups["student-001", "student-002", "student-003"]["edits"]
    assert edit.endswith("another function: windows.mean -> windows.sum")
    assert groups["student-004", "student-005"]["edits"][0] == (
        "f1_filters.sobel: sobel.dark_side and sobel.prewitt"
    )
    assert groups["student-006", "student-007"]["edits"] == [
        "f1_filters.sobel: line 58: own text: return right, down -> return (right * 1.25 + 3, down)"
    ]
    assert "3 of 3 groups explained" in written.stdout


def test_a_text_that_has_changed_since_is_not_read(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "results", tmp_path / "results")
    shutil.copytree(place / "class", tmp_path / "class")
    shutil.copytree(TOY, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    for student in ("student-006", "student-007"):
        with (tmp_path / "class" / student / "f1_filters.py").open("a") as file:
            file.write("# later\n")

    words = ("--only", "f1.sobel", "--from", "class", "--pairs", "0", "-j", "2")
    done = grader(tmp_path, "lens", "results", *words)

    report = json.loads((tmp_path / "results/lens.json").read_text(encoding="utf-8"))
    (alone,) = (one for one in report["groups"] if "student-006" in one["students"])
    assert (done.returncode, alone["edits"]) == (1, [])
    assert alone["tried"] > 90
    assert f"none of {alone['tried']} edits computes the same" in done.stdout


def test_the_class_report_shows_it(place: Path, written: subprocess.CompletedProcess[str]) -> None:
    page = grader(place, "report", "results")
    assert page.returncode == 0, page.stderr
    assert "windows.mean -&gt; windows.sum" in (place / "results/class.html").read_text("utf-8")
    data = read_class(place / "results", find_course(place / "course").rubric)
    assert len(data.explained) == 3


def test_the_entry_is_proven_and_names_the_mistake_from_then_on(
    place: Path, written: subprocess.CompletedProcess[str]
) -> None:
    assert "blur.another_function is added" in written.stdout
    bank = place / "course/reference/exercises/f1.blur/mistakes.diff"
    text = bank.read_text(encoding="utf-8")
    assert "-return windows.mean(dim=(3, 4))\n+return windows.sum(dim=(3, 4))\n" in text

    open_words = grader(place, "validate", "--only", "f1.blur", "-j", "2")
    assert "TODO: say what is wrong, to a student" in open_words.stdout

    cause = "The pixels are added up and not divided by their number."
    bank.write_text(re.sub(r"TODO\(f1\.blur\): .*", cause, text), encoding="utf-8")
    proven = grader(place, "validate", "--only", "f1.blur", "--write", "-j", "2")
    assert proven.stdout.splitlines()[-1] == "no gaps"
    again = grader(place, "check", "class/student-002", "--only", "f1.blur")
    assert cause in again.stdout


def test_a_class_without_such_groups_is_explained(place: Path, tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    shutil.copytree(place / "class/student-008", tmp_path / "class/student-008")
    shutil.copytree(TOY, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    words = ("batch", "class", "--out", "results", "--only", "f1", "-j", "1")
    assert grader(tmp_path, *words).returncode == 0

    done = grader(tmp_path, "lens", "results")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no two students have the same wrong numbers" in done.stdout
