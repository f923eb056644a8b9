"""`grader prepare`: known mistakes are run before a class makes them, and nothing else changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from grader.course.course import find_course
from grader.judge.diagnose.dictionary import RESEEDED
from grader.judge.mutants.mutant_runs import AS_GRADED
from grader.judge.recorded import preparing
from grader.judge.recorded.preparing import Preparation
from tests.support.families import is_alive

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy_course"
LIMIT_S = 60
EXERCISES = ("f1.blur", "f1.sobel", "f2.learned")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(TOY, tmp_path / "course", ignore=ignored))


def grader(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grader", *words, "--course", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C"},
        check=False,
    )


def prepared(course: Path, *words: str) -> list[str]:
    done = grader(course, "prepare", *words)
    assert done.returncode == 0, done.stderr
    assert " known mistakes run: " in done.stdout
    return [line for line in done.stderr.splitlines() if line.startswith("[")]


def runs_made(course: Path, monkeypatch: pytest.MonkeyPatch, *slugs: str) -> int:
    """How many runs of a check another preparation of these exercises makes itself."""
    made = 0
    trace = preparing.CheckRunner.trace_on_references

    def counted(self: Any, *given: Any) -> Any:
        nonlocal made
        made += 1
        return trace(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(preparing.CheckRunner, "trace_on_references", counted)
        preparation = Preparation(find_course(course))
        for slug in slugs:
            preparation.prepare(slug)
    return made


def test_what_is_prepared_is_not_run_again(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = runs_made(course, monkeypatch, *EXERCISES)
    shutil.rmtree(course / "reference" / "__pycache__")

    lines = prepared(course)

    assert sorted(line.split()[1].rstrip(":") for line in lines) == sorted(EXERCISES)
    assert sum(int(line.split()[2]) for line in lines) >= 15
    assert needed > 100
    assert runs_made(course, monkeypatch, *EXERCISES) == 0


def test_it_prepares_what_naming_asks_for(course: Path) -> None:
    prepared(course, "-j", "1", "--only", "f1.blur")
    preparation = Preparation(find_course(course))
    kills = of_mistakes(preparation)
    seen = {
        (mistake.entry.id, check.id)
        for mistake in preparation._mistakes("f1.blur")
        for check in preparation._checks["f1.blur"]
        if preparation._kept.trace(mistake.name, check.id, AS_GRADED)
    }
    assert {id for id, _check in seen} == set(kills)
    assert {check for _id, check in seen} >= set().union(*kills.values())


def of_mistakes(preparation: Preparation) -> dict[str, frozenset[str]]:
    """The checks that each known mistake of f1.blur fails, without answers that know nothing."""
    kills = preparation._records.of("f1.blur")
    return {id: fails for id, fails in kills.items() if not id.startswith("blank: ")}


def test_grades_and_causes_are_the_same_with_and_without_it(course: Path) -> None:
    wrong = course / "assignments" / "f1_filters.py"
    source = (course / "reference" / "f1_filters.py").read_text(encoding="utf-8")
    right = "return windows.mean(dim=(3, 4))"
    assert right in source
    wrong.write_text(source.replace(right, "return windows.sum(dim=(3, 4))"), encoding="utf-8")

    def report() -> Any:
        done = grader(course, "check", "assignments", "--format", "json", "--isolation", "none")
        assert "blur.sum" in done.stdout
        report = json.loads(done.stdout)
        del report["timings"]
        return report

    before = report()
    shutil.rmtree(course / "reference" / "__pycache__")
    prepared(course)
    assert report() == before


def test_where_nothing_can_be_kept_it_says_so(course: Path) -> None:
    shutil.rmtree(course / "reference" / "__pycache__", ignore_errors=True)
    (course / "reference" / "__pycache__").write_text("a file", encoding="utf-8")
    done = grader(course, "prepare", "--only", "f1.sobel")
    assert done.returncode == 2
    assert "known_runs.en.sqlite: cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_course_that_cannot_be_read_is_named(course: Path) -> None:
    suite = next(course.glob("tests/suites/f1_filters/test_*.py"))
    suite.write_text("def broken(:\n", encoding="utf-8")
    done = grader(course, "prepare")
    assert done.returncode == 2
    assert f'{suite.name}", line 1' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_kit_has_nothing_to_run(course: Path) -> None:
    (course / "reference" / "recorded.json.gz").write_bytes(b"")
    done = grader(course, "prepare")
    assert done.returncode == 2
    assert "recorded.json.gz: a kit has what checks see" in done.stderr


def test_an_unknown_exercise_is_refused(course: Path) -> None:
    done = grader(course, "prepare", "--only", "f9")
    assert done.returncode == 2
    assert "f9" in done.stderr


def test_it_ends_with_whoever_began_it(course: Path) -> None:
    command = [sys.executable, "-m", "grader", "prepare", "--course", str(course)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE) as process:
        while not (children := preparers(process.pid)):
            time.sleep(0.02)
        process.kill()
    until = time.monotonic() + LIMIT_S
    while any(map(is_alive, children)):  # whoever adopts the dead may leave them for a while
        assert time.monotonic() < until
        time.sleep(0.02)


def preparers(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def test_other_draws_are_kept_of_mistakes_that_fail_the_same(course: Path) -> None:
    preparation = Preparation(find_course(course))
    preparation.prepare("f1.blur")
    kills = of_mistakes(preparation)
    twins = {id for id, fails in kills.items() if list(kills.values()).count(fails) > 1}
    others = {
        mistake.entry.id
        for mistake in preparation._mistakes("f1.blur")
        for check in preparation._checks["f1.blur"]
        if preparation._kept.trace(mistake.name, check.id, RESEEDED)
    }
    assert others == twins
