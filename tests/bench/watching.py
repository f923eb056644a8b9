"""A person who mends one line, breaks it again, and looks at `grader check --watch` meanwhile."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import find_course
from grader.course.misconceptions import Misconception, Origin, apply_misconception
from grader.course.rubric import Visibility
from grader.validate.data import Edited, read_course
from grader.watching.changes import affected
from tests.bench.measure import ROOT
from tests.support.students_course import students_course
from tests.support.terminal import Terminal
from tools.notebooks import solution, stems

DONE = "All exercises are done."
PAUSE_S = 0.5
"""Before an edit, for the worker that is made ready for it."""
EACH_S = 0.3
"""And for each exercise that the last edit reached: these are graded after it, one at a time."""


@dataclass(frozen=True)
class Edit:
    """What somebody makes of the solution of an exercise, and the criterion that it costs."""

    slug: str
    stem: str
    wrong: str
    criterion: str
    reached: int
    """How many other exercises may use what is changed."""


def edits() -> Iterator[Edit]:
    """For each exercise the first known mistake that costs a public criterion."""
    course = find_course(ROOT)
    data, rubric = read_course(course), course.rubric
    right = {f"{stem}.py": solution(stem).encode() for stem in stems()}
    for slug, exercise in rubric.exercises.items():
        public = [n for n, c in exercise.criteria.items() if c.visibility is Visibility.PUBLIC]
        for each in data.misconceptions:
            costs = [criterion for s, criterion in each.named if s == slug and criterion in public]
            if costs and each.stem == exercise.assignment and each.slugs[0] == slug:
                wrong = spoilt(each)
                changed = {**right, f"{each.stem}.py": wrong.encode()}
                entries = {stem: f"{stem}.py" for stem in stems()}
                reached = len(affected(right, changed, entries, rubric).reached)
                yield Edit(slug, each.stem, wrong, costs[0], reached)
                break


def spoilt(each: Edited) -> str:
    """Return the solution of an assignment with one known mistake in it."""
    assert isinstance(each.entry, Misconception)
    return apply_misconception(solution(each.stem), each.entry, Origin(each.place, {}))


def watched(runs: int, *, public: bool) -> Iterator[tuple[str, list[float]]]:
    """Exercise -> seconds from the write of a file to the verdict that is printed.

    `public`: in a student's copy of the course, which has no hidden suite.
    """
    with at_work("grader", public=public) as (terminal, folder):
        for edit in edits():
            times = list(_times(terminal, folder / f"{edit.stem}.py", edit, runs + 1))
            yield edit.slug, times[1:]


@contextmanager
def at_work(program: str, *, public: bool) -> Iterator[tuple[Terminal, Path]]:
    """Watch a folder of worked solutions: yield the terminal and the folder, once all is done.

    `program`: the module that is run with the arguments of `grader`.
    """
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        folder = Path(name) / "work"
        folder.mkdir()
        course = students_course(ROOT, Path(name) / "course") if public else ROOT
        for stem in stems():
            (folder / f"{stem}.py").write_text(solution(stem), encoding="utf-8")
        command = [sys.executable, "-m", program, "check", "--watch", str(folder)]
        command += ["--course", str(course)]
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "LANG": "C.UTF-8"}
        with Terminal(command, environ) as terminal:
            terminal.until(DONE, limit_s=240)
            yield terminal, folder


def _times(terminal: Terminal, path: Path, edit: Edit, rounds: int) -> Iterator[float]:
    pause_s = PAUSE_S + EACH_S * edit.reached
    right, lost = path.read_text(encoding="utf-8"), f"✗ {edit.criterion}"
    for _ in range(rounds):
        for text in (edit.wrong, right):
            time.sleep(pause_s)
            started = time.perf_counter()
            path.write_text(text, encoding="utf-8")
            if text is right:
                terminal.until(edit.slug, without=lost)
            else:
                terminal.until(edit.slug, lost)
            yield time.perf_counter() - started
