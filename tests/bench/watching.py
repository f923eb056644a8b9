"""A person who mends one line, breaks it again, and looks at `grader check --watch` meanwhile."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import find_course
from grader.misconceptions import Misconception, Origin, apply_misconception
from grader.rubric import Visibility
from grader.validate.data import read_course
from tests.bench.measure import ROOT
from tests.support.students_course import students_course
from tests.support.terminal import Terminal
from tools.notebooks import solution, stems

DONE = "All exercises are done."
PAUSE_S = 2.5
"""How long nothing happens before an edit: what is built on the exercise was graded by then, and
the worker for the next edit is ready, as after any person's."""


@dataclass(frozen=True)
class Edit:
    """What somebody makes of the solution of an exercise, and the criterion that it costs."""

    slug: str
    stem: str
    wrong: str
    criterion: str


def edits() -> Iterator[Edit]:
    """For each exercise the first known mistake that costs a public criterion."""
    course = find_course(ROOT)
    data = read_course(course)
    for slug, exercise in course.rubric.exercises.items():
        public = [n for n, c in exercise.criteria.items() if c.visibility is Visibility.PUBLIC]
        stem = exercise.assignment
        for each in data.misconceptions:
            costs = [criterion for s, criterion in each.named if s == slug and criterion in public]
            if costs and each.stem == stem and each.slugs[0] == slug:
                assert isinstance(each.entry, Misconception)
                wrong = apply_misconception(solution(stem), each.entry, Origin(each.place, {}))
                yield Edit(slug, stem, wrong, costs[0])
                break


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
            for edit in edits():
                times = list(_times(terminal, folder / f"{edit.stem}.py", edit, runs + 1))
                yield edit.slug, times[1:]


def _times(terminal: Terminal, path: Path, edit: Edit, rounds: int) -> Iterator[float]:
    right, lost = path.read_text(encoding="utf-8"), f"✗ {edit.criterion}"
    for _ in range(rounds):
        for text in (edit.wrong, right):
            terminal.until_quiet(PAUSE_S)
            started = time.perf_counter()
            path.write_text(text, encoding="utf-8")
            if text is right:
                terminal.until(edit.slug, without=lost)
            else:
                terminal.until(edit.slug, lost)
            yield time.perf_counter() - started
