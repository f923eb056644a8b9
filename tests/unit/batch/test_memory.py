"""A class that is graded takes no memory for those who are done, whatever came of them."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.batch.gradebook import Row
from grader.batch.progress import ProgressCount
from grader.grade.evidence import Observation, Outcome
from grader.report.content import Graded
from grader.store.conditions import Conditions
from grader.store.results import Results
from grader.store.store import STORE_FILE, open_store
from grader.submission.submission import Submission
from tests.unit.batch.test_batch import hand_in
from tests.unit.samples import RUBRIC, SampleResult, observations

STUDENTS = 120
WARM = 40
MOST_BYTES = 500
"""What may stay of a student: the id, the place of the record in a file, and slots in two tables.
In a class of 2,000 that is 1 MB. A row of assignment 1 takes 2,400 bytes, a record 100,000."""
CONDITIONS = Conditions(*["made up"] * 8)


@dataclass
class Measured:
    """Gives everybody an outcome, and takes what is in memory as the class goes on."""

    outcome: Outcome
    bytes_by_done: dict[int, int] = field(default_factory=dict)
    begun: int = 0

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in submissions:
            self.begun += 1
            if self.begun in (WARM, STUDENTS):
                gc.collect()
                self.bytes_by_done[self.begun] = tracemalloc.get_traced_memory()[0]
            words = f"of {one.id}: " + "x" * 500
            yield SampleResult(one, tuple(self._seen(words)))

    def _seen(self, words: str) -> Iterator[Observation]:
        first, *others = observations(self.outcome, words, words)
        yield replace(first, outcome=Outcome.FAILED)
        yield from others

    @property
    def kept(self) -> float:
        """Return the bytes that stay of a student."""
        early, late = self.bytes_by_done.values()
        return (late - early) / (STUDENTS - WARM)


Keep = Callable[[Row], None]


def kept_of(outcome: Outcome, place: Path, also: Keep = lambda row: None) -> float:
    """The bytes that the parent keeps of a student; `also` keeps more."""
    folder = hand_in(place / "class", **{f"s_{n:03}": "x" for n in range(STUDENTS)})
    out, grader = place / "out", Measured(outcome)
    out.mkdir()
    entries = discover(folder, out).entries
    count = ProgressCount(STUDENTS, 1, lambda: 0.0)

    def on_row(row: Row) -> None:
        count.finish(row)
        also(row)

    with open_store(out / STORE_FILE) as store:
        tracemalloc.start()
        try:
            results = Results(store, CONDITIONS, RUBRIC)
            grade_batch(entries, RUBRIC, grader, out, on_row, results=results, steps=count.steps)
        finally:
            tracemalloc.stop()
    return grader.kept


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.COULD_NOT_CHECK])
def test_of_who_is_done_a_place_in_a_file_is_kept(tmp_path: Path, outcome: Outcome) -> None:
    assert kept_of(outcome, tmp_path) < MOST_BYTES


def test_rows_that_are_kept_would_be_noticed(tmp_path: Path) -> None:
    rows: list[Any] = []

    assert kept_of(Outcome.PASSED, tmp_path, rows.append) > 2 * MOST_BYTES
    assert len(rows) == STUDENTS
