"""Run all benchmarks, or those named: `python -m tests.bench cold batch`."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.engine.tiers import TIERS
from grader.judge.checks.pytest_bridge import Suites
from grader.submission.submission import Submission, read_submission
from tests.bench.checking import cold, warm
from tests.bench.faults import SUBMISSIONS, faults
from tests.bench.growth import growth
from tests.bench.measure import ROOT, Row, alternating, command, limit, seconds, together
from tests.bench.no_slower import no_slower
from tests.bench.peers.rows import beside_peers
from tests.bench.reaching import watch_all
from tests.bench.scaling import scaling
from tests.bench.watching import watched
from tests.support.clients import worker_source

PYTHON = sys.executable
STEADY = 40
"""Submissions per measurement of the steady state."""
GRADED = ("a1.sdpa", "a2.causal_attention")
"""What the sample submissions hold; graded by us and by plain pytest alike."""


def help_text(runs: int) -> Iterator[Row]:
    """`grader --help`, which must not import anything heavy."""
    run = command([PYTHON, "-m", "grader", "--help"])
    run()
    yield limit("grader --help", [seconds(run) for _ in range(runs)], 120)


def batch(runs: int) -> Iterator[Row]:
    """The steady state of a batch, beside one pytest process per submission."""
    course = find_course(ROOT)
    names = ("right_plain", "right_einsum", "softmax_before_scaling", "mask_inverted")
    bases = [read_submission(ROOT / "tests" / "corpus" / name) for name in names]
    suites = [str(path.relative_to(ROOT)) for path in _suites()]
    pytest_command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suites]
    for workers in (1, 2):
        pytest_run = together([pytest_command] * workers)
        pytest_run()
        with Engine(course, Options(workers=workers, only=GRADED)) as engine:
            list(engine.grade(_copies(bases, 2 * workers)))
            ratios, ours = [], []
            for _ in range(runs):
                each = seconds(lambda e=engine: list(e.grade(_copies(bases, STEADY)))) / STEADY
                ours.append(each)
                ratios.append(seconds(pytest_run) / workers / each)
        middle = statistics.median(ratios)
        name = f"batch -j {workers} / {workers} pytest process(es), same suites"
        detail = f"  ({statistics.median(ours) * 1e3:.0f} ms a submission)"
        yield Row(name + detail, f"{middle:.1f} x", ">= 20 x", middle >= 20)


def _copies(bases: list[Submission], count: int) -> Iterator[Submission]:
    for number in range(count):
        yield replace(bases[number % len(bases)], id=f"student-{number:03}")


def _suites() -> list[Path]:
    course = find_course(ROOT)
    graded = [course.rubric.exercises[slug] for slug in GRADED]
    return [path for exercise in graded for path in course.suite_files(exercise)]


def fork(runs: int) -> Iterator[Row]:
    """From asking for a worker until it is isolated and ready."""

    def start_one(source: object) -> float:
        found = []

        def start() -> None:
            worker = source.start()  # type: ignore[attr-defined]
            worker.await_ready()
            found.append(worker)

        taken = seconds(start)
        found[0].kill()
        return taken

    for tier in TIERS:
        with worker_source("fork", tier) as source:
            start_one(source)
            times = [start_one(source) for _ in range(max(20, runs))]
        yield limit(f"fork to ready, isolation {tier}", times, 10)


def layer(runs: int) -> Iterator[Row]:
    """What pytest adds to 40 checks, beside calling the same functions in a loop."""
    source = """
        class TestOutputs:
            {checks}
    """
    check = "def test_{n}(self, fixture):\n        '''It holds.'''\n        assert fixture\n"
    checks = "\n    ".join(check.format(n=n) for n in range(40))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test_layer.py"
        path.write_text(textwrap.dedent(source).format(checks=checks), encoding="utf-8")
        suites = Suites([path], Path(folder), [_Fixture()])
        items = suites.items
        functions = [item.function for item in items]

        def loop() -> None:
            for function in functions:
                function(None, True)

        def run() -> None:
            for item in items:
                suites.run(item)

        ours, bare = alternating(run, loop, max(20, runs))
    extra = [a - b for a, b in zip(ours, bare, strict=True)]
    yield limit("pytest layer per 40 checks", extra, 10)


def watch(runs: int) -> Iterator[Row]:
    """From the write of a file to its verdict on a terminal, once warm."""
    for public, where in ((True, "student's copy"), (False, "hidden suites too")):
        for slug, times in watched(runs, public=public):
            yield limit(f"watch: edit to verdict, {slug}, {where}", times, 150)


class _Fixture:
    import pytest

    @pytest.fixture
    def fixture(self) -> bool:
        return True


@dataclass(frozen=True)
class Settings:
    """Options of the command line."""

    runs: int
    most: int
    """The largest class of `growth`."""
    submissions: int
    """The long class of `faults`."""
    write: bool
    """Put what `peers`, `scaling`, `watch-all` and `faults` measure into the docs, and `no-slower`
    into its record."""


BENCHMARKS: dict[str, Callable[[Settings], Iterator[Row]]] = {
    "help": lambda settings: help_text(settings.runs),
    "cold": lambda settings: cold(settings.runs),
    "warm": lambda settings: warm(settings.runs),
    "fork": lambda settings: fork(settings.runs),
    "layer": lambda settings: layer(settings.runs),
    "batch": lambda settings: batch(settings.runs),
    "watch": lambda settings: watch(settings.runs),
    "watch-all": lambda settings: watch_all(settings.runs, write=settings.write),
    "faults": lambda settings: faults(settings.runs, settings.submissions, write=settings.write),
    "peers": lambda settings: beside_peers(settings.runs, write=settings.write),
    "growth": lambda settings: growth(settings.runs, settings.most),
    "scaling": lambda settings: scaling(min(settings.runs, 3), write=settings.write),
    "no-slower": lambda settings: no_slower(settings.runs, write=settings.write),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHMARKS, []], help="default: all")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--most", type=int, default=1000, help="the largest class of `growth`")
    parser.add_argument(
        "--submissions", type=int, default=SUBMISSIONS, help="the long class of `faults`"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="keep what `peers`, `scaling`, `watch-all`, `faults` and `no-slower` say",
    )
    arguments = parser.parse_args()
    settings = Settings(arguments.runs, arguments.most, arguments.submissions, arguments.write)
    missed = 0
    for name in arguments.names or BENCHMARKS:
        for row in BENCHMARKS[name](settings):
            print(row, flush=True)
            missed += row.holds is False
    return min(missed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
