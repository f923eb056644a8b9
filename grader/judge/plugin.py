"""The fixtures of a suite: `student`, `reference`, `probe` and `expect`.

They take all they need from a fixture `bench`, which is the judge's own when it grades, and
`tests/suites/conftest.py`'s when plain pytest runs the suites on the reference. The judge hands
them to a check directly, see `Suites.run`; as fixtures they serve an author's own fixtures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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

    @cached_property
    def student(self) -> Student:
        return Student(self.client, self.definitions, self.stem, self.reference.is_module)

    @cached_property
    def probe(self) -> Probe:
        return Probe(self.seed, self.student, self.reference, self.memo, self.client.known)

    @cached_property
    def expect(self) -> Expect:
        return Expect(self.client, self.memo, self.seed)

    def clear(self) -> None:
        """Put what was noted into the record; the check is over."""
        if "expect" in vars(self):
            self.record.expectations += self.expect.count
            self.record.notes += self.expect.notes
            self.record.seen += self.expect.seen
            self.record.precision = self.expect.precision
            self.record.aside = self.expect.aside
        if "probe" in vars(self):
            self.record.notes += self.probe.notes
            self.record.drawn += self.probe.drawn
            self.record.drew |= self.probe.drew


class BenchPlugin:
    """Hands out whatever bench was laid out for the check about to run."""

    laid_out: Bench

    @pytest.fixture
    def bench(self) -> Bench:
        return self.laid_out


@pytest.fixture
def student(bench: Bench) -> Student:
    """The student's definitions, called across the process boundary."""
    return bench.student


@pytest.fixture
def reference(bench: Bench) -> Reference:
    """The reference's definitions. Answers computed without gradients are remembered."""
    return bench.reference


@pytest.fixture
def probe(bench: Bench) -> Probe:
    """Seeded tensors, and modules with the same weights on both sides."""
    return bench.probe


@pytest.fixture
def expect(bench: Bench) -> Expect:
    """Comparisons that record evidence."""
    return bench.expect


TOOLS = ("student", "reference", "probe", "expect")
