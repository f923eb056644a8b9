"""Whoever grades a submission runs nothing of it outside of a jail, wherever they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.attack.arena import plant as plant_course
from tests.attack.attack import STEM
from tests.attack.test_attacks import pytestmark as pytestmark
from tests.attack.visit import VISITS, Visit, plant

GRADER = Path(sys.executable).with_name("grader")
LIMIT_S = 120


class Place:
    """A real course, and a class of one."""

    def __init__(self, root: Path, *, within_course: bool = False) -> None:
        self.root, self.witness = root, root / "witness"
        plant_course(root / "course")
        (root / "elsewhere").mkdir()
        self.student = root / ("course/class" if within_course else "class") / "student-001"
        self.student.mkdir(parents=True)
        plant(self.student, self.witness)

    def type(self, command: Sequence[str], here: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command],
            cwd=here,
            env={"PATH": os.environ["PATH"], "HOME": str(self.root), "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )

    def run(self) -> str:
        """What of the submission was run by somebody who may do anything."""
        return self.witness.read_text(encoding="utf-8") if self.witness.exists() else ""


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: visit.id)
def test_nothing_that_lies_in_a_submission_is_run_outside_of_a_jail(
    tmp_path: Path, visit: Visit
) -> None:
    place = Place(tmp_path, within_course=visit.within_course)
    grader = [sys.executable, "-m", "grader"] if visit.module else [str(GRADER)]
    arguments = [one.format(root=tmp_path) for one in visit.arguments]

    done = place.type([*grader, *arguments], tmp_path / visit.here)

    assert place.run() == ""
    assert visit.finds in done.stdout + done.stderr
    assert "theirs" not in done.stdout


def test_what_lies_there_is_run_where_somebody_names_it_as_the_course(tmp_path: Path) -> None:
    """The control: the planted course is one, and its suite and reference are run with no jail."""
    place = Place(tmp_path)
    arguments = ["check", str(place.student), "--course", str(place.student)]

    done = place.type([str(GRADER), *arguments], tmp_path / "elsewhere")

    assert {"suite", "reference"} <= set(place.run().split()), done.stdout + done.stderr
    assert "2 / 2" in done.stdout


def test_python_itself_runs_what_lies_in_the_working_folder(tmp_path: Path) -> None:
    """The control of `python -m`: it is no more than the first place where it looks."""
    place = Place(tmp_path)

    place.type([sys.executable, "-m", "torch"], place.student)

    assert "torch" in place.run().split()
    assert STEM in {path.stem for path in place.student.iterdir()}
