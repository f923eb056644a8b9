"""Write `gradebook.csv`: one row per student, one column per exercise and criterion."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any

from grader.batch.cells import csv_lines, safe_cell
from grader.course.questions import WrittenItem
from grader.course.rubric import Rubric
from grader.grade.evidence import Outcome, Tried, Where
from grader.grade.totals import Rule
from grader.report.beside import BesideChecks, beside_checks
from grader.report.cleaning import one_line
from grader.report.counted_hand_in import CountedHandIn, counted_in
from grader.report.late_lines import HANDED_IN
from grader.report.tried import tried_in
from grader.store.adjusting import changed_by_rules, conflicts, lost_by_lateness, sum_of
from grader.text.language import _
from grader.text.moments import read_moment
from grader.text.points import shown

HANDED_IN_LATE = "handed in late"
"""The flag of a submission that its system calls late; what that costs is for a person to say."""
NO_TIME = "handed in late, but not known when: it costs nothing until the roster has its handed_in"
NOT_LATE = "its system calls it late, but by its handed_in it was in time"
FORCED = "graded again by hand"
"""The flag of a result that a person had made anew, and that counts whatever came out."""
RULE_COLUMNS = {Rule.DROP: "dropped", Rule.BONUS: "bonus", Rule.CAP: "capped"}
"""The gradebook's columns of what rules on totals change; part of `adjustments`."""
_BY_PERSON = ("automatic", "automatic_max", "by_a_person", "by_a_person_max")


@dataclass(frozen=True)
class Written:
    """The answer to one question, without its text."""

    words: int
    digest: str
    """The digest of the answer; empty if there is no answer."""


@dataclass(frozen=True)
class Given:
    """The points and the comment that a person gave for one answer."""

    points: Fraction | None
    comment: str = ""
    answer: str = ""
    """The digest of the answer that the points were given for."""
    ticked: tuple[str, ...] = ()
    """The ids of the items of the mark scheme that `points` are the sum of."""
    remarks: tuple[str, ...] = ()
    """What the ticked items say to the student, each with its points."""
    minutes: Fraction | None = None
    """How long marking took, if the person wrote it down."""

    @property
    def words(self) -> str:
        """Return all that a student reads about the points, in a line."""
        return "; ".join(filter(None, (*self.remarks, self.comment)))


NOT_GIVEN = Given(None)

GivenPoints = Mapping[tuple[str, str], Given]
"""Maps student and slug of the question to what a person gave."""


@dataclass(frozen=True)
class Row:
    """The facts that the gradebook keeps of one student."""

    id: str
    points: Mapping[str, Fraction | None] = field(default_factory=dict)
    """Points by `slug` and by `slug/criterion`; None if they could not be checked."""
    total: Fraction | None = None
    unchecked: Fraction = Fraction(0)
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    tier: str = ""
    digest: str = ""
    problem: str = ""
    """The reason why there are no points at all, or a problem with a file."""
    written: Mapping[str, Written] = field(default_factory=dict)
    """Maps the slug of a question to its answer; empty if nothing could be read."""
    flags: tuple[str, ...] = ()
    """Notes that a person may want to look into, each with its place."""
    adjustments: Fraction = Fraction(0)
    """Points that are part of `total` and that no check earned."""
    seconds: float | None = field(default=None, compare=False)
    """The time that grading took; None if nothing was graded."""
    is_late: bool = False
    """True if its time says so, or its system where the time is not known."""
    lost_by_lateness: Mapping[str, Fraction] = field(default_factory=dict)
    """The part of `adjustments` that lateness takes, by assignment, or for all under ''."""
    by_rules: Mapping[Rule, Fraction] = field(default_factory=dict)
    """The part of `adjustments` that rules on totals give or take, by the kind of the rule."""
    beside: tuple[BesideChecks, ...] = ()
    """What `adjustments` consists of, in words for the student."""
    tried: Mapping[Tried, int] = field(default_factory=dict)
    """What it tried and was refused, and in how many checks."""
    lacks_time: bool = False
    """True if it has a deadline, and it is not known when it was handed in."""
    counted: CountedHandIn | None = None
    """The hand-in that counts, where there are several."""


def row_of(record: Mapping[str, Any]) -> Row:
    """Return the gradebook row of a student from the record that `grader batch` keeps.

    Raises KeyError, TypeError, ValueError or AttributeError for what is no such record.
    """
    submission = record["submission"]
    id, digest = submission["id"], submission["digest"] or ""
    late = tuple(_late_flags(record))
    is_late = record.get("late") is True
    if "problem" in record:
        return Row(
            id,
            problem=record["problem"],
            digest=digest,
            flags=late,
            is_late=is_late,
            counted=counted_in(record),
        )
    times = record.get(HANDED_IN, ())
    lacks_time = any(one["at"] is None for one in times)
    checks = (check for exercise in record["exercises"] for check in exercise["checks"])
    answers = record.get("written", {}).get("answers", ())
    return Row(
        id,
        points=_points_in(record["exercises"]),
        total=Fraction(record["points"]) + sum_of(record),
        unchecked=Fraction(record["unchecked_points"]),
        outcomes=Counter(Outcome(check["outcome"]) for check in checks),
        tier=sys.intern(record["isolation"]["tier"]),
        digest=digest,
        problem=_problem([note for note in record["notes"] if note["kind"] == "problem"]),
        written={a["slug"]: Written(a["words"], a["digest"] or "") for a in answers},
        flags=(
            *late,
            *_forced_flags(record),
            *conflicts(record),
            *map(_with_place_behind, record.get("flags", ())),
        ),
        adjustments=sum_of(record),
        is_late=any(one["late"] for one in times) or (is_late and (lacks_time or not times)),
        lost_by_lateness=lost_by_lateness(record),
        by_rules=changed_by_rules(record),
        beside=beside_checks(record),
        lacks_time=lacks_time,
        tried=tried_in(record),
        seconds=_seconds(record),
        counted=counted_in(record),
    )


def _seconds(record: Mapping[str, Any]) -> float | None:
    taken_ms = record.get("timings", {}).get("duration_ms")
    return None if taken_ms is None else round(taken_ms / 1000, 3)


def _late_flags(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a person has to look into, if the system that it is from calls it late."""
    times = record.get(HANDED_IN, ())
    if not record.get("late") or any(one["late"] for one in times):
        return
    if not times:
        yield HANDED_IN_LATE
    elif any(one["at"] is None for one in times):
        yield NO_TIME
    elif all(read_moment(one["at"]) <= read_moment(one["deadline"]) for one in times):
        yield NOT_LATE


def _forced_flags(record: Mapping[str, Any]) -> Iterator[str]:
    if forced := record.get("forced"):
        yield f"{FORCED}: {forced['reason']} ({forced['author']})"


def _points_in(exercises: Iterable[Mapping[str, Any]]) -> dict[str, Fraction | None]:
    points: dict[str, Fraction | None] = {}
    for exercise in exercises:
        slug, criteria = exercise["slug"], exercise["criteria"]
        unknown = any(c["points"] is None and Fraction(c["max_points"]) for c in criteria)
        points[sys.intern(slug)] = None if unknown else _exact(exercise["points"])
        points |= {_name(slug, c["name"]): _exact(c["points"]) for c in criteria}
    return points


# A class has few names and points, and each of thousands of rows has dozens of them.


@lru_cache(maxsize=4096)
def _name(slug: str, criterion: str) -> str:
    return f"{slug}/{criterion}"


@lru_cache(maxsize=4096)
def _exact(points: str | None) -> Fraction | None:
    return None if points is None else Fraction(points)


def _problem(problems: Sequence[Mapping[str, Any]]) -> str:
    """Return the first problem with the files as a whole, and the number of the others."""
    if not problems:
        return ""
    first, *others = problems
    place = f"{Where(**first['where'])}  " if first["where"] else ""
    more = _(" (and {count} more)", count=len(others)) if others else ""
    return one_line(f"{place}{first['text']}{more}")


def _with_place_behind(flag: Mapping[str, Any]) -> str:
    return f"{flag['text']} ({Where(**flag['where'])})" if flag["where"] else str(flag["text"])


def gradebook(
    rows: Iterable[Row],
    rubric: Rubric,
    only: Iterable[str] = (),
    given: GivenPoints = MappingProxyType({}),
) -> str:
    """Return the CSV text: rows sorted by id, empty cells for unknown values."""
    in_order = sorted(rows, key=lambda row: row.id)
    return "".join(gradebook_lines(in_order, rubric, only, given))


def gradebook_lines(
    rows: Collection[Row], rubric: Rubric, only: Iterable[str], given: GivenPoints
) -> Iterator[str]:
    """Yield the lines of the CSV text, in the order of the rows, which are read twice.

    Where a person grades as well, `total` is known only when they have given all their points.
    """
    slugs = [slug for slug in rubric.exercises if not only or slug in set(only)]
    items = rubric.written_for(only)
    columns = [column for slug in slugs for column in _columns(rubric, slug)]
    most = sum((rubric.exercises[slug].points for slug in slugs), Fraction(0))
    by_person = [*chain.from_iterable(map(_item_columns, items)), *_BY_PERSON] if items else []
    filled = _filled(rows)
    # A cap may take what a bonus gave: the sum of both is 0, and both are to be seen.
    kinds = [rule for rule in Rule if rule in filled]
    adjusted = ["adjustments"] if kinds or "adjustments" in filled else []
    sums = [
        *(RULE_COLUMNS[rule] for rule in kinds),
        *adjusted,
        *by_person,
        "total",
        "max",
        "unchecked",
    ]
    attempt = ["attempt"] if "attempt" in filled else []
    header = ["id", *columns, *sums, *Outcome, "tier", "digest", *attempt, "flags", "problem"]
    lines = (
        [
            safe_cell(row.id),
            *(_points(row.points.get(column)) for column in columns),
            *(shown(row.by_rules.get(rule, Fraction(0))) for rule in kinds),
            *([shown(row.adjustments)] if adjusted else []),
            *_sums(row, most, items, given),
            shown(row.unchecked),
            *(row.outcomes.get(outcome, 0) for outcome in Outcome),
            safe_cell(row.tier),
            row.digest,
            *([row.counted.short if row.counted else ""] if attempt else []),
            safe_cell("; ".join(row.flags)),
            safe_cell(row.problem),
        ]
        for row in rows
    )
    return csv_lines(chain([header], lines))


def _filled(rows: Iterable[Row]) -> set[str]:
    """Return the columns that not every class has, and that some row of this one fills."""
    filled: set[str] = set()
    for row in rows:
        filled.update(rule for rule, points in row.by_rules.items() if points)
        filled.update(["adjustments"] if row.adjustments else [])
        filled.update(["attempt"] if row.counted else [])
    return filled


def _columns(rubric: Rubric, slug: str) -> Iterable[str]:
    yield slug
    for criterion in rubric.exercises[slug].criteria:
        yield f"{slug}/{criterion}"


def _sums(
    row: Row, most: Fraction, items: tuple[WrittenItem, ...], given: GivenPoints
) -> list[str]:
    """Return the automatic points and their maximum.

    Where a person grades as well: the points of each answer, then points and maximum of the
    automatic part, of the person's part, and of both together.
    """
    if not items:
        return [_points(row.total), shown(most)]
    got = [given.get((row.id, item.slug), NOT_GIVEN) for item in items]
    known = [one.points for one in got if one.points is not None]
    by_person = sum(known, Fraction(0)) if len(known) == len(items) else None
    both = None if row.total is None or by_person is None else row.total + by_person
    more = sum((item.points for item in items), Fraction(0))
    sums = (row.total, most, by_person, more, both, most + more)
    cells = (_item_cells(item, one) for item, one in zip(items, got, strict=True))
    return [*chain.from_iterable(cells), *map(_points, sums)]


def _item_columns(item: WrittenItem) -> Iterator[str]:
    yield item.slug
    if item.scheme:
        yield f"{item.slug} ticked"


def _item_cells(item: WrittenItem, one: Given) -> Iterator[str]:
    yield _points(one.points)
    if item.scheme:
        yield safe_cell("; ".join(map(one_line, one.remarks)))


def _points(points: Fraction | None) -> str:
    return "" if points is None else shown(points)
