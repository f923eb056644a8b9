"""A person who mends one line, breaks it again, and looks at `grader check --watch` meanwhile."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measure import ROOT
from tests.support.students_course import students_course
from tests.support.terminal import Terminal
from tools.notebooks import solution, stems

DONE = "All exercises are done."
PAUSE_S = 0.5
"""Between two edits: the worker for the next one is ready by then, as after any person's."""


@dataclass(frozen=True)
class Edit:
    """One line of a solution, and what somebody makes of it."""

    slug: str
    stem: str
    right: str
    wrong: str


EDITS = (
    Edit("a1.sdpa", "a1_attention", "query.shape[-1] ** -0.5", "value.shape[-1] ** -0.5"),
    Edit("a2.causal_mask", "a2_masking", "keys <= queries", "keys < queries"),
    Edit("a3.mha", "a3_multi_head", "self.head_dim**-0.5", "0.3"),
)


def watched(runs: int, *, public: bool) -> Iterator[tuple[str, list[float]]]:
    """Exercise -> seconds from the write of a file to the verdict that is printed.

    `public`: in a student's copy of the course, which has no hidden suite.
    """
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        folder = Path(name) / "work"
        folder.mkdir()
        course = students_course(ROOT, Path(name) / "course") if public else ROOT
        for stem in stems():
            (folder / f"{stem}.py").write_text(solution(stem), encoding="utf-8")
        command = [sys.executable, "-m", "grader", "check", "--watch", str(folder)]
        command += ["--course", str(course)]
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "LANG": "C.UTF-8"}
        with Terminal(command, environ) as terminal:
            terminal.until(DONE, limit_s=240)
            for edit in EDITS:
                times = list(_times(terminal, folder / f"{edit.stem}.py", edit, runs + 1))
                yield edit.slug, times[1:]


def _times(terminal: Terminal, path: Path, edit: Edit, rounds: int) -> Iterator[float]:
    right = path.read_text(encoding="utf-8")
    wrong = right.replace(edit.right, edit.wrong, 1)
    assert wrong != right, f"{edit.slug}: the line to change is not there"
    for _ in range(rounds):
        for text, seen in ((wrong, "✗ outputs"), (right, DONE)):
            time.sleep(PAUSE_S)
            started = time.perf_counter()
            path.write_text(text, encoding="utf-8")
            terminal.until(edit.slug, seen)
            yield time.perf_counter() - started
