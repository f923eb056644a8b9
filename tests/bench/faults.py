"""What goes wrong in a class, and what that costs: failing checks, hanging calls, memory.

All parts run one after the other on one machine, and what is compared with something is measured in
turn with it, so that a busy machine is busy for both.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.failing import failing
from tests.bench.figures import Figure, keep, load
from tests.bench.hanging import classes, replaced
from tests.bench.long_class import of_one_worker, over_a_class
from tests.bench.measure import ROOT, Row

SUBMISSIONS = 2000
"""A long class, unless `--submissions` says more."""


def faults(runs: int, submissions: int, *, write: bool) -> Iterator[Row]:
    """Measure all of it; `write` puts it into the docs."""
    figures, busy = list[Figure](), load()
    for figure in _measured(runs, submissions):
        figures.append(figure)
        yield figure.row()
    if write:
        keep(ROOT / "docs", "faults", figures, busy)


def _measured(runs: int, submissions: int) -> Iterator[Figure]:
    yield from failing(runs)
    yield from replaced(runs)
    yield from classes(runs)
    yield from of_one_worker(runs)
    yield from over_a_class(submissions)
