"""Measures the report on a large class: `class_times.py [--results DIR] [--students N]`.

A class of 2,000 is made up of results that were graded (`tools/made_up_class.py`): those of
`--results`, else the submissions of `tools/class_pictures.py`, graded in the whole course, which
takes some minutes. The report is built some times over, in a process of its own each time, and
opened in Chromium where there is one.

Prints the wall and processor time of the quickest build, the size of the page, and how long it
takes to open. The exit code is 1 if one of them is over its bound. On a busy machine only the
processor time says anything.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.class_report.printing import browser  # noqa: E402
from tools.class_pictures import CLASS  # noqa: E402
from tools.demo import sample_class  # noqa: E402

BUILD_S = 2.0
OPEN_S = 1.0
PAGE_BYTES = 5_000_000


@dataclass(frozen=True)
class Times:
    """What was measured of one class."""

    wall_s: float
    cpu_s: float
    page_bytes: int
    open_s: float | None
    """None without a browser."""

    def lines(self) -> Iterator[tuple[str, bool]]:
        """Each line to print, and whether what it says is within its bound."""
        yield f"built in {self.wall_s:.2f} s (bound {BUILD_S:g} s)", self.wall_s < BUILD_S
        yield f"processor time {self.cpu_s:.2f} s", True
        megabytes = self.page_bytes / 1e6
        yield f"page of {megabytes:.2f} MB (bound 5 MB)", self.page_bytes < PAGE_BYTES
        if self.open_s is None:
            yield "not opened: there is no Chromium here", True
        else:
            yield f"opened in {self.open_s:.2f} s (bound {OPEN_S:g} s)", self.open_s < OPEN_S


def grader(*words: str) -> None:
    """Runs a command on the course of this folder."""
    done = subprocess.run(
        [sys.executable, "-m", "grader", *words, "--course", str(ROOT)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"grader {words[0]} ended with {done.returncode}:\n{done.stderr}")


@contextmanager
def graded(results: Path | None) -> Iterator[Path]:
    """The results of which a class is made up."""
    if results is not None:
        yield results
        return
    with sample_class(CLASS) as folder:
        grader("batch", str(folder / "class"), "--out", str(folder / "results"))
        yield folder / "results"


def measured(results: Path, students: int, times: int, folder: Path) -> Times:
    """Makes the class up and builds its page some times over."""
    made = [
        str(ROOT / "tools/made_up_class.py"),
        str(results),
        str(folder / "class"),
        str(students),
    ]
    subprocess.run([sys.executable, *made], check=True, stdout=subprocess.DEVNULL)
    page = folder / "class.html"
    walls, cpus = [], []
    for _time in range(times):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        grader("report", str(folder / "class"), "--output", str(page))
        walls.append(time.perf_counter() - began)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return Times(min(walls), min(cpus), page.stat().st_size, opening_s(page))


def opening_s(page: Path) -> float | None:
    """The seconds until the page is laid out and its script has run; None without a browser."""
    executable = browser()
    if executable is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        opened = chromium.new_page()
        opened.goto(page.as_uri(), wait_until="load")
        taken = opened.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        chromium.close()
    return float(taken) / 1e3


def main(arguments: Sequence[str]) -> int:
    """Prints what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--results", type=Path, help="what `grader batch` wrote")
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="grader-times-") as scratch,
        graded(given.results) as own,
    ):
        times = measured(own, given.students, given.times, Path(scratch))
    for line, _is_within in times.lines():
        print(line)
    return 0 if all(is_within for _line, is_within in times.lines()) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
