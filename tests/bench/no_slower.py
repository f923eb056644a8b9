"""Hold what a check costs: at most 15 % more than what is recorded beside this file.

The job beside the peers is graded with both sides of the boundary in one process, where no process
waits for another. Two figures are held. The calls of functions, of Python and of C, are the same in
every run of one Python and torch, on any machine however busy, to a thousandth; they miss what gets
slower inside of one call. The processor time as a multiple of the plain loop's, in turns, sees that
too, and is less exact.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import torch

from grader.course.course import find_course
from grader.judge.bind.roles import Roles
from grader.judge.calls.client import LocalClient
from grader.judge.check_runner import CheckRunner
from grader.judge.mutants.mutant_runs import AS_GRADED
from grader.judge.reference.references import References
from grader.messages.hello import hello
from grader.worker import dynamo
from tests.bench.measure import Row
from tests.bench.peers import job, right
from tests.bench.peers.ours import STEM, write_course

RECORD = Path(__file__).with_name("no_slower.json")
MOST = 1.15
SUBMISSIONS = 8
"""Half of them right."""
LEAST_ROUNDS = 15
NEXT = 'if that is meant to be: make bench ARGS="no-slower --write"'


@dataclass(frozen=True)
class Cost:
    """The cost of grading the job, and the versions that its calls hang on."""

    calls: int
    times_floor: float
    python: str
    torch: str


def no_slower(rounds: int, *, write: bool) -> Iterator[Row]:
    """Compare with the record; `write` makes it anew."""
    dynamo.install()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        now = _cost(Path(name), max(rounds, LEAST_ROUNDS))
    if write:
        RECORD.write_text(json.dumps(asdict(now), indent=2) + "\n", encoding="utf-8")
    yield from compared(now, Cost(**json.loads(RECORD.read_text(encoding="utf-8"))))


def compared(now: Cost, then: Cost) -> Iterator[Row]:
    """Yield a line for each figure, which holds if it has grown by 15 % at most."""
    more = now.calls / then.calls
    of_those = (now.python, now.torch) == (then.python, then.torch)
    note = NEXT if more > MOST else ""
    if not of_those:
        note = f"recorded with Python {then.python} and torch {then.torch}: not comparable"
    yield Row(
        "calls of functions in forty checks, beside the record",
        f"{now.calls:,}, {more:.2f} x",
        f"<= {MOST} x  {note}".rstrip(),
        more <= MOST if of_those else None,
    )
    more = now.times_floor / then.times_floor
    note = NEXT if more > MOST else ""
    yield Row(
        "processor time / plain loop, beside the record",
        f"{now.times_floor:.2f}, {more:.2f} x",
        f"<= {MOST} x  {note}".rstrip(),
        more <= MOST,
    )


def _cost(folder: Path, rounds: int) -> Cost:
    sources = [source for _name, source, _right in job.submissions(SUBMISSIONS)]
    ours, floor = _graded(folder, sources), _plain(sources)
    for run in (ours, ours, floor):  # what is remembered from one submission to the next
        run()
    times: tuple[list[float], list[float]] = ([], [])
    for _round in range(rounds):
        for run, taken in zip((ours, floor), times, strict=True):
            started = time.process_time()
            run()
            taken.append(time.process_time() - started)
    ratio = statistics.median(times[0]) / statistics.median(times[1])
    return Cost(
        calls_of(ours) // SUBMISSIONS,
        round(ratio, 3),
        ".".join(platform.python_version_tuple()[:2]),
        torch.__version__.partition("+")[0],
    )


def calls_of(run: Callable[[], object]) -> int:
    """Return how many functions are called, of Python and of C."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def _graded(folder: Path, sources: list[str]) -> Callable[[], None]:
    """Return what runs all checks of all submissions as a judge does, its worker called here."""
    write_course(folder)
    course = find_course(folder)
    references = {STEM: References(folder, (STEM,)).module(STEM)}
    runner = CheckRunner(
        folder, course.rubric.seed, hello(course, ()).exercises, references, Roles()
    )
    students = [{STEM: _module(source)} for source in sources]
    clients = [_client(student[STEM]) for student in students]

    def run() -> None:
        for student, client in zip(students, clients, strict=True):
            runner.begin_submission()
            for check in runner.checks:
                runner.trace_on_references(check, student, "", AS_GRADED, client)

    return run


def _client(student: ModuleType) -> LocalClient:
    return LocalClient(lambda stem, name: getattr(student, name), lambda name: False)


def _plain(sources: list[str]) -> Callable[[], None]:
    """Return what runs the same checks in a plain loop."""
    students = list(map(_module, sources))

    def run() -> None:
        for student in students:
            for check in job.checks():
                try:
                    job.run(check, student, right)
                except Exception:  # a wrong answer: any error of the student's is one
                    continue

    return run


def _module(source: str) -> ModuleType:
    module = ModuleType("submission")
    exec(source, vars(module))
    return module
