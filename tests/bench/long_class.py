"""Memory: what one worker adds, and what becomes of every process over a long class."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.loaded_worker import loaded
from tests.bench.peers.job import PIECES, submissions
from tests.bench.peers.ours import STEM, write_course
from tools.class_memory import WARM, Memory, mib_of
from tools.large_class import graded

MOST_MB = 30.0
MOST_GROWTH = 5.0
WORKERS = 5
LANES = 2
SMALL = f"j1.{PIECES[0].name.lower()}"
"""The one exercise on which the long class is graded: seven checks of a function."""


def of_one_worker(runs: int) -> Iterator[Figure]:
    """The memory that nobody else has of a worker which has loaded a submission and answered."""
    samples = []
    for _time in range(max(WORKERS, runs)):
        with loaded(0) as worker:
            worker.answer()
            samples.append(mib_of(worker.pid)[0])
    name = "private memory of a worker that has answered calls of all six pieces"
    yield Figure(name, tuple(samples), "MB", MOST_MB)


def over_a_class(count: int) -> Iterator[Figure]:
    """Grade a long class of small submissions with `grader batch`, and look at its processes."""
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        place = Path(name)
        (place / "course").mkdir()
        write_course(place / "course")
        for id, source, _right in submissions(count):
            (place / "class" / id).mkdir(parents=True)
            (place / "class" / id / f"{STEM}.py").write_text(source, encoding="utf-8")
        words = ["--course", str(place / "course"), "--only", SMALL, "-j", str(LANES)]
        run = graded(place / "class", place / "out", words)
        if run.new != count:
            raise RuntimeError(f"{run.new} of {count} graded, exit code {run.code}: {run.printed}")
    yield Figure(
        "the same of workers in the long class below, each at its largest",
        tuple(worker_mb(run.memory)),
        "MB",
        MOST_MB,
    )
    for growth in run.memory.growths():
        title = f"memory of the {growth.kind} after {count:,} submissions / after the first {WARM}"
        about = f"{growth.early:.1f} to {growth.late:.1f} MB"
        yield Figure(f"{title}, growth", (growth.percent,), "%", MOST_GROWTH, about)


def worker_mb(memory: Memory) -> Iterator[float]:
    """Yield the private memory of workers, each at its largest.

    A zygote that has no worker at the moment looks like one.
    """
    zygotes = {one.pid for one in memory.samples if one.kind == "zygote"}
    most: dict[int, float] = {}
    for one in memory.samples:
        if one.kind == "worker" and one.pid not in zygotes:
            most[one.pid] = max(most.get(one.pid, 0.0), one.own)
    yield from most.values()
