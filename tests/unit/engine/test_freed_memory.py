"""A large hand-in takes memory while it is there, and not for the rest of a class."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

MOST_KIB = 2048
TRIES = 4
_TELLS_THE_C_LIBRARY = {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"}
# The first block is a mapping of its own; when that is freed, the C library takes the next one of
# its size from the heap, and anything small above it keeps the whole there.
_TWO_LARGE_BLOCKS = """
import sys
from pathlib import Path
from types import SimpleNamespace
from grader.course.course import course_here
from grader.engine.engine import Engine

def anonymous_kib():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))

tree = SimpleNamespace(
    starter=SimpleNamespace(start=lambda hello, order: None), close=lambda lanes: None
)
engine = Engine(course_here(Path("tests/toy_course"), Path(".")), begun=tree)
if sys.argv[1] == "engine":
    engine.__enter__()
filling = [b"z" * 2000 for _ in range(50_000)]  # leaves no room for what follows but at the top
before = anonymous_kib()
first = b"x" * (10 << 20)
del first
second = b"x" * (10 << 20)
small = [b"y" * 2000 for _ in range(100)]
del second
print(anonymous_kib() - before)
"""


def grown_kib(way: str) -> int:
    words = [sys.executable, "-c", _TWO_LARGE_BLOCKS, way]
    told = {name: value for name, value in os.environ.items() if name not in _TELLS_THE_C_LIBRARY}
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, env=told)
    return int(run.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_was_freed_is_given_back_where_a_class_is_graded() -> None:
    grown = [grown_kib("engine") for _ in range(TRIES)]
    assert max(grown) < MOST_KIB
    # Where a process lies in memory is drawn anew each time: next to another mapping its heap
    # cannot grow, and the second block is a mapping again, which is given back in any case.
    otherwise = [grown_kib("nothing") for _ in range(TRIES)]
    if max(otherwise) < MOST_KIB:
        pytest.skip("the C library of this machine gives large blocks back by itself")
    assert max(otherwise) > 4 * MOST_KIB  # else it shows nothing
