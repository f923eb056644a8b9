"""The package for Gradescope: its layout, the same bytes each time, and nothing left behind."""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from grader.export.ci.gradescope_package import contents, packed
from grader.export.ci.outputs import not_checked
from grader.export.ci.package_files import requirements
from grader.export.ci.systems import System
from tests.unit.samples import write_course


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = write_course(tmp_path / "course")
    (root / "reference").mkdir()
    (root / "reference" / "s1_sums.py").write_text("SECRET = 1\n", encoding="utf-8")
    return root


def test_both_scripts_stand_at_the_root_and_can_be_run(course: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(packed(course, ()))) as archive:
        modes = {one.filename: one.external_attr >> 16 for one in archive.infolist()}

    assert oct(modes["setup.sh"]) == oct(modes["run_autograder"]) == "0o100755"
    assert oct(modes["course/rubric.yaml"]) == "0o100644"


def test_the_course_and_the_engine_are_in_it(course: Path) -> None:
    names = set(contents(course, ()))

    assert {"course/rubric.yaml", "course/reference/s1_sums.py"} <= names
    assert {"course/assignments/s1_sums.py", "engine/grader/__main__.py"} <= names
    assert "engine/grader/locale/ko/LC_MESSAGES/grader.mo" in names
    assert "engine/grader/export/ci/gradescope/setup.sh" in names
    assert not any("__pycache__" in name or name.endswith((".pyc", ".po")) for name in names)


def test_the_same_course_gives_the_same_bytes(course: Path) -> None:
    first = packed(course, ())
    os.utime(course / "rubric.yaml", (0, 0))

    assert packed(course, ()) == first
    assert packed(course, ("s1",)) != first


def test_no_link_is_followed_out_of_the_course(course: Path, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("x", encoding="utf-8")
    (course / "reference" / "link.py").symlink_to(tmp_path / "private")

    assert "course/reference/link.py" not in contents(course, ())


def test_lines_end_as_a_shell_wants_them(course: Path) -> None:
    made = contents(course, ("s1",))

    for name in ("setup.sh", "run_autograder"):
        assert made[name].startswith(b"#!/usr/bin/env bash\n")
        assert b"\r" not in made[name]
        assert b"@" not in made[name].replace(b'"$@"', b"")
        checked = subprocess.run(["bash", "-n"], input=made[name], capture_output=True)
        assert checked.stderr == b""
    assert b"--lang en --only s1\n" in made["run_autograder"]


def test_pip_gets_what_the_grader_needs_without_extras() -> None:
    assert "click<9,>=8.2" in requirements()
    assert not any("torch" in one or "extra" in one for one in requirements())


def test_the_first_result_is_the_one_of_a_grader_that_was_ended(course: Path) -> None:
    text = contents(course, ())["could_not_check.json"].decode()

    assert text == not_checked(System.GRADESCOPE)["results.json"]
    assert json.loads(text)["extra_data"] == {"could_not_check": True}
