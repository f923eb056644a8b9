"""Links in a class are nobody's submission, wherever they lead and however they are named."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click
import pytest

from grader.cli.commands import batch
from grader.cli.commands.check import grading as check
from tests.unit.samples import SampleGrader, write_course

CODE = "s1_sums.py"
LINKS = {
    "folder": ("student-002", "course/reference"),
    "folder, relative": ("student-002", "../course/reference"),
    "another's folder": ("student-002", "class/student-001"),
    "file": ("student-002.py", f"course/reference/{CODE}"),
    "another's file": ("student-002.py", f"class/student-001/{CODE}"),
    "file in a folder": (f"student-002/{CODE}", f"course/reference/{CODE}"),
    "folder in a folder": ("student-002/work", "course/reference"),
    "archive": ("student-002.zip", "secret.zip"),
    "nowhere": ("student-002", "nothing"),
    "itself": ("student-002", "class/student-002"),
    "the class": ("student-002", "class"),
}
READS = ("folder", "folder, relative", "another's folder", "file", "another's file",
         "file in a folder", "folder in a folder", "archive")  # fmt: skip
"""Those by which a reader that follows links gets to somebody's work."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_course(tmp_path / "course")
    (tmp_path / "secret.zip").write_bytes(b"PK not for them")
    for folder in ("course/reference", "class/student-001"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / CODE).write_text("#passed\n", encoding="utf-8")
    return tmp_path


def lay(root: Path, name: str) -> Path:
    place, goal = LINKS[name]
    link = root / "class" / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(goal if goal.startswith("..") else root / goal)
    return link


@pytest.mark.parametrize("name", LINKS)
def test_a_link_in_a_class_is_not_graded(root: Path, name: str) -> None:
    lay(root, name)

    batch.run(
        root / "class", root / "out", jobs=1, only=(), spawn=False,
        course_folder=root / "course", open_engine=SampleGrader().opened,
    )  # fmt: skip

    rows = list(csv.DictReader((root / "out/gradebook.csv").read_text("utf-8-sig").splitlines()))
    totals = [list(row.values())[1:] for row in rows]
    record = json.loads((root / "out/records/student-002.json").read_text(encoding="utf-8"))
    assert len(totals) == 2
    assert "link" in record["problem"] or "no .py or .ipynb file" in record["problem"]
    assert "exercises" not in record


@pytest.mark.parametrize("name", [name for name, (place, _) in LINKS.items() if "/" not in place])
def test_a_link_in_a_class_is_not_graded_alone(root: Path, name: str) -> None:
    """As `grader check class/*` would be typed, one at a time."""
    link = lay(root, name)

    with pytest.raises(click.ClickException, match="links are not followed"):
        check.run(
            link, only=(), spawn=False,
            course_folder=root / "course", opener=lambda _tell: SampleGrader().opened,
        )  # fmt: skip


@pytest.mark.parametrize("name", READS)
def test_a_reader_that_follows_links_reads_what_is_not_theirs(root: Path, name: str) -> None:
    """The control."""
    link = lay(root, name)

    found = link.resolve()

    assert found.exists()
    assert not found.is_relative_to(root / "class" / "student-002")
