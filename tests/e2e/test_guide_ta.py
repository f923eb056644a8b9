"""The semester in the guide for teaching assistants is run as it stands, on a small course."""

from __future__ import annotations

import csv
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.guide import ROOT, RUBRIC, blocks

TOY = ROOT / "tests" / "toy_course"
GUIDE = (ROOT / "docs" / "guide-ta.md").read_text(encoding="utf-8")
SEMESTER = next(block.text for block in blocks(GUIDE) if "grader collect" in block.text)
STUDENTS = ("student-001", "student-002", "student-005")
"""Of two shards, the last one is in the first, and the others in the second."""
HERE = {"https://HOST/COURSE/a1-{login}.git": "repositories/{login}", "a1.sdpa": "f1.sobel"}
"""What has another name in the course of the tests, and on a machine without a forge."""
GRADE = ("dry-run", "batch", "regrade", "appeal")
EXIT = {"grader batch submissions/ --out results/": 1, "--shard 2/2": 1}
"""The exit codes that are not 0: somebody's points are missing."""
RUBRIC_OF_SEMESTER = f"""\
{RUBRIC}late: {{deadline: 2026-11-20T23:59:00+09:00, per_day: 10%}}
totals:
  caps: [{{at_most: 5}}]
"""
ANSWERS = "# f1.why\n\nOne for each direction.\n"
APPEAL = "student: student-002\ncheck: f1.sobel/outputs\nclaim: Both are there.\n"
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Attention (77)\n"
    "    Points Possible,,,,,8\n"
    "One,101,student-001,student-001,S,\n"
    "Two,102,student-002,student-002,S,\n"
    "Three,103,student-005,student-005,S,\n"
)
SWAPPED = ("return right, down", "return down, right")
ON_TIME = "2026-11-19T12:00:00+09:00"


def git(folder: Path, *words: str) -> None:
    who = {
        f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": ON_TIME, "GIT_COMMITTER_DATE": ON_TIME}
    environ = {**os.environ, **who, **dates, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", str(folder), *words], env=environ, check=True, capture_output=True)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course, last year's class, and repositories of three, one of whom swaps two results."""
    root = tmp_path_factory.mktemp("semester") / "course"
    shutil.copytree(TOY, root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "rubric.yaml").write_text(RUBRIC_OF_SEMESTER, encoding="utf-8")
    right = (TOY / "reference" / "f1_filters.py").read_text("utf-8")
    assert right.count(SWAPPED[0]) == 1
    texts = dict(zip(STUDENTS, (right, right.replace(*SWAPPED), right), strict=True))
    for student, text in texts.items():
        for place in (f"last-year/{student}", f"repositories/{student}"):
            (root / place).mkdir(parents=True)
            (root / place / "f1_filters.py").write_text(text, encoding="utf-8")
        repository = root / "repositories" / student
        (repository / "answers.md").write_text(ANSWERS, encoding="utf-8")
        for words in (("init", "--quiet"), ("add", "-A"), ("commit", "--quiet", "-m", "work")):
            git(repository, *words)
    (root / "roster.csv").write_text("\n".join(("login", *STUDENTS)), encoding="utf-8")
    (root / "appeal.yaml").write_text(APPEAL, encoding="utf-8")
    (root / "canvas.csv").write_text(CANVAS, encoding="utf-8")
    return root


def commands() -> Iterator[list[str]]:
    for line in SEMESTER.splitlines():
        if line.startswith("grader "):
            for guides, ours in HERE.items():
                line = line.replace(guides, ours)
            yield shlex.split(line)[1:]


def between(course: Path, words: list[str]) -> None:
    """Do what people do between two commands: enter points, change the rubric."""
    if words[0] == "gradebook":
        for table in sorted(course.glob("results/marking/grader-*.csv")):
            text = table.read_bytes().decode("utf-8-sig")
            rows = list(csv.DictReader(text.splitlines()))
            with table.open("w", encoding="utf-8", newline="") as file:
                out = csv.DictWriter(file, [*rows[0]] if rows else text.strip().split(","))
                out.writeheader()
                out.writerows({**row, "points": "1.5"} for row in rows)
    if words[:3] == ["regrade", "results/", "--mark"]:
        changed = RUBRIC_OF_SEMESTER.replace("shapes: {points: 1", "shapes: {points: 2")
        (course / "rubric.yaml").write_text(changed, encoding="utf-8")


def exit_code(words: list[str]) -> int:
    line = shlex.join(["grader", *words])
    return next((code for part, code in EXIT.items() if part in line), 0)


def totals(course: Path) -> dict[str, list[str]]:
    with (course / "results" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        names = ("automatic", "f1.why", "total")
        return {row["id"]: [row[name] for name in names] for row in csv.DictReader(file)}


def test_a_semester_is_walked_command_by_command(course: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    for words in commands():
        between(course, words)
        more = ["--isolation", "none"] if words[0] in GRADE else []
        done = subprocess.run(
            [sys.executable, "-m", "grader", *words, *more],
            cwd=course, env=environ, capture_output=True, encoding="utf-8",
        )  # fmt: skip
        assert done.returncode == exit_code(words), f"{words}\n{done.stdout}\n{done.stderr}"

    # 6 points and then 7, of which 5 count; an answer of 1.5; one who was ill.
    assert totals(course) == {
        "student-001": ["5", "1.5", "6.5"],
        "student-002": ["3", "1.5", "4.5"],
        "student-005": ["5", "1.5", "6.5"],
    }
    exports = course / "results" / "exports"
    with (exports / "canvas.csv").open(encoding="utf-8-sig", newline="") as file:
        filled = [row["Attention (77)"] for row in csv.DictReader(file)]
    assert filled == ["8", "6.5", "4.5", "6.5"]
    assert sorted(path.stem for path in (exports / "pages").iterdir()) == [*totals(course)]
