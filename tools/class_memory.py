"""The memory of each kind of process while a class is graded: `tools/large_class.py`.

Linux only: it reads the tree of processes from /proc.
"""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tools.kills import KINDS

WARM = 200
"""So many students are graded before memory must stay as it is, or a quarter of a small class."""
STORE = "results.sqlite"


@dataclass(frozen=True)
class Sample:
    """The memory of one process at one moment, in MiB."""

    done: int
    """The results in the store by then."""
    kind: str
    pid: int
    own: float
    """What only this process has, which is what one process more costs."""
    anonymous: float
    """What is in no file, also if it shares that with processes it has forked.

    A zygote's own memory is next to nothing while a worker lives, and this is not.
    """


@dataclass
class Memory:
    """The memory of a batch while it runs."""

    samples: list[Sample] = field(default_factory=list)

    def look(self, pid: int, out: Path) -> None:
        done = results_in(out / STORE)
        for kind, processes in KINDS.items():
            for one in processes(pid):
                own, anonymous = mib_of(one)
                if anonymous:
                    self.samples.append(Sample(done, kind, one, own, anonymous))

    def most(self) -> dict[str, float]:
        """The most memory that one process had for itself, by kind."""
        return {
            kind: max((one.own for one in self.samples if one.kind == kind), default=0.0)
            for kind in KINDS
        }

    def growths(self) -> Iterator[Growth]:
        """Yield what became of each kind that lives as long as the batch.

        A batch that goes on where another was ended is as warm as what it graded itself.
        """
        first = min((one.done for one in self.samples), default=0)
        most = max((one.done for one in self.samples), default=0)
        warm = min(WARM, (most - first) // 4)
        for kind in [kind for kind in KINDS if kind != "worker"]:
            own = [one for one in self.samples if one.kind == kind]
            early = [one for one in own if warm <= one.done - first < 2 * warm]
            late = [one for one in own if one.done >= most - warm]
            if early and late:
                yield Growth(kind, typical(early), typical(late))

    def write(self, path: Path) -> None:
        """Write every sample, to look at what grew and when."""
        with path.open("w", encoding="utf-8", newline="") as lines:
            table = csv.writer(lines)
            table.writerow(("done", "kind", "pid", "own", "anonymous"))
            for one in self.samples:
                figures = (f"{one.own:.2f}", f"{one.anonymous:.2f}")
                table.writerow((one.done, one.kind, one.pid, *figures))


@dataclass(frozen=True)
class Growth:
    """The memory of one kind of process when it is warm and at the end, in MiB."""

    kind: str
    early: float
    late: float

    @property
    def percent(self) -> float:
        return 100 * (self.late / self.early - 1)

    def __str__(self) -> str:
        return f"{self.kind:8} {self.early:7.1f} -> {self.late:7.1f} MiB ({self.percent:+.1f} %)"


def typical(samples: Sequence[Sample]) -> float:
    """The middle of the largest process of a kind: a zygote has a small one around it."""
    largest: dict[int, float] = {}
    for one in samples:
        largest[one.pid] = max(largest.get(one.pid, 0.0), one.anonymous)
    known = [one for one in samples if largest[one.pid] > max(largest.values()) / 2]
    return median(one.anonymous for one in known)


def mib_of(pid: int) -> tuple[float, float]:
    """The memory that only this process has, and what of its memory is in no file."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0, 0.0
    sizes = {line.split()[0]: line.split()[1] for line in lines[1:]}
    own = sum(int(size) for name, size in sizes.items() if name.startswith("Private_"))
    return own / 1024, int(sizes["Anonymous:"]) / 1024


def results_in(store: Path) -> int:
    """How many results a store has; 0 if there is no store yet."""
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=0.1)) as database:
            [count] = database.execute("SELECT count(*) FROM results").fetchone()
    except sqlite3.Error:
        return 0
    return int(count)
