"""The course as a student has it, without a hidden suite anywhere; and a class graded with it."""

from __future__ import annotations

import io
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from grader.cli.commands import batch
from grader.course.course import find_course
from tests.support.combinations import combinations
from tests.support.corpus import CORPUS, names

ROOT = Path(__file__).resolve().parents[2]
COMBINED = 60
RECORDS = "records of a student's course"
"""The name under which a run keeps what `class_records` returns."""


def students_course(course: Path, root: Path) -> Path:
    """A copy at `root` of all that checking takes, with the public suites alone.

    Files keep their times, so that what one copy has found of known mistakes serves another.
    """
    root.mkdir(parents=True)
    shutil.copy2(course / "rubric.yaml", root)
    for name in ("assignments", "reference"):
        (root / name).symlink_to(course / name)
    suites = course / "tests" / "suites"
    for path in [suites / "conftest.py", *suites.glob("*/public/*.py")]:
        target = root / "tests" / "suites" / path.relative_to(suites)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    return root


def hand_in(folder: Path) -> Path:
    """Write every submission of the corpus and sixty combinations of mistakes into `folder`."""
    folder.mkdir(parents=True)
    for name in names():
        shutil.copytree(CORPUS / name, folder / name)
    for one in combinations(find_course(ROOT), COMBINED):
        (folder / one.id).mkdir()
        for name, data in one.files.items():
            (folder / one.id / name).write_bytes(data)
    return folder


def batch_records(submissions: Path, out: Path, course: Path) -> dict[str, dict[str, Any]]:
    """The records that `grader batch` writes, by the names of the submissions."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        batch.run(
            submissions, out, jobs=1, only=(), spawn=False, isolation="none", course_folder=course
        )
    records = (out / "records").iterdir()
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in records}


def class_records(root: Path) -> dict[str, dict[str, Any]]:
    """The records of all that is handed in, graded in a student's course; written below `root`."""
    course = students_course(ROOT, root / "course")
    return batch_records(hand_in(root / "submissions"), root / "out", course)
