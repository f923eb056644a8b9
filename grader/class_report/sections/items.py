"""Say of each exercise, criterion and check how hard it is, and whom it tells apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grader.class_report.data.class_data import CODES, NO_CHECK, ClassData
from grader.class_report.outline import (
    Column,
    Dot,
    Row,
    RowsOnDemand,
    Scatter,
    Section,
    Sheet,
    TableCell,
    count,
    number,
    percent,
    proportion,
    strip,
    text,
)
from grader.class_report.sections.item_columns import first_columns, last_columns, worth_columns
from grader.grade.evidence import Outcome
from grader.statistics.items import Items, effective_weights, item_statistics, upper_ends
from grader.statistics.proportion import Proportion
from grader.statistics.reliability import FEWEST
from grader.text.language import _

ID = "exercises"
HARD, EASY, TELLS = 0.2, 0.95, 0.2
"""Below and above which facility an item is called hard or easy, and from which correlation on it
is said to tell students apart."""
_DOT_EASY = 0.9
_CHECKS_SHOWN = 150
"""The most checks on the page, those to look at first; the file has all."""


@dataclass(frozen=True)
class ItemRows:
    """Items of one kind with all that is said of them, an entry for each."""

    names: tuple[str, ...]
    full: np.ndarray
    """Where a student has all of the item, of those judged. Shape (students, items)."""
    judged: np.ndarray
    """Where an item judged a student's own work. Shape (students, items)."""
    statistics: Items
    students: int

    def proportion(self, item: int) -> Proportion:
        """Return who has all of an item, of those whom it judged."""
        full, judged = self._counts
        return Proportion(full[item], judged[item])

    @cached_property
    def _counts(self) -> tuple[list[int], list[int]]:
        """Return who has all of each item, of those judged, and who was judged."""
        full = (self.full & self.judged).sum(axis=0)
        return full.tolist(), self.judged.sum(axis=0).tolist()

    def is_against_the_rest(self, item: int) -> bool:
        """Tell whether students who do well otherwise fail an item, more than by chance."""
        return self.students >= FEWEST and float(self.upper_ends[item]) < 0

    @cached_property
    def upper_ends(self) -> np.ndarray:
        """Return the upper end of the interval of each correlation."""
        return upper_ends(self.statistics.item_rest, self.statistics.judged)

    def advice(self, item: int) -> tuple[str, bool]:
        """Return what to do about an item, and whether it is a warning."""
        facility = self.proportion(item).share
        if facility is None:
            return _("Nobody's own work was judged by it."), False
        rest = float(self.statistics.item_rest[item])
        if self.is_against_the_rest(item):
            return _("Look at the check, not at the students: those who do well fail it."), True
        if facility < HARD:
            return _("Hard: teach it again, or ask whether the text says what is wanted."), True
        if facility > EASY:
            return _(
                "Nearly everybody passes: keep it as a floor, and expect no more of it."
            ), False
        if self.students >= FEWEST and rest < TELLS:
            return _("Tells little: what it asks for has little to do with the rest."), False
        return "", False


def items(data: ClassData, criteria: ItemRows) -> Section:
    """Return the section with exercises, criteria and checks."""
    exercises = of_exercises(data)
    few = len(data.graded) < FEWEST
    return Section(
        ID,
        _("Exercises, criteria and checks"),
        lead=(
            _(
                "Facility is the share of students who have all of it, of those whose own work was "
                "judged. Who did not try, or waits for a prerequisite, is counted apart."
            ),
        ),
        warning=_(
            "Fewer than {fewest} results: correlations and effective weights are not shown, since "
            "they would be chance.",
            fewest=FEWEST,
        )
        if few
        else "",
        tables=(
            _worth(data, exercises, "exercises", _("Exercises"), data.exercise_points),
            _worth(data, criteria, "criteria", _("Criteria"), data.points, is_folded=True),
            _checks(data),
        ),
    )


def scatter(data: ClassData, rows: ItemRows) -> Section:
    """Return the section with the scatter of facility against correlation, of criteria."""
    enough = len(data.graded) >= FEWEST
    dots = tuple(
        Dot(name, float(facility), float(rest), rest < TELLS or facility < HARD)
        for name, facility, rest in zip(
            rows.names, rows.statistics.mean, rows.statistics.item_rest, strict=True
        )
        if not (math.isnan(facility) or math.isnan(rest))
    )
    lead = (
        _(
            "Each dot is a criterion. In the box lies what is neither too hard nor too easy and "
            "goes along with the rest of the mark. Begin with the dots below the box: their checks "
            "want a look before anything is taught again."
        )
        if enough
        else _("Not drawn for fewer than {fewest} results.", fewest=FEWEST)
    )
    picture = Scatter(
        _("Criteria by facility and correlation with the rest"),
        _("facility"),
        _("correlation with the rest"),
        dots,
        (HARD, _DOT_EASY, TELLS),
    )
    return Section(
        "scatter", _("Which criteria to look at"), (lead,), scatter=picture if enough else None
    )


def of_exercises(data: ClassData) -> ItemRows:
    """Return the exercises as items: the share of an exercise's points."""
    points = data.exercise_points
    most = np.array(
        [sum(data.criteria[c].max_points for c in data.columns_of(s)) for s in data.slugs]
    )
    judged = _judged(
        data, [[k for c in data.columns_of(s) for k in data.criteria[c].checks] for s in data.slugs]
    )
    return _item_rows(data, data.slugs, points, most, judged)


def of_criteria(data: ClassData) -> ItemRows:
    """Return the criteria as items: the share of a criterion's points."""
    most = np.array([one.max_points for one in data.criteria])
    judged = _judged(data, [one.checks for one in data.criteria])
    return _item_rows(data, tuple(one.id for one in data.criteria), data.points, most, judged)


def of_checks(data: ClassData) -> ItemRows:
    """Return the checks as items, each passed or not."""
    judged = data.passed | data.failed
    scores = np.where(judged, data.passed, np.nan)
    home = {k: place for place, one in enumerate(data.criteria) for k in one.checks}
    own = np.nan_to_num(data.points)[:, [home[k] for k in range(len(data.checks))]]
    rests = data.totals[:, None] - own
    names = tuple(one.id for one in data.checks)
    result = item_statistics(scores, rests, data.totals)
    return ItemRows(names, data.passed, judged, result, len(data.graded))


def _item_rows(
    data: ClassData,
    names: tuple[str, ...],
    points: np.ndarray,
    most: np.ndarray,
    judged: np.ndarray,
) -> ItemRows:
    judged = judged & ~np.isnan(points) & (most > 0)
    worth = np.where(most > 0, most, 1.0)
    scores = np.where(judged, points / worth, np.nan)
    rests = data.totals[:, None] - np.nan_to_num(points)
    full = judged & (scores > 1 - 1e-9)
    return ItemRows(
        names, full, judged, item_statistics(scores, rests, data.totals), len(data.graded)
    )


def _judged(data: ClassData, columns: Sequence[Sequence[int]]) -> np.ndarray:
    """Return where any of the checks of each item judged a student's own work."""
    own = data.earned | data.failed
    masks = [own[:, list(one)].any(axis=1) for one in columns]
    return np.stack(masks, axis=1) if masks else np.zeros((len(own), 0), bool)


def _worth(
    data: ClassData,
    rows: ItemRows,
    name: str,
    title: str,
    points: np.ndarray,
    *,
    is_folded: bool = False,
) -> Sheet:
    """Return the table of items that have points."""
    known = np.nan_to_num(points)
    worth = _Worth(data, known, known.sum(axis=1), _most(data, rows.names))
    return Sheet(
        name,
        title,
        (*first_columns(), *worth_columns(), *last_columns()),
        tuple(
            (
                *_first_cells(data, rows, item),
                *worth.cells(item),
                *_last_cells(data, _columns_under(data, rows.names[item])),
            )
            for item in range(len(rows.names))
        ),
        is_folded=is_folded,
    )


def _checks(data: ClassData) -> Sheet:
    rows = of_checks(data)
    points, most = _points_of_checks(data)
    worth = _Worth(data, points, np.nansum(data.points, axis=1), most, digits=2)
    title = Column(_("What it asks"))

    def row(item: int) -> Row:
        last = text(data.checks[item].title)
        return (
            *_first_cells(data, rows, item),
            *worth.cells(item),
            *_last_cells(data, (item,)),
            last,
        )

    return Sheet(
        "checks",
        _("Checks"),
        (*first_columns(), *worth_columns(), *last_columns(), title),
        RowsOnDemand(_to_look_at_first(rows), row),
        is_folded=True,
        shown=_CHECKS_SHOWN,
    )


def _points_of_checks(data: ClassData) -> tuple[np.ndarray, np.ndarray]:
    """Return what each check gave each student, and the most that it gives.

    A check gives its part of a criterion's points; nothing where the criterion could not be
    checked. Where a criterion is all or nothing, none of its checks gives points alone: NaN.
    """
    most = np.full(len(data.checks), np.nan)
    is_known = np.zeros(data.earned.shape, bool)
    for place, one in enumerate(data.criteria):
        columns = list(one.checks)
        is_known[:, columns] = ~np.isnan(data.points[:, [place]])
        if not one.all_or_nothing:
            most[columns] = one.max_points / max(len(columns), 1)
    return np.where(data.earned & is_known, most, most * 0.0), most


@dataclass(frozen=True)
class _Worth:
    """The weight of each item in the rubric, and the part it had in this class."""

    data: ClassData
    points: np.ndarray
    """What each item gave each student; NaN for an item without points of its own."""
    totals: np.ndarray
    """What all gave each student together, also items without points of their own."""
    most: np.ndarray
    digits: int = 0

    @cached_property
    def _awarded(self) -> float:
        return float(self.totals.sum()) or 1.0

    @cached_property
    def _effective(self) -> np.ndarray:
        if len(self.data.graded) < FEWEST:
            return np.full(len(self.most), np.nan)
        return effective_weights(self.points, self.totals)

    def cells(self, item: int) -> tuple[TableCell, ...]:
        """Return the cells under `worth_columns`."""
        weight = float(self._effective[item])
        return (
            percent(float(self.points[:, item].sum()) / self._awarded, digits=self.digits),
            percent(float(self.most[item]) / (self.data.max_points or 1.0), digits=self.digits),
            percent(weight, is_warning=weight < 0, digits=self.digits),
        )


def _to_look_at_first(rows: ItemRows) -> list[int]:
    """Return the items, first those against the rest, then the hardest; last what judged nobody."""

    def place(item: int) -> tuple[bool, float]:
        share = rows.proportion(item).share
        return not rows.is_against_the_rest(item), 2.0 if share is None else share

    return sorted(range(len(rows.names)), key=place)


def _most(data: ClassData, names: tuple[str, ...]) -> np.ndarray:
    by_name = {one.id: one.max_points for one in data.criteria}
    for one in data.criteria:
        by_name[one.slug] = by_name.get(one.slug, 0.0) + one.max_points
    return np.array([by_name[name] for name in names])


def _columns_under(data: ClassData, name: str) -> tuple[int, ...]:
    slug, _slash, criterion = name.partition("/")
    return tuple(
        k
        for one in data.criteria
        if one.slug == slug and criterion in ("", one.name)
        for k in one.checks
    )


def _first_cells(data: ClassData, rows: ItemRows, item: int) -> tuple[TableCell, ...]:
    share = rows.proportion(item)
    lacking = data.people_of(rows.judged[:, item] & ~rows.full[:, item])
    rest = float(rows.statistics.item_rest[item])
    enough = rows.students >= FEWEST
    advice, is_warning = rows.advice(item)
    return (
        text(rows.names[item]),
        proportion(share),
        number(rest if enough else None, is_warning=rows.is_against_the_rest(item)),
        strip(rows.statistics.strip[:, item]),
        text(advice, is_warning=is_warning),
        TableCell(str(share.of), float(share.of)),
        count(share.of - share.count, lacking),
        percent(float(rows.statistics.mean[item])),
        number(float(rows.statistics.deviation[item])),
    )


def _last_cells(data: ClassData, columns: tuple[int, ...]) -> tuple[TableCell, ...]:
    own = data.codes_by_check[list(columns)]
    there = own != NO_CHECK
    idle = ((own == _code(Outcome.NOT_ATTEMPTED)) | ~there).all(axis=0) & there.any(axis=0)
    behind = [data.people_of(idle)]
    for outcome in (Outcome.BLOCKED, Outcome.CARRIED, Outcome.COULD_NOT_CHECK):
        has = own == _code(outcome)
        # Most checks have nobody here, and there are a thousand of them.
        behind.append(data.people_of(has.any(axis=0)) if has.any() else ())
    return tuple(count(len(people), people) for people in behind)


def _code(outcome: Outcome) -> int:
    return CODES[outcome]
