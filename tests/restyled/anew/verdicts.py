"""Sum up reports on wrong programs: named, observed, nothing said, or full marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grader.grade.evidence import Observation
from tests.restyled.by_hand import Program

KIND = "|"
"""Begins a mistake that no bank has under a name: a name in the bank is a false one."""


class Told(StrEnum):
    """The most that the report says on a wrong program."""

    NAMED = "named"
    OBSERVED = "observed"
    SILENT = "silent"
    FALSE = "false"
    FULL_MARKS = "full marks"


@dataclass(frozen=True)
class Row:
    """A program, its mistake (empty if it is right), and the report on it."""

    program: Program
    mistake: str
    told: Told
    causes: tuple[str, ...]
    failed: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.program.slug}, {self.program.style}: {self.mistake or 'right'}"


def row_of(program: Program, mistake: str, failed: Sequence[Observation], known: set[str]) -> Row:
    """Return the verdict on the failing checks of one program."""
    truths = {word for word in mistake.split() if not word.startswith(KIND)}
    named = {id for o in failed for id in _named(o)}
    believed = [set(_named(o)) & known for o in failed]
    false = any(ids and not ids & truths for ids in believed)
    if not failed:
        told = Told.FULL_MARKS
    elif false:
        told = Told.FALSE
    elif any(believed):
        told = Told.NAMED
    else:
        told = Told.OBSERVED if named else Told.SILENT
    return Row(program, mistake, told, tuple(sorted(named)), tuple(o.check for o in failed))


def _named(observation: Observation) -> tuple[str, ...]:
    causes = (observation.cause, *observation.also)
    return tuple(cause.id for cause in causes if cause is not None)


def counted(rows: Iterable[Row]) -> str:
    """Return the verdicts on wrong programs in one line, and right programs that lost points."""
    rows = list(rows)
    wrong = Counter(row.told for row in rows if row.mistake)
    right = [row for row in rows if not row.mistake]
    spoilt = sum(bool(row.failed) for row in right)
    told = ", ".join(f"{wrong[verdict]} {verdict}" for verdict in Told)
    return f"{told} of {wrong.total()}; {spoilt} of {len(right)} right ones lost points"
