"""What a failing check takes more than a passing one, and what it takes to name its mistake."""

from __future__ import annotations

import itertools
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.course.course import find_course
from grader.course.misconceptions import Misconception, MisconceptionError
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import Outcome
from grader.submission.submission import read_submission
from grader.validate.data import read_course
from tests.bench.figures import Figure
from tests.bench.measure import ROOT
from tests.bench.watching import spoilt
from tools.notebooks import solution

SLUG, STEM = "a1.sdpa", "a1_attention"
MISTAKES = 6
LEAST_FAILING = 7
"""Mistakes are taken that fail so many checks: the more, the less the noise of one run counts."""
MOST_MS = 1.0
NOT_NAMED = "a failing check more than a passing one, no cause looked for"
FIRST = "the same, its cause named, by mistakes that are new to the class"
AGAIN = "the same, its cause named, by mistakes that the class has had before"


def failing(runs: int) -> Iterator[Figure]:
    """Grade an exercise right and with known mistakes, in turn, in a new class each run."""
    found: dict[str, list[float]] = {NOT_NAMED: [], FIRST: [], AGAIN: []}
    passing: list[float] = []
    with (
        tempfile.TemporaryDirectory(prefix="grader-bench-") as name,
        _new_class(Path(name) / "bare", diagnose=False) as bare,
    ):
        mistakes = tuple(itertools.islice(_mistakes(bare), MISTAKES))
        for number in range(runs):
            with _new_class(Path(name) / f"class-{number}") as named:
                found[FIRST] += map(named.more_ms, mistakes)
                for mistake in mistakes:
                    found[AGAIN].append(named.more_ms(mistake))
                    found[NOT_NAMED].append(bare.more_ms(mistake))
            passing.append(bare.timed(solution(STEM)) * 1e3 / len(bare.engine.checks))
    fail = sum(mistake.failing for mistake in mistakes)
    about = f"{SLUG}: {len(mistakes)} mistakes, by which {fail} checks fail"
    for title, samples in found.items():
        yield Figure(title, tuple(samples), "ms", MOST_MS, about)
    yield Figure("a passing check", tuple(passing), "ms", None, SLUG)


@dataclass(frozen=True)
class _Mistake:
    source: str
    failing: int
    """How many checks fail by it; all others pass."""


@dataclass(frozen=True)
class _Class:
    """A class whose submissions are graded one by one."""

    engine: Engine
    place: Path
    _count: Iterator[int] = field(default_factory=itertools.count)

    def graded(self, source: str) -> Result:
        """Grade a text as the next submission; no two are the same file."""
        number = next(self._count)
        (self.place / f"{STEM}.py").write_text(f"{source}\n# {number}\n", encoding="utf-8")
        submission = replace(read_submission(self.place), id=f"student-{number:03}")
        return next(iter(self.engine.grade([submission])))

    def timed(self, source: str) -> float:
        started = time.perf_counter()
        self.graded(source)
        return time.perf_counter() - started

    def more_ms(self, mistake: _Mistake) -> float:
        """Return what each failing check took more, beside right submissions around it."""
        right = solution(STEM)
        before, taken, after = map(self.timed, (right, mistake.source, right))
        return 1e3 * (taken - statistics.mean((before, after))) / mistake.failing


@contextmanager
def _new_class(folder: Path, *, diagnose: bool = True) -> Iterator[_Class]:
    """Begin a class in a copy of the course of its own, where nothing is known of any mistake."""
    _copy_course(folder / "course")
    (folder / "student").mkdir()
    course = find_course(folder / "course")
    with Engine(course, Options(only=(SLUG,), diagnose=diagnose)) as engine:
        begun = _Class(engine, folder / "student")
        for _time in range(3):  # the reference's answers, and workers that have practised
            begun.graded(solution(STEM))
        yield begun


def _copy_course(folder: Path) -> None:
    compiled = shutil.ignore_patterns("__pycache__")
    for name in ("assignments", "reference", "tests/suites"):
        shutil.copytree(ROOT / name, folder / name, ignore=compiled)
    shutil.copy(ROOT / "rubric.yaml", folder)


def _mistakes(bare: _Class) -> Iterator[_Mistake]:
    """Yield known mistakes of the exercise by which enough checks fail, and none does else."""
    for each in read_course(bare.engine.course).misconceptions:
        if each.stem == STEM and SLUG in each.slugs and isinstance(each.entry, Misconception):
            with suppress(MisconceptionError):  # edits of another state of the file
                source = spoilt(each)
                outcomes = [seen.outcome for seen in bare.graded(source).observations]
                count = outcomes.count(Outcome.FAILED)
                passed = outcomes.count(Outcome.PASSED)
                if count >= LEAST_FAILING and count + passed == len(outcomes):
                    yield _Mistake(source, count)
