"""From a save until all that it reached is graded and shown, beside the import of torch alone."""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.figures import Figure, keep, load
from tests.bench.marked_watch import mark
from tests.bench.measure import ROOT, Row, command, seconds
from tests.bench.watching import PAUSE_S, Edit, at_work, edits
from tests.support.terminal import Terminal

MOST_OF_IMPORT = 0.12
ASSIGNMENT = "a1."
"""The exercises whose functions are edited, one at a time."""


@dataclass(frozen=True)
class Round:
    """One function spoilt and mended again, and an import of torch beside it; all in seconds."""

    spoilt_s: float
    mended_s: float
    import_s: float


def watch_all(runs: int, *, write: bool) -> Iterator[Row]:
    """Edit one function after another of an assignment, in a student's copy of the course."""
    figures, busy = list[Figure](), load()
    numbers = itertools.count(1)
    with at_work("tests.bench.marked_watch", public=True) as (terminal, folder):
        for edit in edits():
            if edit.slug.startswith(ASSIGNMENT):
                saving = _Saving(terminal, folder / f"{edit.stem}.py", numbers)
                for figure in figures_of(edit, list(saving.rounds(edit.wrong, runs))):
                    figures.append(figure)
                    yield figure.row()
    if write:
        keep(ROOT / "docs", "watch-all", figures, busy)


def figures_of(edit: Edit, rounds: Sequence[Round]) -> Iterator[Figure]:
    """Yield what a mistake in a function took, and what its mending did, beside the import."""
    reached = f"{edit.slug} and {edit.reached} others" if edit.reached else f"{edit.slug} alone"
    imports = [one.import_s for one in rounds]
    for what, times in (
        ("a mistake", [one.spoilt_s for one in rounds]),
        ("its mending", [one.mended_s for one in rounds]),
    ):
        ratios = tuple(time / beside for time, beside in zip(times, imports, strict=True))
        about = f"{statistics.median(times) * 1e3:.0f} / {statistics.median(imports) * 1e3:.0f} ms"
        name = f"watch: {what} saved until {reached} are graded / import torch"
        yield Figure(name.replace("alone are", "alone is"), ratios, "x", MOST_OF_IMPORT, about)


@dataclass(frozen=True)
class _Saving:
    """A file that is saved while it is watched."""

    terminal: Terminal
    path: Path
    numbers: Iterator[int]
    """The saves are numbered as the marked watch numbers them."""

    def rounds(self, wrong: str, runs: int) -> Iterator[Round]:
        """Yield so many rounds, after one that does not count."""
        right = self.path.read_text(encoding="utf-8")
        importing = command([sys.executable, "-c", "import torch"])
        for number in range(runs + 1):
            import_s = seconds(importing)
            time.sleep(PAUSE_S)
            spoilt_s = self._save(wrong)
            time.sleep(PAUSE_S)
            mended_s = self._save(right)
            if number:
                yield Round(spoilt_s, mended_s, import_s)

    def _save(self, text: str) -> float:
        wanted = mark(next(self.numbers))
        started = time.perf_counter()
        self.path.write_text(text, encoding="utf-8")
        self.terminal.until(wanted)
        return time.perf_counter() - started
