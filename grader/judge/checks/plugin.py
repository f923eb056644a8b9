"""Provide the fixtures of a suite: `student`, `reference`, `probe` and `expect`.

They take all they need from a fixture `context`, which is the judge's own when it grades, and
`tests/suites/conftest.py`'s when plain pytest runs the suites on the reference. The judge hands
them to a check directly, see `Suites.run`; as fixtures they serve an author's own fixtures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pytest

from ..calls.client import Client
from ..reference.memo import Memo, Reference
from .expect import Expect
from .namespace import Definitions, Student
from .observe import CheckRecord
from .probe import Probe


@dataclass
class CheckContext:
    """Everything that the fixtures of one check hand out."""

    client: Client
    definitions: Definitions
    stem: str
    reference: Reference
    memo: Memo
    seed: int
    record: CheckRecord

    @cached_property
    def student(self) -> Student:
        known = self.reference
        first = known.first_inputs
        return Student(self.client, self.definitions, self.stem, known.is_module, first)

    @cached_property
    def probe(self) -> Probe:
        return Probe(self.seed, self.student, self.reference, self.memo, self.client.known)

    @cached_property
    def expect(self) -> Expect:
        watched: Expect = self.client.watched(Expect(self.client, self.memo, self.seed))
        return watched

    def clear(self) -> None:
        """Copy what the tools noted into the record when the check is over."""
        if "expect" in vars(self):
            made = self.expect.record
            self.record.expectations += made.count
            self.record.notes += made.notes
            self.record.compared += made.compared
            self.record.precision = made.precision
            self.record.details = made.details
        if "probe" in vars(self):
            self.record.notes += self.probe.notes
            self.record.drew |= self.probe.drew
        # Of a matched pair the numbers are the same however they are stored, unless a check goes
        # by the student's own names. Any other module holds what those names and shapes drew.
        own = [m for m in self.client.modules if m.pair is None or m.is_read_by_name]
        self.record.drawn += [module.layout for module in own]


class ContextPlugin:
    """A plugin that hands out the context prepared for the check about to run."""

    prepared: CheckContext

    @pytest.fixture
    def context(self) -> CheckContext:
        return self.prepared


@pytest.fixture
def student(context: CheckContext) -> Student:
    """Return the student's definitions, called across the process boundary."""
    return context.student


@pytest.fixture
def reference(context: CheckContext) -> Reference:
    """Return the reference's definitions, which remember answers computed without gradients."""
    return context.reference


@pytest.fixture
def probe(context: CheckContext) -> Probe:
    """Return a source of seeded tensors, and of modules with the same weights on both sides."""
    return context.probe


@pytest.fixture
def expect(context: CheckContext) -> Expect:
    """Return the comparisons that record evidence."""
    return context.expect


FIXTURES = ("student", "reference", "probe", "expect")
