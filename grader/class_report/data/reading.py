"""Read a class from a folder of results: its gradebook, and the summaries in its store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from grader.batch.class_results import POINTS_FILE
from grader.batch.gradebook import FORCED, HANDED_IN_LATE, NO_TIME, RULE_COLUMNS
from grader.batch.records import RecordsError
from grader.batch.written_points import read_points
from grader.class_report.data.class_data import (
    NO_CHECK,
    CheckColumn,
    ClassData,
    CriterionColumn,
    Failure,
    GradedRow,
    Person,
    TryHistory,
    WrittenPoints,
    named_by,
)
from grader.class_report.data.gradebook_rows import GradebookRow, gradebook_rows
from grader.class_report.data.lens_file import read_lens
from grader.class_report.data.marked_answers import marked_answers
from grader.course.rubric import Rubric, Scoring, Visibility
from grader.grade.evidence import Outcome, Tried
from grader.store.store import STORE_FILE, Adjustment, open_store
from grader.store.summary import LETTERS, RecordForm
from grader.store.summary_tables import KeptSummary
from grader.text.points import shown

_OUTCOMES: Mapping[str, Outcome] = {letter: outcome for outcome, letter in LETTERS.items()}
_PENNY = 0.005
"""A smaller difference of points is rounding: gradebooks have two decimals."""


def read_class(out: Path, rubric: Rubric) -> ClassData:
    """Return the class in a folder of results.

    Raises RecordsError, StoreError, WritingError and WrittenPointsError.
    """
    rows = gradebook_rows(out)
    if not (out / STORE_FILE).is_file():
        raise RecordsError(f"{out / STORE_FILE}: no such file. Grade the class again: grader batch")
    with open_store(out / STORE_FILE) as store:
        history = tuple(store.summaries())
        appeals = store.appeals()
        adjustments = {row.id: store.adjustments(row.id) for row in rows}
    by_student: dict[str, list[KeptSummary]] = defaultdict(list)
    for kept in history:
        by_student[kept.student].append(kept)
    layout = _layout([kept.form for kept in history], rubric)
    chosen = [_counted(row, by_student.get(row.id, ())) for row in rows]
    people = tuple(_person(row, adjustments[row.id]) for row in rows)
    points = _points_by_id(history, layout)
    graded = [(place, kept.kept) for place, kept in enumerate(chosen) if kept is not None]
    return ClassData(
        course=rubric.course,
        rubric=rubric,
        people=people,
        graded=tuple(_graded(place, kept) for place, kept in graded),
        checks=layout.checks,
        codes=_codes(graded, layout),
        criteria=layout.criteria,
        points=_rows(points, [kept for _, kept in graded], layout),
        failures=tuple(_failures(graded, layout)),
        causes={id: text for _, kept in graded for id, text in kept.summary.causes.items()},
        tries=tuple(_tries(rows, by_student, points, layout)),
        written=tuple(_written(out, rows, rubric)),
        explained=read_lens(out),
        appeals=appeals,
        marked=marked_answers(out, rubric.written),
        unsteady=tuple(_unsteady(rows, by_student, layout)),
        other_results=sum(one is not None and not one.is_newest for one in chosen),
    )


@dataclass(frozen=True)
class _Chosen:
    """The result of a student that the gradebook counts."""

    kept: KeptSummary
    is_newest: bool


@dataclass(frozen=True)
class _Layout:
    """The columns of a class, and where the checks and criteria of each form stand in them."""

    checks: tuple[CheckColumn, ...]
    criteria: tuple[CriterionColumn, ...]

    @cached_property
    def check_places(self) -> Mapping[str, int]:
        return {one.id: place for place, one in enumerate(self.checks)}

    @cached_property
    def criterion_places(self) -> Mapping[str, int]:
        return {one.id: place for place, one in enumerate(self.criteria)}


def _counted(row: GradebookRow, history: Sequence[KeptSummary]) -> _Chosen | None:
    """Return the newest result with the digest and points of the row, else the newest one.

    A regrade that nobody committed leaves newer results than those that count. A row without
    points has no result: its submission could not be read, or there is none.
    """
    if not history or row.automatic is None:
        return None
    for kept in reversed(history):
        if _is_of(row, kept):
            return _Chosen(kept, kept is history[-1])
    return _Chosen(history[-1], False)


def _is_of(row: GradebookRow, kept: KeptSummary) -> bool:
    if kept.summary.digest != row.cells["digest"]:
        return False
    return [*map(row.cells.get, kept.form.criterion_names)] == [*map(_shown, kept.summary.points)]


@cache
def _shown(points: str | None) -> str:
    return "" if points is None else shown(Fraction(points))


@cache
def _float(points: str | None) -> float:
    return float("nan") if points is None else float(Fraction(points))


def _person(row: GradebookRow, adjustments: tuple[Adjustment, ...]) -> Person:
    flags = row.cells.get("flags", "")
    by_people = float(sum((one.points for one in adjustments), Fraction(0)))
    by_rules = sum(row.number(name) or 0.0 for name in RULE_COLUMNS.values())
    # What neither people nor rules on totals gave or took, lateness took.
    lost = by_people + by_rules - (row.number("adjustments") or 0.0)
    return Person(
        id=row.id,
        total=row.automatic,
        unchecked=row.number("unchecked") or 0.0,
        problem=row.cells.get("problem", ""),
        flags=flags,
        is_late=HANDED_IN_LATE in flags or NO_TIME in flags or lost > _PENNY,
        is_forced=FORCED in flags,
        adjustments=adjustments,
    )


def _layout(forms: Sequence[RecordForm], rubric: Rubric) -> _Layout:
    """Return the columns: those of the form that most have, then what only others have."""
    # Results of one store share the object of their form, and to hash one takes long.
    by_id = {id(form): form for form in forms}
    counts = Counter(map(id, forms))
    ordered = sorted(by_id.values(), key=lambda form: -counts[id(form)])
    titles = {name: title for form in reversed(ordered) for name, title in form.checks}
    names = dict.fromkeys(name for form in ordered for name, _ in form.checks)
    checks = tuple(CheckColumn(*_three(name), titles[name]) for name in names)
    within: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(checks):
        within[f"{one.slug}/{one.criterion}"].append(place)
    known = {name: (most, seen) for form in reversed(ordered) for name, most, seen in form.criteria}
    order = dict.fromkeys(name for form in ordered for name, _, _ in form.criteria)
    criteria = tuple(_criterion(name, *known[name], tuple(within[name]), rubric) for name in order)
    return _Layout(checks, criteria)


def _three(check: str) -> tuple[str, str, str]:
    slug, criterion, name = check.split("/", 2)
    return slug, criterion, name


def _criterion(
    name: str, most: str, visibility: str, checks: tuple[int, ...], rubric: Rubric
) -> CriterionColumn:
    slug, _, short = name.partition("/")
    exercise = rubric.exercises.get(slug)
    criterion = exercise.criteria.get(short) if exercise else None
    strict = criterion is not None and criterion.scoring is Scoring.ALL_OR_NOTHING
    return CriterionColumn(
        slug, short, _float(most), visibility == Visibility.PUBLIC, strict, checks
    )


def _graded(person: int, kept: KeptSummary) -> GradedRow:
    one = kept.summary
    return GradedRow(
        person, one.tier, one.weak, one.flags, one.problems, tuple(map(Tried, one.tried))
    )


_Rows = Sequence[tuple[int, KeptSummary]]
_PointsById = Mapping[int, np.ndarray]


def _codes(graded: _Rows, layout: _Layout) -> np.ndarray:
    codes = np.full((len(graded), len(layout.checks)), NO_CHECK, np.uint8)
    places: dict[int, np.ndarray] = {}
    own = layout.check_places
    for row, (_, kept) in enumerate(graded):
        if id(kept.form) not in places:
            places[id(kept.form)] = np.array([own[name] for name, _ in kept.form.checks], int)
        outcomes = np.frombuffer(kept.summary.outcomes.encode("ascii"), np.uint8)
        codes[row, places[id(kept.form)]] = outcomes
    return codes


def _points_by_id(results: Sequence[KeptSummary], layout: _Layout) -> _PointsById:
    """Map each result, by the id of its object, to its points by criterion."""
    points = np.full((len(results), len(layout.criteria)), np.nan)
    places: dict[int, np.ndarray] = {}
    own = layout.criterion_places
    for row, kept in enumerate(results):
        if id(kept.form) not in places:
            places[id(kept.form)] = np.array([*map(own.get, kept.form.criterion_names)], int)
        points[row, places[id(kept.form)]] = [*map(_float, kept.summary.points)]
    return {id(kept): own_points for kept, own_points in zip(results, points, strict=True)}


def _rows(points: _PointsById, results: Sequence[KeptSummary], layout: _Layout) -> np.ndarray:
    """Return the points of some results. Shape (results, criteria)."""
    rows = [points[id(kept)] for kept in results]
    return np.stack(rows) if rows else np.zeros((0, len(layout.criteria)))


def _failures(graded: _Rows, layout: _Layout) -> Iterator[Failure]:
    own = layout.check_places
    places: dict[int, list[int]] = {}
    for row, (_, kept) in enumerate(graded):
        if id(kept.form) not in places:
            places[id(kept.form)] = [own[name] for name, _ in kept.form.checks]
        at, outcomes = places[id(kept.form)], kept.summary.outcomes
        for check, causes, print_, observed in kept.summary.failed:
            outcome = _OUTCOMES[outcomes[check]]
            named = named_by(causes)
            yield Failure(row, at[check], causes, print_, observed, outcome, named)


def _tries(
    rows: Iterable[GradebookRow],
    by_student: Mapping[str, Sequence[KeptSummary]],
    points: _PointsById,
    layout: _Layout,
) -> Iterator[TryHistory]:
    """Yield the submissions of each student, each by its last result: a regrade is no new try."""
    slugs = tuple(dict.fromkeys(one.slug for one in layout.criteria))
    of_slug = np.array([[one.slug == slug for slug in slugs] for one in layout.criteria], float)
    every = np.stack([*points.values()]) if points else np.zeros((0, len(layout.criteria)))
    by_slug = np.nan_to_num(every) @ of_slug.reshape(every.shape[1], len(slugs))
    places = {one: place for place, one in enumerate(points)}
    for person, row in enumerate(rows):
        last: dict[str, KeptSummary] = {}
        first: dict[str, str] = {}
        for kept in by_student.get(row.id, ()):
            last[kept.inputs] = kept
            first.setdefault(kept.inputs, kept.graded_at)
        if last:
            own = [places[id(kept)] for kept in last.values()]
            yield TryHistory(person, tuple(first.values()), by_slug[own])


def _unsteady(
    rows: Iterable[GradebookRow], by_student: Mapping[str, Sequence[KeptSummary]], layout: _Layout
) -> Iterator[tuple[int, int]]:
    """Yield check and person where the same files were judged twice alike, and came out unlike.

    Alike are the same files, course and grader. What could not be checked says nothing.
    """
    own = layout.check_places
    for person, row in enumerate(rows):
        before: dict[tuple[str, int, int], KeptSummary] = {}
        seen: set[int] = set()
        for kept in by_student.get(row.id, ()):
            first = before.setdefault((kept.inputs, kept.conditions, id(kept.form)), kept)
            if first.summary.outcomes != kept.summary.outcomes:
                pairs = zip(first.summary.outcomes, kept.summary.outcomes, strict=True)
                seen |= {at for at, pair in enumerate(pairs) if _is_unlike(*pair)}
        for at in sorted(seen):
            yield own[kept.form.checks[at][0]], person


def _is_unlike(first: str, second: str) -> bool:
    unknown = LETTERS[Outcome.COULD_NOT_CHECK]
    return first != second and unknown not in (first, second)


def _written(out: Path, rows: Sequence[GradebookRow], rubric: Rubric) -> Iterator[WrittenPoints]:
    path = out / POINTS_FILE
    if not path.is_file():
        return
    given = read_points(path, (), rubric.written, [row.id for row in rows])
    for person, row in enumerate(rows):
        for slug, item in rubric.written.items():
            if (row.id, slug) in given:
                points = given[row.id, slug].points
                known = None if points is None else float(points)
                yield WrittenPoints(person, slug, known, float(item.points))
