"""`grader dry-run` on a class of real code names the check that decides alone, or is too hard."""

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
STUDENTS = 6
MISTAKE = ("windows.mean(dim=(3, 4))", "windows.sum(dim=(3, 4)) / 9")
"""Right for windows of nine, and wrong for those of 25."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Five who made one mistake, and one who made none."""
    right = (TOY / "reference" / "f1_filters.py").read_text("utf-8")
    assert right.count(MISTAKE[0]) == 1
    for number in range(1, STUDENTS + 1):
        student = tmp_path / "last-year" / f"student-{number:03}"
        student.mkdir(parents=True)
        text = right if number == STUDENTS else right.replace(*MISTAKE)
        (student / "f1_filters.py").write_text(text, encoding="utf-8")
    return tmp_path


def grader(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    given = (*words, "--course", str(TOY), "--only", "f1.blur", "--isolation", "none")
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "grader", *given]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, env=environ)


def test_checks_are_tried_on_last_years_class(place: Path) -> None:
    done = grader(place, "dry-run", "last-year", "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)

    assert (result["submissions"], result["graded"], result["unread"]) == (6, 6, [])
    assert result["nearly_all_fail"] == []
    assert [(one["check"], one["alone"], one["of"], one["checks"]) for one in result["sole"]] == [
        ("f1.blur/outputs/test_values[5]", 5, 5, 2)
    ]
    assert len(result["nobody_fails"]) == result["checks"] - 1
    assert (result["wrong"], len(result["unnamed"])) == (5, 5)
    assert result["slowest"][0]["total_ms"] > 0

    shutil.rmtree(place / "last-year" / "student-006")
    text = grader(place, "dry-run", "last-year")
    assert text.returncode == 0, text.stderr
    hard = text.stdout.partition("Checks that nobody fails")[0]
    assert "Checks that 90 % or more fail: 1\n  f1.blur/outputs/test_values[5]  5 of 5: " in hard
