"""Name the checks of an exercise for a reader, hidden ones by number unless names are allowed.

Names, parameters and titles of hidden checks tell what a hidden suite asks for. Every format that
names checks takes the names from here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.grade.evidence import Observation, Outcome
from grader.report.content import LOST, ExerciseReport, Report

_TITLE_SHOWN = (*LOST, Outcome.COULD_NOT_CHECK)
"""Outcomes that show the title of a check in every format, even of a hidden one."""


@dataclass(frozen=True)
class CheckName:
    """The name of a check within its criterion and, where it may be read, its title."""

    criterion: str
    name: str
    title: str


def check_names(
    report: Report, part: ExerciseReport, checks: Iterable[Observation], *, for_staff: bool = False
) -> Iterator[CheckName]:
    """Yield the name of each of an exercise's checks, in their order.

    Checks of a hidden criterion are numbered from 1 in that order; `for_staff` names them all.
    """
    named = for_staff or report.name_hidden_checks
    hidden = {one.criterion for one in part.grade.criteria if one.is_hidden and not named}
    numbers: Counter[str] = Counter()
    for seen in checks:
        numbers[seen.criterion] += 1
        is_hidden = seen.criterion in hidden
        yield _numbered(seen, numbers[seen.criterion]) if is_hidden else _named(seen)


def _named(seen: Observation) -> CheckName:
    return CheckName(seen.criterion, seen.check.split("/", 2)[2], seen.title)


def _numbered(seen: Observation, number: int) -> CheckName:
    title = seen.title if seen.outcome in _TITLE_SHOWN else ""
    return CheckName(seen.criterion, f"hidden_{number}", title)
