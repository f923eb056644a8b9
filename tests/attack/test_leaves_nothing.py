"""The attacks as a whole leave the machine as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.worker.jail.kernel import PR_SET_CHILD_SUBREAPER, prctl
from tests.attack.test_attacks import ROOT
from tests.attack.test_attacks import pytestmark as pytestmark
from tests.support.families import child_pids, is_alive

SOME = ("open-suite", "daemon", "fill-scratch", "loop", "crash-abort", "write-tmp", "leave-file")

GONE_S = 5.0


def machine() -> tuple[list[str], list[str]]:
    """Mounts, and control groups of ours."""
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    return mounts, sorted(str(path) for path in Path("/sys/fs/cgroup").rglob("*grader*"))


def left_after(seconds: float, own: set[int]) -> list[int]:
    """Children that are not `own`: what was killed a moment ago may still be on its way out."""
    until = time.monotonic() + seconds
    while True:
        left = [pid for pid in child_pids(os.getpid()) if pid not in own and is_alive(pid)]
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.05)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of a short name: a socket's path must fit into 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="left") as path:
        yield Path(path)


@pytest.mark.parametrize("tier", ["full", "partial", "none"])
def test_a_run_of_attacks_leaves_no_process_mount_group_or_file(folder: Path, tier: str) -> None:
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # what is orphaned comes to us
    own = set(child_pids(os.getpid()))
    before = machine()
    only = [argument for name in SOME for argument in ("--only", name)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.attack", "--root-only", "--tier", tier, *only],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(folder),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert f"{len(SOME)} attacks" in done.stdout, done.stdout + done.stderr
    assert left_after(GONE_S, own) == []
    assert list(folder.iterdir()) == []
    assert machine() == before
