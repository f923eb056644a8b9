"""What a submission that never answers costs: the next worker, and the rest of its class."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.engine.result import Result
from grader.grade.evidence import Outcome
from grader.judge.calls.client import MINIMUM_LIMIT_S
from grader.judge.calls.submission_limits import KNOWN_HANG_LIMIT_S, SECOND_HANG_LIMIT_S
from grader.submission.submission import Submission, read_submission
from tests.bench.figures import Figure
from tests.bench.loaded_worker import loaded
from tests.bench.peers.job import submissions
from tests.bench.peers.ours import STEM, write_course

MOST_MS = 25.0
MOST_OF_CLASS = 1.3
HANGS = 10
CLASS = 50
HANGING = 24
"""The one of them that hangs, which is 2 %: in the middle, where no lane waits for its end."""
MOST_ROUNDS = 5
"""A round takes most of a minute."""
LENGTH = "        length = x.shape[-2]\n"
SCORES = "    scores = query @"


@dataclass(frozen=True)
class Place:
    """Where a submission hangs: what stands there in the right one, and what in place of it."""

    what: str
    before: str
    after: str


PLACES = (
    Place("one piece of six", LENGTH, f"{LENGTH}        while True:\n            pass\n"),
    Place("a function that four others call", SCORES, f"    while True:\n        pass\n{SCORES}"),
)


def replaced(runs: int) -> Iterator[Figure]:
    """From the moment a time limit is met until the next worker has loaded the submission."""
    for ahead, name in ((1, "the next is ready already, as in a batch"), (0, "the next is forked")):
        samples = []
        with loaded(ahead) as worker:
            for _time in range(max(HANGS, runs)):
                samples.append(1e3 * worker.hang())
        title = f"time limit met until another worker has loaded the submission; {name}"
        yield Figure(title, tuple(samples[1:]), "ms", MOST_MS)


def classes(runs: int) -> Iterator[Figure]:
    """A class in which one of fifty hangs, beside the same class in which none does."""
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        (Path(name) / "course").mkdir()
        write_course(Path(name) / "course")
        course = find_course(Path(name) / "course")
        right = tuple(_class(Path(name) / "right"))
        hanging = {
            place.what: tuple(_class(Path(name) / f"hanging-{number}", place))
            for number, place in enumerate(PLACES)
        }
        with Engine(course, Options(workers=2)) as engine:
            list(engine.grade(right[:8]))
            rounds = [_round(engine, right, hanging) for _ in range(min(runs, MOST_ROUNDS))]
    for what in hanging:
        yield _figure(what, [one[what] for one in rounds])


def _class(folder: Path, hang: Place | None = None) -> Iterator[Submission]:
    """Yield the submissions of a class; one of them hangs, if a place is given."""
    folder.mkdir()
    for number, (name, source, _right) in enumerate(submissions(CLASS)):
        text = source
        if number == HANGING and hang is not None:
            assert hang.before in source, hang.before
            text = source.replace(hang.before, hang.after)
        (folder / f"{STEM}.py").write_text(text, encoding="utf-8")
        yield replace(read_submission(folder), id=name)


@dataclass(frozen=True)
class _Pair:
    """The times of a class with and without the one that hangs, and what became of that one."""

    with_s: float
    without_s: float
    stuck_s: float
    limits: int
    """The number of its checks that met a limit."""


def _round(
    engine: Engine, right: Sequence[Submission], hanging: Mapping[str, Sequence[Submission]]
) -> dict[str, _Pair]:
    without_s, _results = _graded(engine, right)
    pairs = {}
    for what, those in hanging.items():
        with_s, results = _graded(engine, those)
        stuck = next(each for each in results if each.submission.id == those[HANGING].id)
        limits = sum(seen.outcome is Outcome.TIMED_OUT for seen in stuck.observations)
        pairs[what] = _Pair(with_s, without_s, stuck.duration_ms / 1e3, limits)
    return pairs


def _graded(engine: Engine, submissions: Sequence[Submission]) -> tuple[float, list[Result]]:
    started = time.perf_counter()
    results = list(engine.grade(submissions))
    return time.perf_counter() - started, results


def _figure(what: str, pairs: Sequence[_Pair]) -> Figure:
    with_s = statistics.median(pair.with_s for pair in pairs)
    without_s = statistics.median(pair.without_s for pair in pairs)
    stuck_s = statistics.median(pair.stuck_s for pair in pairs)
    about = (
        f"{with_s:.1f} / {without_s:.1f} s; {pairs[0].limits} of its checks meet a limit, "
        f"{MINIMUM_LIMIT_S:g} s in the first, {SECOND_HANG_LIMIT_S:g} s in the second and "
        f"{KNOWN_HANG_LIMIT_S:g} s or more in others: {stuck_s:.1f} s in all"
    )
    title = f"class of {CLASS}, one of which hangs in {what} / the same without it, -j 2"
    ratios = tuple(pair.with_s / pair.without_s for pair in pairs)
    return Figure(title, ratios, "x", MOST_OF_CLASS, about)
