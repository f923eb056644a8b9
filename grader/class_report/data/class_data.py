"""Hold a graded class as arrays: students by checks, students by criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grader.class_report.data.lens_file import Explained
from grader.class_report.data.marked_answers import MarkedAnswer
from grader.course.rubric import Rubric
from grader.grade.evidence import OBSERVED, Outcome, Tried
from grader.store.appeal_table import KeptAppeal
from grader.store.store import Adjustment
from grader.store.summary import LETTERS

Codes = NDArray[np.uint8]
Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]

CODES: Mapping[Outcome, int] = {outcome: ord(letter) for outcome, letter in LETTERS.items()}
NO_CHECK = 0
"""The code where a student's result has no such check."""
JUDGED_WRONG = (Outcome.FAILED, Outcome.STUDENT_ERROR, Outcome.TIMED_OUT)
"""Outcomes by which a check judged a student's own work as wrong."""


@dataclass(frozen=True)
class Person:
    """One row of the gradebook."""

    id: str
    total: float | None
    """The automatic points with adjustments; None if there are none."""
    unchecked: float
    problem: str
    flags: str
    is_late: bool
    is_forced: bool = False
    """True if a person had it graded again and takes what came out."""
    adjustments: tuple[Adjustment, ...] = ()
    """Those that people made."""


@dataclass(frozen=True)
class CheckColumn:
    """One check; its place is that of its column in `ClassData.codes`."""

    slug: str
    criterion: str
    name: str
    """The name of the test within the criterion."""
    title: str

    @property
    def id(self) -> str:
        return f"{self.slug}/{self.criterion}/{self.name}"


@dataclass(frozen=True)
class CriterionColumn:
    """One criterion; its place is that of its column in `ClassData.points`."""

    slug: str
    name: str
    max_points: float
    is_public: bool
    all_or_nothing: bool
    checks: tuple[int, ...]
    """The columns of its checks."""

    @property
    def id(self) -> str:
        return f"{self.slug}/{self.name}"


class Failure(NamedTuple):
    """A check that one student did not pass; a tuple, since a class has very many of them."""

    row: int
    check: int
    causes: tuple[str, ...]
    fingerprint: str
    observed: str
    outcome: Outcome

    named: str
    """The id of the known mistake that reproduces the numbers, or nothing."""

    @property
    def is_carried(self) -> bool:
        """Tell whether the mistake had cost its points elsewhere already."""
        return self.outcome is Outcome.CARRIED

    @property
    def is_seen(self) -> bool:
        """Tell whether there is no name, but more than a difference: a pattern, an exception."""
        if self.named:
            return False
        return bool(self.causes) or self.outcome in (Outcome.STUDENT_ERROR, Outcome.TIMED_OUT)


@dataclass(frozen=True)
class TryHistory:
    """The submissions of one student, the oldest first."""

    person: int
    at: tuple[str, ...]
    """The times of grading in UTC, as ISO 8601 writes them."""
    points: Numbers
    """Points by the checks, in the order of `ClassData.slugs`. Shape (tries, exercises)."""


@dataclass(frozen=True)
class WrittenPoints:
    """The points that a person gave one answer."""

    person: int
    slug: str
    points: float | None
    max_points: float


@dataclass(frozen=True)
class GradedRow:
    """The facts about one graded student, beside checks and points."""

    person: int
    """The place among `ClassData.people`."""
    tier: str
    weak: tuple[str, ...]
    flags: tuple[str, ...]
    problems: tuple[str, ...]
    tried: tuple[Tried, ...] = ()
    """What it tried and was refused."""


@dataclass(frozen=True)
class ClassData:
    """A class as it was graded last. Rows of the arrays are `graded`, in the same order."""

    course: str
    rubric: Rubric
    people: tuple[Person, ...]
    """Everybody in the gradebook, whether graded or not."""
    graded: tuple[GradedRow, ...]
    checks: tuple[CheckColumn, ...]
    codes: Codes
    """An outcome for each student and check; see CODES. Shape (students, checks)."""
    criteria: tuple[CriterionColumn, ...]
    points: Numbers
    """Points by the checks, NaN if not known. Shape (students, criteria)."""
    failures: tuple[Failure, ...]
    causes: Mapping[str, str] = field(default_factory=dict)
    """The sentence of each cause, by id."""
    tries: tuple[TryHistory, ...] = ()
    written: tuple[WrittenPoints, ...] = ()
    explained: Explained = field(default_factory=dict)
    """The edits that explain groups, as `grader lens` wrote them: see `lens_file`."""
    appeals: tuple[KeptAppeal, ...] = ()
    marked: tuple[MarkedAnswer, ...] = ()
    """What each grader gave, where `grader marking` has dealt the answers."""
    unsteady: tuple[tuple[int, int], ...] = ()
    """Pairs of a check and a person with whose files it gave two answers: see `reading`."""
    other_results: int = 0
    """The number of students whose newest result is not the one that their row counts."""

    @property
    def slugs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.slug for one in self.criteria))

    @cached_property
    def max_points(self) -> float:
        return sum(one.max_points for one in self.criteria)

    @cached_property
    def totals(self) -> Numbers:
        """Return the points by the checks of each student; what is not known adds nothing."""
        totals: Numbers = np.nan_to_num(self.points).sum(axis=1)
        return totals

    @cached_property
    def codes_by_check(self) -> Codes:
        """Return the outcomes check by check. Shape (checks, students)."""
        return np.ascontiguousarray(self.codes.T)

    @cached_property
    def failed(self) -> Mask:
        """Return where a check judged a student's own work as wrong."""
        failed: Mask = np.isin(self.codes, [CODES[one] for one in JUDGED_WRONG])
        return failed

    @cached_property
    def passed(self) -> Mask:
        return self.with_outcome(Outcome.PASSED)

    @cached_property
    def earned(self) -> Mask:
        """Return where a check earned its share; a carried mistake has cost its points before."""
        return self.passed | self.with_outcome(Outcome.CARRIED)

    def with_outcome(self, outcome: Outcome) -> Mask:
        """Return where a check had this outcome. Shape (students, checks)."""
        mask: Mask = self.codes == CODES[outcome]
        return mask

    def columns_of(self, slug: str) -> tuple[int, ...]:
        """Return the columns of the criteria of an exercise."""
        return tuple(place for place, one in enumerate(self.criteria) if one.slug == slug)

    def people_of(self, rows: object) -> tuple[int, ...]:
        """Return the people in some rows, given as a mask of rows or as their numbers."""
        chosen = np.asarray(rows)
        places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        return tuple(self._persons[places].tolist())

    @cached_property
    def _persons(self) -> NDArray[np.int64]:
        return np.array([one.person for one in self.graded], dtype=np.int64)

    @cached_property
    def exercise_points(self) -> Numbers:
        """Return points by exercise, NaN where one is not known. Shape (students, exercises)."""
        sums = [self.points[:, list(self.columns_of(slug))].sum(axis=1) for slug in self.slugs]
        return np.stack(sums, axis=1) if sums else np.zeros((len(self.graded), 0))

    @cached_property
    def exercise_max(self) -> tuple[float, ...]:
        """Return the most points of each exercise."""
        return tuple(
            sum(self.criteria[column].max_points for column in self.columns_of(slug))
            for slug in self.slugs
        )


@cache
def named_by(causes: tuple[str, ...]) -> str:
    """Return the likely cause if it is a known mistake, and not only a pattern that was seen."""
    return causes[0] if causes and causes[0].partition(".")[0] not in OBSERVED else ""
