"""The forms in which the job is graded: each grader's own, as its documentation has it."""

from __future__ import annotations

import json
import os
import shutil
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .job import HERE, PIECES, checks

Commands = list[list[str]]
ROOT = HERE.parents[2]
PLAIN = f"""\
import sys
sys.path[:0] = [{str(ROOT)!r}]
import torch
torch.set_num_threads(1)
from tests.bench.peers import job, right
"""
"""What a form begins with that runs the checks in the student's own process."""


@dataclass(frozen=True)
class Form:
    """One grader's way of grading the job."""

    name: str
    package: str | None
    """What is installed from the package index for it; None if nothing is."""
    prepare: Callable[[Path, list[tuple[str, str]]], None]
    """Write what it needs into a folder: its tests, and the submissions, each a name and source."""
    commands: Callable[[Path, str, list[str]], Commands]
    """Return the commands that grade these submissions there, one after another, given a Python."""
    passed: Callable[[Path, str], int | None]
    """Return how many of the forty checks a submission passed; None if nobody was graded."""


def environment(python: str) -> dict[str, str]:
    """Return the environment of a form's processes: one thread, its own commands first."""
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _hand_in(folder: Path, submissions: Iterable[tuple[str, str]]) -> None:
    _write(folder, {f"hand_in/{name}/submission.py": source for name, source in submissions})


# ---- the floor: a plain loop, no isolation -----------------------------------------------------

FLOOR = (
    PLAIN
    + """
import json, pathlib, types
results = {}
for name in sys.argv[1:]:
    student = types.ModuleType("submission")
    exec(pathlib.Path("hand_in", name, "submission.py").read_text(), vars(student))
    passed = 0
    for check in job.checks():
        try:
            job.run(check, student, right)
            passed += 1
        except Exception:
            pass
    results[name] = passed
pathlib.Path("results.json").write_text(json.dumps(results))
"""
)


def _prepare_floor(folder: Path, submissions: list[tuple[str, str]]) -> None:
    _hand_in(folder, submissions)
    _write(folder, {"floor.py": FLOOR})


def _floor_passed(folder: Path, name: str) -> int | None:
    path = folder / "results.json"
    return json.loads(path.read_text()).get(name) if path.is_file() else None


# ---- pytest, one process a submission ----------------------------------------------------------

PYTEST = (
    PLAIN
    + """
import pytest
import submission

@pytest.mark.parametrize("name", job.table())
def test_job(name):
    job.run(job.table()[name], submission, right)
"""
)


def _prepare_pytest(folder: Path, submissions: list[tuple[str, str]]) -> None:
    _hand_in(folder, submissions)
    _write(folder, {f"hand_in/{name}/test_job.py": PYTEST for name, _source in submissions})


def _pytest_commands(folder: Path, python: str, names: list[str]) -> Commands:
    run = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir"]
    return [
        [*run, f"hand_in/{name}", f"--junitxml=hand_in/{name}/junit.xml", f"hand_in/{name}"]
        for name in names
    ]


def _pytest_passed(folder: Path, name: str) -> int | None:
    path = folder / "hand_in" / name / "junit.xml"
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    return text.count("<testcase ") - text.count("<failure ") - text.count("<error ")


# ---- gradescope-utils --------------------------------------------------------------------------

GRADESCOPE = (
    PLAIN
    + """
sys.path[:0] = [sys.argv.pop(1)]
import unittest
from gradescope_utils.autograder_utils.decorators import weight
from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner
import submission

class TestJob(unittest.TestCase):
    pass

for name, check in job.table().items():
    def test(self, check=check):
        job.run(check, submission, right)
    test.__doc__ = name
    setattr(TestJob, "test_" + name, weight(1)(test))

suite = unittest.defaultTestLoader.loadTestsFromTestCase(TestJob)
with open(sys.argv.pop(1), "w") as file:
    JSONTestRunner(visibility="visible", stream=file).run(suite)
"""
)


def _prepare_gradescope(folder: Path, submissions: list[tuple[str, str]]) -> None:
    _hand_in(folder, submissions)
    _write(folder, {"run_tests.py": GRADESCOPE})


def _gradescope_commands(folder: Path, python: str, names: list[str]) -> Commands:
    return [
        [python, "run_tests.py", f"hand_in/{name}", f"hand_in/{name}/results.json"]
        for name in names
    ]


def _gradescope_passed(folder: Path, name: str) -> int | None:
    path = folder / "hand_in" / name / "results.json"
    if not path.is_file():
        return None
    tests = json.loads(path.read_text())["tests"]
    return sum(1 for test in tests if test["status"] == "passed")


# ---- otter check -------------------------------------------------------------------------------

OTTER = (
    PLAIN
    + """
from types import SimpleNamespace
from otter.test_files import test_case

OK_FORMAT = False
name = "{piece}"
points = {count}
"""
)
OTTER_CASE = """
@test_case()
def test_{name}(env):
    job.run(job.table()["{name}"], SimpleNamespace(**env), right)
"""


def _prepare_otter(folder: Path, submissions: list[tuple[str, str]]) -> None:
    _hand_in(folder, submissions)
    for piece in PIECES:
        cases = [OTTER_CASE.format(name=each.name) for each in checks() if each.piece is piece]
        begin = OTTER.format(piece=piece.name, count=len(cases))
        _write(folder, {f"tests/{piece.name}.py": begin + "".join(cases)})


def _otter_commands(folder: Path, python: str, names: list[str]) -> Commands:
    otter = str(Path(python).with_name("otter"))
    run = 'exec "$0" check "hand_in/$1/submission.py" -t tests > "hand_in/$1/results.txt" 2>&1'
    return [["sh", "-c", run, otter, name] for name in names]


def _otter_passed(folder: Path, name: str) -> int | None:
    path = folder / "hand_in" / name / "results.txt"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if "All tests passed!" in text:
        return len(checks())
    return len(checks()) - text.count("Test case failed") if " results:" in text else None


# ---- check50 -----------------------------------------------------------------------------------

CHECK50 = (
    PLAIN
    + """
import importlib.util
import check50

def loaded():
    spec = importlib.util.spec_from_file_location("submission", "submission.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

@check50.check()
def exists():
    "submission.py exists"
    check50.exists("submission.py")
"""
)
CHECK50_CHECK = """
@check50.check(exists)
def {name}():
    "{name}"
    try:
        job.run(job.table()["{name}"], loaded(), right)
    except AssertionError as error:
        raise check50.Failure(str(error)[:200])
"""


def _prepare_check50(folder: Path, submissions: list[tuple[str, str]]) -> None:
    _hand_in(folder, submissions)
    source = CHECK50 + "".join(CHECK50_CHECK.format(name=check.name) for check in checks())
    config = "check50:\n  files:\n    - !include 'submission.py'\n"
    _write(folder, {"job/__init__.py": source, "job/.cs50.yaml": config})


def _check50_commands(folder: Path, python: str, names: list[str]) -> Commands:
    check50 = str(Path(python).with_name("check50"))
    run = 'cd "hand_in/$1" && exec "$0" --dev -o json --output-file results.json ../../job'
    return [["sh", "-c", run, check50, name] for name in names]


def _check50_passed(folder: Path, name: str) -> int | None:
    path = folder / "hand_in" / name / "results.json"
    if not path.is_file():
        return None
    results = json.loads(path.read_text()).get("results") or []
    return sum(each["passed"] is True for each in results if each["name"] != "exists")


# ---- nbgrader ----------------------------------------------------------------------------------

NBGRADER = textwrap.dedent(
    """
    c = get_config()
    c.CourseDirectory.course_id = "job"
    c.ExecutePreprocessor.timeout = 600
    """
)


def _cell(number: str, source: str, **kind: object) -> dict[str, object]:
    marks = {"schema_version": 3, "grade_id": number, "grade": False, "solution": False}
    marks |= {"locked": False, "task": False} | kind
    return {
        "cell_type": "code", "id": number, "execution_count": None, "outputs": [],
        "source": source, "metadata": {"nbgrader": marks},
    }  # fmt: skip


def _notebook(source: str) -> str:
    cells = [_cell("solution", source, solution=True)]
    begin = PLAIN + "from types import SimpleNamespace\nstudent = SimpleNamespace(**globals())\n"
    cells.append(_cell("begin", begin, locked=True))
    for check in checks():
        call = f"job.run(job.table()[{check.name!r}], student, right)"
        cells.append(_cell(check.name, call, grade=True, locked=True, points=1))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book)


def _prepare_nbgrader(folder: Path, submissions: list[tuple[str, str]]) -> None:
    stub = "### BEGIN SOLUTION\npass\n### END SOLUTION\n"
    _write(folder, {"nbgrader_config.py": NBGRADER, "source/job/job.ipynb": _notebook(stub)})
    hand_in = {f"submitted/{name}/job/job.ipynb": _notebook(text) for name, text in submissions}
    _write(folder, hand_in)


def _nbgrader_commands(folder: Path, python: str, names: list[str]) -> Commands:
    nbgrader = str(Path(python).with_name("nbgrader"))
    if not (folder / "release").is_dir():
        return [[nbgrader, "generate_assignment", "job", "--force"]]
    shutil.rmtree(folder / "autograded", ignore_errors=True)
    # A pattern of names: fewer than ten students differ in their last digit alone.
    some = f"{names[0][:-1]}[{''.join(name[-1] for name in names)}]"
    return [[nbgrader, "autograde", "job", "--force", f"--student={some}"]]


def _nbgrader_passed(folder: Path, name: str) -> int | None:
    path = folder / "autograded" / name / "job" / "job.ipynb"
    if not path.is_file():
        return None
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    graded = [c for c in cells if c["metadata"].get("nbgrader", {}).get("grade")]
    return sum(
        c["execution_count"] is not None
        and not any(out["output_type"] == "error" for out in c["outputs"])
        for c in graded
    )


FLOOR_FORM = Form(
    "plain loop (floor)", None, _prepare_floor,
    lambda _folder, python, names: [[python, "floor.py", *names]], _floor_passed,
)  # fmt: skip
PEERS = (
    Form("pytest, a process each", None, _prepare_pytest, _pytest_commands, _pytest_passed),
    Form("gradescope-utils", "gradescope-utils", _prepare_gradescope, _gradescope_commands,
         _gradescope_passed),
    Form("otter check", "otter-grader", _prepare_otter, _otter_commands, _otter_passed),
    Form("nbgrader autograde", "nbgrader", _prepare_nbgrader, _nbgrader_commands,
         _nbgrader_passed),
    Form("check50 --dev", "check50", _prepare_check50, _check50_commands, _check50_passed),
)  # fmt: skip
