"""What the guide for teaching assistants shows outside of its semester is run as it stands."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import textwrap
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.cli.cli import main
from tests.support.guide import ROOT, blocks

pytestmark = pytest.mark.usefixtures("warm_nursery")
TOY = ROOT / "tests" / "toy_course"
GUIDE = (ROOT / "docs" / "guide-ta.md").read_text(encoding="utf-8")
INDENTED = textwrap.dedent("\n".join(re.findall(r"^  .*$", GUIDE, re.MULTILINE)))
"""Blocks that belong to a point of a list."""
TEXTS = tuple(block.text for text in (GUIDE, INDENTED) for block in blocks(text))
HERE = {"a3.mha": "f1.sobel", "sdpa.unscaled": "sobel.swapped", "student-017": "student-002_102"}
"""What has another name in the course of the tests. Moodle's folders end in a number."""
STUDENTS = ("student-001_101_assignsubmission_file_", "student-002_102_assignsubmission_file_")
WORKSHEET = (
    "Identifier,Full name,Email address,Grade,Maximum Grade,Feedback comments\n"
    'Participant 101,student-001,one@example.org,,"6,00",\n'
    'Participant 102,student-002,two@example.org,,"6,00",\n'
)
SWAPPED = ("return right, down", "return down, right")
LINES = {
    "grader prepare": 0,
    "grader batch submissions/ --out results/ -j 4": 1,
    "grader batch submissions/ --shard $SLURM_ARRAY_TASK_ID/40 --out part-$SLURM_ARRAY_TASK_ID "
    "-j 4": 0,
    "grader why student-017 a3.mha --in results/": 0,
    'grader adjust results/ student-017 +2 --reason "ill that week" --by "TA 1"': 0,
    "grader export results/ --as moodle --fill worksheet.csv": 0,
    "grader export results/ --as moodle-feedback --fill worksheet.csv --submissions submissions/": (
        0
    ),
    "grader export results/ --as mail-merge --cause sdpa.unscaled": 0,
}
"""In the order of the guide, each with its exit code: 1 where somebody's points are missing."""


def commands(text: str) -> Iterator[str]:
    """Yield the commands of a block."""
    for line in text.splitlines():
        if line.strip().startswith("grader "):
            yield line.strip()


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a class that Moodle handed out: one is right, one swaps two results."""
    root = tmp_path_factory.mktemp("class") / "course"
    shutil.copytree(TOY, root, ignore=shutil.ignore_patterns("__pycache__"))
    right = (TOY / "reference" / "f1_filters.py").read_text("utf-8")
    assert right.count(SWAPPED[0]) == 1
    for student, text in zip(STUDENTS, (right, right.replace(*SWAPPED)), strict=True):
        folder = root / "submissions" / student
        folder.mkdir(parents=True)
        (folder / "f1_filters.py").write_text(text, encoding="utf-8")
    (root / "worksheet.csv").write_text(WORKSHEET, encoding="utf-8")
    return root


def test_each_command_is_part_of_the_semester_or_run_here() -> None:
    every = [one for text in TEXTS for one in commands(text)]
    (semester,) = (text for text in TEXTS if "grader gradebook results/ --written" in text)

    outside = [one for one in dict.fromkeys(every) if one not in [*commands(semester)]]
    assert [line for line in outside if line not in LINES] == []
    assert [line for line in LINES if line not in outside] == []


def test_the_commands_do_what_the_guide_says(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(course)
    for name, value in {"LANGUAGE": "en", "SLURM_ARRAY_TASK_ID": "7"}.items():
        monkeypatch.setenv(name, value)
    said: dict[str, str] = {}
    for line, code in LINES.items():
        for guides, ours in HERE.items():
            line = line.replace(guides, ours)
        words = shlex.split(os.path.expandvars(line))[1:]
        assert main([*words, *(["--only", "f1.sobel"] if words[0] == "batch" else [])]) == code
        said[" ".join(words[:4])] = capsys.readouterr().out

    assert " known mistakes run: " in said["prepare"]
    assert "sobel.swapped" in said["why student-002_102 f1.sobel --in"]
    assert len(list((course / "results" / "records").glob("*.json"))) == 2
    record = json.loads((course / "results/records/student-002_102.json").read_bytes())
    assert [one["points"] for one in record["adjustments"]] == ["2"]
    exports = course / "results" / "exports"
    with (exports / "moodle.csv").open(encoding="utf-8-sig", newline="") as file:
        grades = {row["Full name"]: row["Grade"] for row in csv.DictReader(file)}
    assert grades == {"student-001": "6,00", "student-002": "3,00"}
    assert len(zipfile.ZipFile(next(exports.glob("*feedback*.zip"))).namelist()) == 2
    with next(exports.glob("mail-merge*.csv")).open(encoding="utf-8-sig", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["student-002_102"]
