"""Say what diagnosis needs of earlier runs: those in a kit, and those kept beside the course."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ...course.misconceptions import Misconception
from ..checks.check_trace import CheckTrace, Draw


class RecordedRuns(Protocol):
    """Interface: known mistakes in words, and what checks saw of them when they were recorded."""

    def misconceptions(self, stem: str) -> tuple[Misconception, ...]:
        """Return the known mistakes of an assignment, without their code."""

    def fails(self, slug: str) -> Mapping[str, frozenset[str]]:
        """Return the checks of an exercise that each mistake fails."""

    def trace(self, name: str, check: str, draw: Draw) -> CheckTrace | None:
        """Return what a check saw of a mistake, or of the reference for an empty name."""

    def names(self, check: str) -> tuple[str, ...]:
        """Return the names that a check looks up."""


class EarlierRuns(Protocol):
    """Interface: what checks saw of known mistakes the last time this course was used."""

    def trace(self, name: str, check: str, draw: Draw) -> CheckTrace | None:
        """Return what a check saw of a mistake, or of the reference for an empty name."""

    def keep(self, name: str, check: str, draw: Draw, trace: CheckTrace) -> None:
        """Remember a run for `write`."""

    def write(self) -> None:
        """Keep what was remembered for the next process."""
