"""Have the known mistakes of a course run before anybody has made them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from tempfile import TemporaryFile
from typing import IO

from ..course.course import Course
from ..course.kill_record import read_kills
from ..text.language import language_in_use
from .engine import EngineError

COMMAND = (sys.executable, "-P", "-m", "grader.judge.recorded.preparing")

IN_WORDS = 2
"""The exit code of a process that says in words what is wrong with the course."""

KIT = "{path}: a kit has what checks see of known mistakes on record, and nothing to run"


@dataclass(frozen=True)
class Prepared:
    """An exercise of which all known mistakes have been run."""

    slug: str
    mistakes: int


def prepare(course: Course, slugs: Sequence[str], processes: int) -> Iterator[Prepared]:
    """Yield each exercise as soon as its known mistakes have been run in its checks.

    What is kept already is not run again. Raises EngineError.
    """
    if course.paths.recording.is_file():
        raise EngineError(KIT.format(path=course.paths.recording))
    largest_first = sorted(slugs, key=lambda slug: -_size(course, slug))
    free: SimpleQueue[_Preparer] = SimpleQueue()

    def one(slug: str) -> Prepared:
        preparer = free.get()
        try:
            return preparer.prepared(slug)
        finally:
            free.put(preparer)

    pool = ThreadPoolExecutor(processes)
    with _preparers(course, min(processes, len(slugs))) as started:
        for preparer in started:
            free.put(preparer)
        try:
            for future in as_completed([pool.submit(one, slug) for slug in largest_first]):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _size(course: Course, slug: str) -> int:
    kills = read_kills(course.root, slug)
    return sum(map(len, kills.values()))


@dataclass(frozen=True)
class _Preparer:
    """A process that runs known mistakes, one exercise after the other."""

    process: subprocess.Popen[str]
    errors: IO[str]

    def prepared(self, slug: str) -> Prepared:
        """Have an exercise prepared. Raises EngineError."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(slug, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return Prepared(*json.loads(answer))
        code = self.process.wait()
        self.errors.seek(0)
        text = self.errors.read().strip()
        last = text.splitlines()[-1:] or [f"ended with exit code {code}"]
        raise EngineError(text if code == IN_WORDS else f"{slug}: {last[0]}")

    def end(self) -> None:
        """End the process, whatever it is at."""
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # such as what was written to a process that had ended
                pipe and pipe.close()
        self.process.wait()


@contextmanager
def _preparers(course: Course, count: int) -> Iterator[list[_Preparer]]:
    command = [*COMMAND, str(course.root), language_in_use()]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with ExitStack() as stack:
        started: list[_Preparer] = []
        for _number in range(count):
            errors = stack.enter_context(TemporaryFile("w+", encoding="utf-8", errors="replace"))
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                env=environment,
            )
            started.append(_Preparer(process, errors))
            stack.callback(started[-1].end)
        yield started
