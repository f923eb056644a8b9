"""The targets beside the peers, as rows of `make bench`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import ROOT, Row
from tests.bench.peers import page
from tests.bench.peers.measuring import measured

OURS = "grader batch -j 1, tier full"
MOST_OF_FLOOR = 1.6
LEAST = {
    "pytest, a process each": 40,
    "otter check": 70,
    "nbgrader autograde": 50,
    "gradescope-utils": 25,
}
"""How many times as long as ours one more submission has to take."""


def beside_peers(runs: int, *, write: bool) -> Iterator[Row]:
    """The same job in other graders' own formats; `write` puts it into the docs."""
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        rows = tuple(measured(Path(name), runs, ("full", "none")))
    if write:
        page.write(ROOT / "docs", rows)
    walls = {row.name: row.wall_ms() for row in rows}
    ours = walls[OURS]
    times = ours / page.floor_of(rows).wall_ms()
    title = f"one more submission, tier full / plain loop  ({ours:.0f} ms)"
    yield Row(title, f"{times:.2f} x", f"<= {MOST_OF_FLOOR} x", times <= MOST_OF_FLOOR)
    for name, least in LEAST.items():
        if name in walls:
            faster = walls[name] / ours
            title = f"{name} / grader batch -j 1  ({walls[name]:.0f} ms)"
            yield Row(title, f"{faster:.1f} x", f">= {least} x", faster >= least)
