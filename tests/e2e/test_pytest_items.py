"""`pytest --grader` says what `grader check` says, whatever lies in the submission's folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

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
FROM_WITHIN = {
    "skips": "import pytest\n    pytest.skip('not today')",
    "expects to fail": "import pytest\n    pytest.xfail('as it should')",
    "ends the process": "import os\n    os._exit(0)",
    "leaves": "raise SystemExit(0)",
    "patches pytest": (
        "import _pytest.runner as r\n"
        "    r.pytest_runtest_makereport = lambda item, call: None\n    return images * 2"
    ),
    "an answer that says equal to everything": (
        "class Equal(type(images)):\n        __eq__ = allclose = lambda *_: True\n"
        "    return images.as_subclass(Equal) * 2"
    ),
}
"""Bodies of a wrong function that would be no failure if pytest itself called it."""
SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = -p hostile\npythonpath = .\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p hostile'\npythonpath = '.'\n",
    "tox.ini": "[pytest]\naddopts = -p hostile\npythonpath = .\n",
}
IMPORTED = "from pathlib import Path\nPath(__file__).with_name('imported').touch()\n"


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=COURSE,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTEST_ADDOPTS": "",
            "LC_ALL": "C.UTF-8",
            **env,
        },
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


def handed_in(folder: Path, body: str) -> Path:
    """Write the reference with another body for `sobel`; return the file."""
    text = (COURSE / "reference/f1_filters.py").read_text("utf-8")
    wrong = f"def sobel(images):\n    {body}\n\n\ndef unused("
    folder.mkdir()
    file = folder / "f1_filters.py"
    file.write_text(text.replace("def sobel(", wrong), "utf-8")
    return file


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


def test_no_code_of_a_submission_makes_an_item_pass(tmp_path: Path) -> None:
    """One session for all: each file is a folder of its own, and each says that it passes."""
    files = [handed_in(tmp_path / name, body) for name, body in FROM_WITHIN.items()]
    xml = tmp_path / "items.xml"

    options = ["-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={tmp_path}"]
    ran = run("pytest", "--grader", *options, f"--junitxml={xml}", *map(str, files))

    cases = [
        case for case in ElementTree.parse(xml).iter("testcase") if "sobel" in case.get("name", "")
    ]
    outputs = [case for case in cases if "/outputs/" in case.get("name", "")]
    assert ran.returncode == 1
    assert len(outputs) >= len(FROM_WITHIN)
    assert [case.get("classname") for case in outputs if case.find("failure") is None] == []


@pytest.mark.parametrize("name", SETTINGS)
def test_a_plug_in_of_the_submission_is_refused(tmp_path: Path, name: str) -> None:
    file = handed_in(tmp_path / "student-001", "return images * 2")
    (file.parent / "hostile.py").write_text(HOSTILE.replace("items.clear()", "pass"), "utf-8")
    (file.parent / name).write_text(SETTINGS[name], "utf-8")

    env = {"PYTHONPATH": f"{ROOT}{os.pathsep}{file.parent}"}
    ran = run("pytest", "--grader", "-p", "no:cacheprovider", str(file), **env)

    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert "hostile.py is a plug-in of pytest in the folder of the submission" in ran.stderr
    assert " passed" not in ran.stdout
