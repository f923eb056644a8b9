"""The fixtures of a suite: `student`, `reference`, `probe` and `expect`."""

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


class SuitePlugin:
    """Hands out fixtures of whatever lies on `bench` when a check starts."""

    bench: Bench

    @pytest.fixture
    def student(self) -> Student:
        """The student's definitions, called across the process boundary."""
        return Student(self.bench.client, self.bench.definitions, self.bench.stem)

    @pytest.fixture
    def reference(self) -> Reference:
        """The reference's definitions. Answers computed without gradients are remembered."""
        return self.bench.reference

    @pytest.fixture
    def probe(self, student: Student, reference: Reference) -> Iterator[Probe]:
        """Seeded tensors, and modules with the same weights on both sides."""
        probe = Probe(self.bench.seed, student, reference, self.bench.memo)
        yield probe
        self.bench.record.notes += probe.notes

    @pytest.fixture
    def expect(self) -> Iterator[Expect]:
        """Comparisons that record evidence."""
        expect = Expect(self.bench.client, self.bench.memo, self.bench.seed)
        yield expect
        record = self.bench.record
        record.expectations += expect.count
        record.notes += expect.notes
        record.precision = expect.precision
