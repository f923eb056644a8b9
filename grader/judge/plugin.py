"""The fixtures of a suite: `student`, `reference`, `probe` and `expect`.

They take all they need from a fixture `bench`, which is the judge's own when it grades, and
`tests/suites/conftest.py`'s when plain pytest runs the suites on the reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from .client import Client
from .expect import Expect
from .memo import Memo, Reference
from .namespace import Definitions, Student
from .observe import Record
from .probe import Probe


@dataclass
class Bench:
    """All that the fixtures of one check hand out."""

    client: Client
    definitions: Definitions
    stem: str
    reference: Reference
    memo: Memo
    seed: int
    record: Record


class BenchPlugin:
    """Hands out whatever bench was laid out for the check about to run."""

    laid_out: Bench

    @pytest.fixture
    def bench(self) -> Bench:
        return self.laid_out


@pytest.fixture
def student(bench: Bench) -> Student:
    """The student's definitions, called across the process boundary."""
    return Student(bench.client, bench.definitions, bench.stem, bench.reference.is_module)


@pytest.fixture
def reference(bench: Bench) -> Reference:
    """The reference's definitions. Answers computed without gradients are remembered."""
    return bench.reference


@pytest.fixture
def probe(bench: Bench, student: Student, reference: Reference) -> Iterator[Probe]:
    """Seeded tensors, and modules with the same weights on both sides."""
    probe = Probe(bench.seed, student, reference, bench.memo, bench.client.known)
    yield probe
    bench.record.notes += probe.notes


@pytest.fixture
def expect(bench: Bench) -> Iterator[Expect]:
    """Comparisons that record evidence."""
    expect = Expect(bench.client, bench.memo, bench.seed)
    yield expect
    bench.record.expectations += expect.count
    bench.record.notes += expect.notes
    bench.record.seen += expect.seen
    bench.record.precision = expect.precision
