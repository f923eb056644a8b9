"""Every command of the guide for CI is run as it stands, on a course that is graded quickly."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.guide import ROOT, blocks

GUIDE = (ROOT / "docs" / "guide-ci.md").read_text(encoding="utf-8")
BLOCKS = tuple(blocks(GUIDE))
COMMANDS = tuple(block.text.strip() for block in BLOCKS if block.text.startswith("grader "))
WRITTEN = {
    "grader ci submission --course course": ["grader-report/junit.xml", "grader-report/summary.md"],
    "grader ci submission --course course --system gitlab --out reports": [
        "reports/gl-code-quality-report.json",
        "reports/junit.xml",
    ],
    "grader ci --package gradescope autograder.zip --course course --only a1": ["autograder.zip"],
    "grader ci --package prairielearn prairielearn.zip --course course --only f1 --image "
    "registry.example.org/team/grader:1": ["prairielearn.zip"],
    "grader ci --system prairielearn --course course --only a1.sdpa": ["graded/results.json"],
    "grader check submission --course course --report junit=junit.xml --report "
    "markdown=summary.md --report json=report.json": ["junit.xml", "report.json", "summary.md"],
}
"""The commands, and what each one writes."""
ELSEWHERE = {**os.environ, "GITHUB_ACTIONS": "", "GITLAB_CI": ""}
"""Where these tests themselves are run by CI, that is not what the guide is read in."""
HERE = {
    "--system prairielearn": "submission --out graded --system prairielearn",
    "a1.sdpa": "f1.blur",
    "--only a1": "--only f1",
}
"""What is another name in the course of the tests, and a folder that only PrairieLearn has."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the guide has it: the course, and a submission."""
    (tmp_path / "course").symlink_to(ROOT / "tests" / "toy_course")
    (tmp_path / "submission").mkdir()
    for name in ("f1_filters.py", "f2_learned.py"):
        shutil.copy(ROOT / "tests/toy_course/reference" / name, tmp_path / "submission")
    return tmp_path


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    for guides, ours in HERE.items():
        command = command.replace(guides, ours)
    words = command.replace("grader ", f'"{sys.executable}" -m grader ', 1)
    return subprocess.run(
        ["bash", "-c", words], cwd=folder, env=ELSEWHERE, capture_output=True, encoding="utf-8"
    )


def test_the_commands_of_the_guide_are_those_that_are_run() -> None:
    assert tuple(WRITTEN) == COMMANDS


@pytest.mark.parametrize(("command", "files"), WRITTEN.items(), ids=WRITTEN)
def test_a_command_writes_what_the_guide_says(folder: Path, command: str, files: list[str]) -> None:
    before = {path for path in folder.rglob("*") if path.is_file()}
    done = run(folder, command)

    assert done.returncode == 0, done.stderr
    new = {path for path in folder.rglob("*") if path.is_file()} - before
    assert sorted(path.relative_to(folder).as_posix() for path in new) == files


def test_the_script_for_codio_sends_a_percentage(folder: Path) -> None:
    (script,) = (block.text for block in BLOCKS if block.kind == "python")
    (folder / "lib").mkdir()
    (folder / "lib" / "grade.py").write_text(
        "def send_grade(percent):\n    open('sent', 'w').write(str(percent))\n", encoding="utf-8"
    )
    course = folder / ".guides" / "secure" / "course"
    course.parent.mkdir(parents=True)
    course.symlink_to(ROOT / "tests" / "toy_course")
    for path in (folder / "submission").iterdir():
        path.rename(folder / path.name)
    script = script.replace("/usr/share/codio/assessments", str(folder))
    script = script.replace('".guides/secure/venv/bin/grader"', "sys.executable")
    script = script.replace("[grader, ", '[grader, "-m", "grader", ')

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, encoding="utf-8"
    )

    assert done.returncode == 0, done.stderr
    assert (folder / "sent").read_text(encoding="utf-8") == "100"


def test_the_systems_of_the_guide_are_those_of_the_command() -> None:
    from grader.export.ci.outputs import names
    from grader.export.ci.systems import System

    rows = dict(zip(System, _rows(), strict=True))
    assert all(name in row for system, row in rows.items() for name in names(system))


def _rows() -> list[str]:
    order = ["GitHub", "GitLab", "Gradescope", "PrairieLearn", "Classroom", "Codio", "any other"]
    return [
        next(row for row in GUIDE.splitlines() if row.startswith(f"| {name}")) for name in order
    ]
