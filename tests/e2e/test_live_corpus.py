"""A kernel that holds a submission says of its public checks what `grader check` says of its files.

Minutes, because each submission is run in a process of its own, as its student would run it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.corpus import CORPUS, names
from tests.support.students_course import RECORDS, class_records, students_course

ROOT = Path(__file__).resolve().parents[2]

Plain = dict[str, Any]
NOT_HELD = {
    "blocks_on_attention_not_written": "imports a file that is not there: a traceback, no objects",
    "blocks_with_attention_in_place": "imports a file that is not there: a traceback, no objects",
    "empty_notebook": "a file of no bytes, which no kernel opens",
    "exit_at_import": "ends the process that runs it",
    "notebook_cut_off": "half a file, which no kernel opens",
    "notebook_training_loops": "trains for hours before anything could be checked",
    "run_compiled": "compiles for real in the process that runs it, and leaves the compiler behind",
    "right_input_and_exit": "asks for input and exits while it is run",
    "syntax_error": "a syntax error: a traceback, no objects",
}
"""Submissions that no live process can hold, and why."""
IN_PART = {
    "notebook_blanks_left_empty": "cells that are no Python define nothing in a kernel",
    "notebook_cell_raises": "a kernel runs nothing of a cell behind the line that raised",
}
"""Submissions of which a kernel holds less than their files say: only what `expect.yaml` names is
compared."""
NAMES = [name for name in names() if name not in NOT_HELD]


def exercises(name: str, record: Plain) -> set[str]:
    """What is compared: the exercises of the assignments that were handed in."""
    stems = {*record["submission"]["entries"]}
    found = {part["slug"] for part in record["exercises"] if part["assignment"] in stems}
    if name in IN_PART:
        found &= {*yaml.safe_load((CORPUS / name / "expect.yaml").read_text("utf-8"))["criteria"]}
    return found


@pytest.fixture(scope="module")
def of_files(
    once: Callable[[str, Any], Any], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Plain]:
    """What `grader batch` says in a student's copy of the course: `check` says the same, as
    `test_agreement.py` shows of all of them."""
    root = tmp_path_factory.mktemp("files")
    records = once(RECORDS, lambda: class_records(root))
    return {name: records[name] for name in names()}


@pytest.fixture(scope="module")
def of_kernels(course: Path, of_files: dict[str, Plain]) -> dict[str, Plain]:
    """What a kernel says that holds the same submission, or why there is none."""
    jobs = [
        [name, str(CORPUS / name), record["submission"]["entries"]]
        for name, record in of_files.items()
        if NOT_HELD.get(name, "").partition(" ")[0] not in ("trains", "asks", "compiles")
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.live_kernels", str(course)],
        cwd=ROOT,
        input=json.dumps(jobs),
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return students_course(ROOT, tmp_path_factory.mktemp("live") / "course")


def of_row(row: dict[str, Any]) -> list[Any]:
    cause = row["cause"]["id"] if row["cause"] else None
    return [row["outcome"], cause, [one["id"] for one in row["also"]]]


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_gives_the_verdicts_and_causes_of_the_files(
    name: str, of_files: dict[str, Plain], of_kernels: dict[str, Plain]
) -> None:
    record = of_files[name]
    wanted = exercises(name, record)

    found = {row["check"]: of_row(row) for row in of_kernels[name]["seen"]}
    parts = [part for part in record["exercises"] if part["slug"] in wanted]
    expected = {row["check"]: of_row(row) for part in parts for row in part["checks"]}

    compared = {check: seen for check, seen in found.items() if check.split("/")[0] in wanted}
    assert compared == expected


def test_what_is_left_out_cannot_be_held(of_kernels: dict[str, Plain]) -> None:
    held = [name for name in NOT_HELD if "seen" in of_kernels.get(name, {})]
    assert held == []
    assert len(NAMES) >= 80


def test_there_is_much_to_agree_on(of_kernels: dict[str, Plain]) -> None:
    """The positive control: verdicts of every kind, and causes by name."""
    rows = [row for name in NAMES for row in of_kernels[name]["seen"]]

    assert {"passed", "failed", "student_error", "blocked", "carried", "timed_out"} <= {
        row["outcome"] for row in rows
    }
    assert len({row["cause"]["id"] for row in rows if row["cause"]}) >= 15
