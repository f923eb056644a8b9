"""Growth with the number of submissions, of exercises, and of bytes that cross to a worker."""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.submission.submission import read_submission
from tests.bench.measure import ROOT, Row, seconds
from tests.bench.peers.job import submissions
from tests.bench.peers.measuring import descendants, memory_kb
from tests.bench.peers.ours import STEM, write_course
from tests.support.clients import remote_client, student_of, worker_source
from tools.notebooks import solution, stems

SETTLED = 200
"""Submissions after which no process may grow any more."""
MOST_GROWTH = 0.05
COUNTS = (1, 10, 100, 1000)
"""Numbers of submissions, unless `--most` says more."""
EXERCISES = (1, 2, 4, 8, 16)
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 64_000_000)
"""Bytes of a tensor that goes to a worker and comes back; a message takes 67 million."""


def growth(runs: int, most: int) -> Iterator[Row]:
    """More bytes, more exercises, more submissions."""
    yield from of_bytes(runs)
    yield from of_exercises(runs)
    yield from of_submissions(most)


def of_submissions(most: int) -> Iterator[Row]:
    """One more submission of the job beside the peers', and the memory of the whole tree."""
    counts = (*(count for count in COUNTS if count < most), most)
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        course, place = Path(name) / "course", Path(name) / "student"
        course.mkdir()
        write_course(course)
        with Engine(find_course(course), Options(workers=2)) as engine:
            settled = 0
            for count in counts:
                started = seconds(lambda n=count: _graded(engine, place, n))
                memory = sum(map(memory_kb, descendants(os.getpid()))) // 1024
                detail = f"{started / count * 1e3:.0f} ms each, {memory} MB"
                settled = settled or (memory if count >= SETTLED else 0)
                holds = memory <= settled * (1 + MOST_GROWTH) if settled else None
                yield Row(f"growth: {count} submissions, -j 2", detail, "flat memory", holds)


def _graded(engine: Engine, place: Path, count: int) -> None:
    def handed_in() -> Iterator[object]:
        for name, source, _right in submissions(count):
            place.mkdir(exist_ok=True)
            (place / f"{STEM}.py").write_text(source, encoding="utf-8")
            yield replace(read_submission(place), id=name)

    for _result in engine.grade(handed_in()):  # type: ignore[arg-type]
        pass


def of_exercises(runs: int) -> Iterator[Row]:
    """The worked solution, graded on more and more of the course's exercises."""
    course = find_course(ROOT)
    slugs = tuple(course.rubric.exercises)
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        for stem in stems():
            (Path(name) / f"{stem}.py").write_text(solution(stem), encoding="utf-8")
        right = read_submission(Path(name))
    for count in (*(each for each in EXERCISES if each < len(slugs)), len(slugs)):
        with Engine(course, Options(workers=1, only=slugs[:count])) as engine:
            list(engine.grade([right]))
            checks = len(engine.checks)
            times = [seconds(lambda e=engine: list(e.grade([right]))) for _ in range(runs)]
        each = statistics.median(times) * 1e3
        detail = f"{each:.0f} ms, {each / checks:.1f} ms a check"
        yield Row(f"growth: {count} exercises, {checks} checks", detail, "", None)


def of_bytes(runs: int) -> Iterator[Row]:
    """A tensor that a student's function returns as it came."""
    source = {"student.py": "def same(x):\n    return x\n"}
    with worker_source("fork") as workers:
        client = remote_client(workers, source, ("same",))
        try:
            same = student_of(client).same
            for size in SIZES:
                tensor = torch.zeros(size // 4)
                times = [seconds(lambda x=tensor: same(x)) for _ in range(runs + 1)][1:]
                each = statistics.median(times)
                rate = 2 * size / each / 1e6
                detail = f"{each * 1e3:.2f} ms, {rate:.0f} MB/s"
                yield Row(f"growth: {size / 1e3:,.0f} KB to a worker and back", detail, "", None)
        finally:
            client.close()
