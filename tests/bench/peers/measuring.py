"""Run the forms side by side: wall time, processor time and memory of whole process trees."""

from __future__ import annotations

import csv
import ctypes
import os
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import threading
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from . import job, right
from .forms import FLOOR_FORM, PEERS, ROOT, Form, environment
from .job import checks, submissions
from .ours import STEM, write_course

VENVS = ROOT / "build" / "bench"
FEW, MANY = 2, 6
"""Submissions of a short and a long run of a form: the difference is the cost of one more."""
MANY_FAST = 40
"""The same for the forms that grade many in one go."""
SAMPLE_S = 0.05
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Use:
    """The cost of some processes, with everything they started."""

    wall_s: float
    cpu_s: float

    def __sub__(self, other: Use) -> Use:
        return Use(self.wall_s - other.wall_s, self.cpu_s - other.cpu_s)

    def __truediv__(self, count: int) -> Use:
        return Use(self.wall_s / count, self.cpu_s / count)


@dataclass(frozen=True)
class Measured:
    """The cost of one more submission in a form, in each round, and its memory."""

    name: str
    alone: tuple[Use, ...]
    """Of a run with one submission, start-up included."""
    another: tuple[Use, ...]
    """Of each further submission."""
    memory_mb: float
    """The highest proportional memory (PSS) of all its processes together."""

    def wall_ms(self) -> float:
        return 1e3 * statistics.median(use.wall_s for use in self.another)

    def cpu_ms(self) -> float:
        return 1e3 * statistics.median(use.cpu_s for use in self.another)

    def alone_ms(self) -> float:
        return 1e3 * statistics.median(use.wall_s for use in self.alone)

    def spread(self) -> float:
        """Return (slowest - fastest) / median of the rounds' wall times of one more."""
        walls = [use.wall_s for use in self.another]
        return (max(walls) - min(walls)) / statistics.median(walls)


class Disagreement(Exception):
    """A form gave another number of passed checks than the plain loop: it is not comparable."""


@dataclass(frozen=True)
class Runner:
    """A form at work in a folder of its own."""

    name: str
    folder: Path
    few: list[str]
    many: list[str]

    def run(self, names: list[str]) -> Use:
        raise NotImplementedError

    def passed(self, name: str) -> int | None:
        raise NotImplementedError

    def memory_mb(self) -> float:
        """Return the peak of a short run, which is not timed."""
        with _Watched() as watched:
            self.run(self.few)
        return watched.peak_kb / 1024


@dataclass(frozen=True)
class FormRunner(Runner):
    """A plain form or a peer."""

    form: Form
    python: str

    def run(self, names: list[str]) -> Use:
        commands = self.form.commands(self.folder, self.python, names)
        return _used(commands, self.folder, environment(self.python))

    def passed(self, name: str) -> int | None:
        return self.form.passed(self.folder, name)


@dataclass(frozen=True)
class OurRunner(Runner):
    """`grader batch`, in a tier and with some lanes."""

    lanes: int
    tier: str

    def run(self, names: list[str]) -> Use:
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        hand_in = self.folder / ("few" if names == self.few else "many")
        command = [sys.executable, "-m", "grader", "batch", str(hand_in), "--out", str(out)]
        command += ["--course", str(self.folder / "course"), "-j", str(self.lanes), "--quiet"]
        command += ["--isolation", self.tier]
        return _used([command], ROOT, environment(sys.executable))

    def passed(self, name: str) -> int | None:
        with (self.folder / "out" / "gradebook.csv").open(encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                if row["id"] == name:
                    return int(row["passed"])
        return None


def measured(folder: Path, rounds: int, tiers: Sequence[str]) -> Iterator[Measured]:
    """Measure the plain loop, this grader and the peers, in turn in each round.

    Raises:
        Disagreement: a form does not give the verdicts of the plain loop.
    """
    runners = [*_ours(folder, tiers), *_others(folder)]
    for runner in runners:
        runner.run(runner.few)  # compiles, and fills the caches of files
        _compare(runner)
    memory = [runner.memory_mb() for runner in runners]
    alone: list[list[Use]] = [[] for _ in runners]
    another: list[list[Use]] = [[] for _ in runners]
    for _ in range(rounds):
        for number, runner in enumerate(runners):
            few, many = runner.run(runner.few), runner.run(runner.many)
            each = (many - few) / (len(runner.many) - len(runner.few))
            another[number].append(each)
            alone[number].append(few - each)
    for number, runner in enumerate(runners):
        yield Measured(runner.name, tuple(alone[number]), tuple(another[number]), memory[number])


def _compare(runner: Runner) -> None:
    wanted = dict(_expected(len(runner.few)))
    got = {name: runner.passed(name) for name in runner.few}
    if got != wanted:
        raise Disagreement(f"{runner.name}: passed {got}, and the plain loop {wanted}")


def _expected(count: int) -> Iterator[tuple[str, int]]:
    """Yield what the plain loop says, computed in this process."""
    for name, source, _is_right in submissions(count):
        student = ModuleType("submission")
        exec(source, vars(student))
        passed = 0
        for check in checks():
            with suppress(AssertionError):
                job.run(check, student, right)
                passed += 1
        yield name, passed


def _others(folder: Path) -> Iterator[Runner]:
    for form in (FLOOR_FORM, *PEERS):
        python = sys.executable if form.package is None else _python_with(form.package)
        if python is None:
            print(f"{form.package} could not be installed: left out", file=sys.stderr)
            continue
        many = MANY_FAST if form is FLOOR_FORM else MANY
        place = folder / form.name.replace(" ", "-")
        place.mkdir()
        pairs = [(name, source) for name, source, _right in submissions(many)]
        form.prepare(place, pairs)
        names = [name for name, _source in pairs]
        if form.name.startswith("nbgrader"):
            _used(form.commands(place, python, names), place, environment(python))
        yield FormRunner(form.name, place, names[:FEW], names, form, python)


def _ours(folder: Path, tiers: Sequence[str]) -> Iterator[Runner]:
    for tier in tiers:
        for lanes in (1, 2):
            place = folder / f"ours-{tier}-{lanes}"
            (place / "course").mkdir(parents=True)
            write_course(place / "course")
            pairs = [(name, source) for name, source, _right in submissions(MANY_FAST)]
            for group, those in (("few", pairs[:FEW]), ("many", pairs)):
                for name, source in those:
                    (place / group / name).mkdir(parents=True)
                    (place / group / name / f"{STEM}.py").write_text(source, encoding="utf-8")
            names = [name for name, _source in pairs]
            title = f"grader batch -j {lanes}, tier {tier}"
            yield OurRunner(title, place, names[:FEW], names, lanes, tier)


def _python_with(package: str) -> str | None:
    """Return the Python of a virtual environment with the package, made on first use.

    It gets torch from the environment of this process: a second copy would take a gigabyte.
    """
    place = VENVS / package
    python = place / "bin" / "python"
    if not (place / "ready").is_file():
        shutil.rmtree(place, ignore_errors=True)
        venv.create(place, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", package]
        if subprocess.run(install, stdout=subprocess.DEVNULL).returncode:
            return None
        name = f"python{sys.version_info.major}.{sys.version_info.minor}"
        ours = sysconfig.get_paths()["purelib"]
        path = place / "lib" / name / "site-packages" / "zz_torch.pth"
        path.write_text(f"{ours}\n", encoding="utf-8")  # the package's own requirements win
        (place / "ready").touch()
    return str(python)


# ---- processes ---------------------------------------------------------------------------------


def _used(commands: list[list[str]], folder: Path, environ: dict[str, str]) -> Use:
    """Run commands one after another; exit codes say whether all checks passed, and do not count.

    Descendants whose parent ended are waited for here, so that their processor time counts.
    """
    before = descendants_s()
    started = time.perf_counter()
    for command in commands:
        subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
    wall = time.perf_counter() - started
    return Use(wall, descendants_s() - before)


def descendants_s() -> float:
    """Return the processor time of all descendants that have ended; orphans are waited for here."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Watched:
    """Samples, meanwhile, the memory of all processes below this one."""

    def __enter__(self) -> _Watched:
        self.peak_kb = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.wait(SAMPLE_S):
            self.peak_kb = max(self.peak_kb, sum(map(memory_kb, descendants(os.getpid()))))


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes below one."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                yield child
                yield from descendants(child)


def memory_kb(pid: int) -> int:
    """Return a process's proportional memory; 0 if it has ended."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
