"""How long a student waits for `grader check`, cold and warm, beside the import of torch alone."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.bench.measure import Row, alternating, command, ratio

MOST_OF_ONE, MOST_OF_ALL = 1.35, 1.6
READY_S = 10.0
"""So long a warm process is waited for: it imports torch after the check that began it."""
UNTOUCHED, SOLVED = "assignments", "tests/corpus/right_plain"
IMPORT = [sys.executable, "-c", "import torch"]


def cold(runs: int) -> Iterator[Row]:
    """`grader check` of one assignment and of all in a folder, each in a process of its own."""
    for what, folder in (("untouched", UNTOUCHED), ("solved", SOLVED)):
        for only, most in (((), MOST_OF_ALL), (("--only", "a1"), MOST_OF_ONE)):
            name = f"cold grader check, {what}{', assignment 1' if only else ''} / import torch"
            yield ratio(name, *alternating(_check(folder, *only), command(IMPORT), runs), most)


def warm(runs: int) -> Iterator[Row]:
    """`grader check --warm`, once a process stands by."""
    with _standing_by() as check:
        for what, folder, only in (
            ("untouched, assignment 1", UNTOUCHED, "a1"),
            ("solved, assignment 1", SOLVED, "a1"),
            ("solved, one exercise", SOLVED, "a1.sdpa"),
        ):
            run = check(folder, "--only", only)
            times = alternating(run, command(IMPORT), runs)
            yield ratio(f"grader check --warm, {what} / import torch", *times, MOST_OF_ONE)


def _check(folder: str, *more: str) -> Callable[[], None]:
    return command([sys.executable, "-m", "grader", "check", folder, *more], (0, 1))


@contextmanager
def _standing_by() -> Iterator[Callable[..., Callable[[], None]]]:
    """Provide checks that are warm; the process that they leave behind is ended afterwards."""
    before = os.environ.get("XDG_RUNTIME_DIR")
    # Short, because the path of a socket may have a hundred letters.
    with tempfile.TemporaryDirectory(prefix="grader-", dir="/tmp") as place:
        os.environ["XDG_RUNTIME_DIR"] = place
        try:
            _check(UNTOUCHED, "--warm", "--only", "a1")()
            time.sleep(READY_S)
            yield lambda folder, *more: _check(folder, "--warm", *more)
        finally:
            for lock in Path(place).glob("grader/*.lock"):
                with suppress(ProcessLookupError):
                    os.kill(int(lock.read_text().split()[-1]), signal.SIGTERM)
            del os.environ["XDG_RUNTIME_DIR"]
            if before is not None:
                os.environ["XDG_RUNTIME_DIR"] = before
            time.sleep(1.0)  # until it has taken its socket away
