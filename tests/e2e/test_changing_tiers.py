"""A machine that gives less isolation than before, or only half of it, never does so unnoticed.

The limits on namespaces are the kernel's own, in a user namespace around the grader: what is
refused is refused by the kernel, at the place where it would be.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.courses import write_course

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a jail"),
    pytest.mark.skipif(
        os.environ.get("GRADER_NO_JAIL") == "1", reason="this machine was said to have none"
    ),
]
RIGHT = "def work(step):\n    return step\n"
SUITE = """
    class TestOutputs:
        def test_step(self, student, expect):
            '''The step is returned.'''
            expect.true(student.work(1) == 1, observed="another step", expected="the step")
"""
SCRIPT = """
import json, os, signal, sys
from pathlib import Path
from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.course.course import find_course
from grader.engine.engine import Engine, EngineError, Options
from tests.support import scarce_namespaces
from tests.support.courses import submission
from tests.support.families import child_pids

course, folder, out, tier, workers, before, after = json.loads(sys.argv[1])
scarce_namespaces.enter()
for kind, count in before.items():
    scarce_namespaces.allow(kind, count)
rows, why, nursery = [], "", 0
try:
    found = find_course(Path(course))
    with Engine(found, Options(isolation=tier, workers=workers)) as engine:
        nursery = engine._tree.starter.pid

        def on_row(row):
            rows.append([row.id, row.tier])
            for kind, count in after.items():  # the machine changes, and a lane has to be replaced
                scarce_namespaces.allow(kind, count)
                for pid in engine._lanes[0].lane.pids:
                    os.kill(pid, signal.SIGKILL)

        entries = discover(Path(folder), Path(out)).entries
        grade_batch(entries, found.rubric, engine, Path(out), on_row)
except EngineError as error:
    why = str(error)
print(json.dumps([rows, why, child_pids(os.getpid())]))
"""


def batch(
    tmp_path: Path,
    tier: str | None,
    *,
    workers: int = 1,
    before: dict[str, int] | None = None,
    after: dict[str, int] | None = None,
) -> tuple[list[list[str]], str, list[int]]:
    """Rows, why it stopped, and what processes it left."""
    course = write_course(tmp_path / "course", targets="work", reference=RIGHT, suite=SUITE)
    for number in range(3):
        place = tmp_path / "class" / f"student-00{number}"
        place.mkdir(parents=True)
        (place / "t1_toy.py").write_text(RIGHT, encoding="utf-8")
    folder, out = str(tmp_path / "class"), str(tmp_path / "out")
    order: list[Any] = [str(course), folder, out, tier, workers, before or {}, after or {}]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(order)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    rows, why, left = json.loads(done.stdout)
    return rows, why, left


def test_in_a_namespace_with_limits_that_suffice_nothing_changes(tmp_path: Path) -> None:
    """The positive control."""
    rows, why, left = batch(tmp_path, None, workers=2, before={"net": 100})
    assert sorted(rows) == [[f"student-00{n}", "full"] for n in range(3)]
    assert (why, left) == ("", [])


def test_a_second_lane_that_reaches_less_stops_the_batch(tmp_path: Path) -> None:
    """A zygote takes one network; there is but one, so the second lane can't be `full`."""
    rows, why, left = batch(tmp_path, None, workers=2, before={"net": 1})
    assert "isolation changed from full to partial" in why or "changed from partial to full" in why
    assert "Next: grader doctor --isolation" in why
    assert len(rows) < 3
    assert left == []


def test_a_lane_that_is_replaced_by_less_stops_the_batch(tmp_path: Path) -> None:
    rows, why, left = batch(tmp_path, None, after={"net": 0})
    assert rows == [["student-000", "full"]]
    assert why.startswith("isolation full is not available here: no tier full: ")
    assert (tmp_path / "out" / "records" / "student-000.json").is_file()
    assert left == []


@pytest.mark.parametrize("kind", ["mnt", "pid", "net", "ipc", "uts", "cgroup"])
def test_half_a_kernel_gives_partial_from_the_start_and_leaves_nothing(
    tmp_path: Path, kind: str
) -> None:
    """User namespaces work and another kind does not: the half-built jail ends, and is named."""
    rows, why, left = batch(tmp_path, None, before={kind: 0})
    assert rows == [[f"student-00{n}", "partial"] for n in range(3)]
    assert (why, left) == ("", [])
    record = json.loads((tmp_path / "out" / "records" / "student-000.json").read_text())
    assert record["isolation"]["reason"].startswith("no tier full: ")


def test_half_a_kernel_is_refused_where_full_was_asked_for(tmp_path: Path) -> None:
    rows, why, left = batch(tmp_path, "full", before={"mnt": 0})
    assert (rows, left) == ([], [])
    assert why.startswith("isolation full is not available here: no tier full: ")
