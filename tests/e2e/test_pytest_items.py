"""`pytest --grader` says what `grader check` says, whatever lies in the submission's folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

COURSE = Path(__file__).resolve().parents[1] / "toy_course"
ROOT = COURSE.parents[1]

HOSTILE = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome, report.longrepr = "passed", None
    return report

def pytest_collection_modifyitems(items):
    items.clear()
"""
IMPORTED = "from pathlib import Path\nPath(__file__).with_name('imported').touch()\n"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=COURSE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )


def verdicts(xml: Path) -> dict[str, str]:
    """Return what pytest itself reports of each item."""
    cases = ElementTree.parse(xml).iter("testcase")
    return {
        case.get("name", ""): next((one.tag for one in case if one.tag != "properties"), "passed")
        for case in cases
    }


def test_items_have_the_verdicts_of_check_and_a_conftest_decides_nothing(tmp_path: Path) -> None:
    """One folder: a right function, a wrong one, and files that would turn every failure."""
    folder = tmp_path / "student-001"
    folder.mkdir()
    text = (COURSE / "reference/f1_filters.py").read_text("utf-8")
    wrong = text.replace("def sobel(", "def sobel(images):\n    return images * 2\n\n\ndef unused(")
    (folder / "f1_filters.py").write_text(IMPORTED + wrong, "utf-8")
    (folder / "conftest.py").write_text(HOSTILE, "utf-8")
    xml = tmp_path / "items.xml"

    options = ["-p", "no:cacheprovider", "-c", os.devnull]
    # The file is named, as an editor does: pytest itself would import it.
    named = str(folder / "f1_filters.py")
    items = run("pytest", "--grader", *options, f"--junitxml={xml}", f"--rootdir={folder}", named)
    checked = run("grader", "check", str(folder), "--format", "json")

    report = json.loads(checked.stdout)
    public = {"shapes", "outputs"}
    wanted = {
        one["check"]: {"passed": "passed", "failed": "failure", "student_error": "failure"}[
            one["outcome"]
        ]
        for exercise in report["exercises"]
        if exercise["assignment"] == "f1_filters"
        for one in exercise["checks"]
        if one["check"].split("/")[1] in public
    }
    assert verdicts(xml) == wanted
    assert {"passed", "failure"} <= set(wanted.values())
    assert items.returncode == 1
    assert "observed" in items.stdout
    assert not (folder / "imported").exists()
