"""Write and read `written.csv`, in which a person enters points for written answers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from grader.batch.cells import csv_text, decoded, plain_cell, safe_cell, separator
from grader.batch.gradebook import NOT_GIVEN, Given, GivenPoints, Row
from grader.batch.record_file import in_order
from grader.course.mark_schemes import earned
from grader.course.questions import WrittenItem
from grader.report.cleaning import one_line
from grader.text.points import exact
from grader.text.problem import did_you_mean, quoted

COLUMNS = ("id", "question", "points", "max", "comment", "state", "review", "answer")
TICKED = "ticked"
"""The column behind `points`, where a question has a mark scheme."""
MINUTES = "minutes"
"""A column in front of `max`, for whoever notes how long an answer took."""
NEEDED = ("id", "question", "points")
NO_CODES: Mapping[str, str] = MappingProxyType({})
LIMIT_BYTES = 64 << 20
CHANGED = "the answer changed after these points were given"
# Before the digits, so that no spreadsheet takes them for a number.
_DIGEST = "sha-"
_BETWEEN = re.compile(r"[\s,;+]+")
_NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?|[0-9]{1,6}/[1-9][0-9]{0,5}")


class WrittenPointsError(Exception):
    """Points that cannot be taken over: a line for each problem, with file and line."""


def points_file(
    rows: Iterable[Row],
    items: Iterable[WrittenItem],
    given: GivenPoints,
    wanted: Callable[[str, str], bool] = lambda id, slug: True,
    *,
    asks_minutes: bool = False,
) -> str:
    """Return the CSV text: a row for each student and question, with the points given so far.

    `wanted` says of a student and a question whether they have a row. Points that were given for
    others, or for questions outside of `items`, stay. The column `minutes` is there if it is asked
    for, or if somebody has added it.
    """
    items = tuple(items)
    left = dict(given)
    everything: list[Given] = []
    lines: list[Sequence[str]] = [COLUMNS]
    has_schemes = any(item.scheme for item in items) or any(one.ticked for one in left.values())
    has_minutes = asks_minutes or any(one.minutes is not None for one in left.values())
    for row in in_order(rows):
        for item in items:
            if not wanted(row.id, item.slug):
                continue
            one = left.pop((row.id, item.slug), NOT_GIVEN)
            lines.append(_line(row, item, one))
            everything.append(one)
    for (id, slug), one in sorted(left.items()):
        answer = f"{_DIGEST}{one.answer}" if one.answer else ""
        comment = safe_cell(one.comment)
        lines.append([safe_cell(id), slug, _entered(one), "", comment, "", "", answer])
        everything.append(one)
    if has_minutes:
        noted = ("" if one.minutes is None else exact(one.minutes) for one in everything)
        lines = _with_column(lines, [MINUTES, *noted])
    if has_schemes:
        lines = _with_column(lines, [TICKED, *(" ".join(one.ticked) for one in everything)])
    return csv_text(lines)


def _with_column(lines: Iterable[Sequence[str]], cells: Iterable[str]) -> list[Sequence[str]]:
    """Return the lines with one more cell each, behind the points."""
    at = len(NEEDED)
    return [[*line[:at], cell, *line[at:]] for line, cell in zip(lines, cells, strict=True)]


def _entered(one: Given) -> str:
    """Return the points that were entered as a number: those of ticked items are summed anew."""
    return "" if one.points is None or one.ticked else exact(one.points)


def to_review(rows: Iterable[Row], given: GivenPoints) -> tuple[tuple[str, str], ...]:
    """Return student and question of each answer that changed after it got its points."""
    return tuple(
        (row.id, slug)
        for row in rows
        for slug, written in row.written.items()
        if _is_stale(given.get((row.id, slug), Given(None)), written.digest)
    )


def _is_stale(one: Given, digest: str) -> bool:
    return one.points is not None and one.answer not in ("", digest)


def _line(row: Row, item: WrittenItem, one: Given) -> list[str]:
    written = row.written.get(item.slug)
    digest = written.digest if written else ""
    if written is None:
        state = "not read"
    else:
        state = f"answered ({written.words} words)" if digest else "empty"
    stale = written is not None and _is_stale(one, digest)
    answer = one.answer if stale else digest
    return [
        safe_cell(row.id),
        item.slug,
        _entered(one),
        exact(item.points),
        safe_cell(one.comment),
        state,
        CHANGED if stale else "",
        f"{_DIGEST}{answer}" if answer else "",
    ]


@dataclass(frozen=True)
class _Entry:
    student: str
    question: str
    given: Given
    place: str


def read_points(
    base: Path | None,
    files: Iterable[Path],
    items: Mapping[str, WrittenItem],
    students: Iterable[str],
    codes: Mapping[str, str] = NO_CODES,
) -> GivenPoints:
    """Return the points entered in the files, and those in `base` where the files say nothing.

    `codes` maps what may stand in the files for a student to the student. Raises
    WrittenPointsError with every problem of all files.
    """
    names = {**codes, **{safe_cell(student): student for student in students}}
    problems: list[str] = []
    entries: dict[tuple[str, str], _Entry] = {}
    for path in files:
        for entry in _entries(path, items, names, problems):
            first = entries.setdefault((entry.student, entry.question), entry)
            if first.given.points != entry.given.points:
                problems.append(f"{entry.place}: other points than in {first.place}; keep one")
            elif set(first.given.ticked) != set(entry.given.ticked):
                problems.append(f"{entry.place}: other items than in {first.place}; keep one")
    rest: dict[tuple[str, str], _Entry] = {}
    if base is not None:
        for entry in _entries(base, items, names, problems):
            first = rest.setdefault((entry.student, entry.question), entry)
            if first is not entry:
                problems.append(f"{entry.place}: the same as {first.place}; keep one row")
    if problems:
        raise WrittenPointsError("\n".join(problems))
    return {key: entry.given for key, entry in {**rest, **entries}.items()}


def _entries(
    path: Path, items: Mapping[str, WrittenItem], names: Mapping[str, str], problems: list[str]
) -> Iterator[_Entry]:
    """Yield the rows that say something; add what is wrong with others to `problems`."""
    try:
        text = _read(path)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator(text), strict=True)
        header = [name.strip().casefold() for name in next(reader, [])]
        missing = [name for name in NEEDED if name not in header]
        if missing:
            names_ = ", ".join(map(quoted, missing))
            problems.append(f"{path}:1: no column {names_}; the first line names the columns")
            return
        line = reader.line_num + 1
        for cells in reader:
            row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
            entry = _entry(row, f"{path}:{line}", items, names, problems)
            if entry is not None:
                yield entry
            line = reader.line_num + 1
    except csv.Error as error:
        problems.append(f"{path}:{reader.line_num}: no CSV: {error}")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is saved neither as UTF-8 nor as CP949"
        problems.append(f"{path}: cannot be read ({reason})")


def _read(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(LIMIT_BYTES + 1)
    if len(data) > LIMIT_BYTES:
        raise OSError(0, f"larger than {LIMIT_BYTES >> 20} MiB")
    return decoded(data)


def _entry(
    row: Mapping[str, str],
    place: str,
    items: Mapping[str, WrittenItem],
    names: Mapping[str, str],
    problems: list[str],
) -> _Entry | None:
    id, slug, points = (row.get(name, "") for name in NEEDED)
    ticks, comment = plain_cell(row.get(TICKED, "")), plain_cell(row.get("comment", ""))
    minutes = row.get(MINUTES, "")
    if not points and not comment and not ticks and not minutes:
        return None
    student = names.get(id) or names.get(safe_cell(id))
    item = items.get(slug)
    if student is None:
        hint = did_you_mean(one_line(id), names)
        problems.append(f"{place}: no student {quoted(one_line(id))} in this batch{hint}")
    if item is None:
        hint = did_you_mean(one_line(slug), items)
        problems.append(f"{place}: no question {quoted(one_line(slug))}{hint}")
    value = _points(points, item, place, problems) if points else None
    took = _number(minutes, MINUTES, place, problems) if minutes else None
    if points and ticks:
        problems.append(f"{place}: points and ticked items; empty one of the two cells")
    if student is None or item is None:
        return None
    answer = row.get("answer", "").removeprefix(_DIGEST)
    given = Given(value, comment, answer, minutes=took)
    if ticks and not points:
        given = _with_ticks(given, ticks, item, place, problems)
    return _Entry(student, item.slug, given, place)


def _with_ticks(
    given: Given, cell: str, item: WrittenItem, place: str, problems: list[str]
) -> Given:
    """Return what was given with the sum of the items that are named in the cell."""
    ids = [id for id in _BETWEEN.split(cell.casefold()) if id]
    known = {one.id: one for one in item.scheme}
    if not known:
        problems.append(f"{place}: {item.slug} has no scheme to tick; enter points")
        return given
    for id in dict.fromkeys(ids):
        if id not in known:
            hint = did_you_mean(one_line(id), known)
            problems.append(f"{place}: {item.slug} has no item {quoted(one_line(id))}{hint}")
        elif ids.count(id) > 1:
            problems.append(f"{place}: {quoted(id)} is ticked twice; take one out")
    ticked = tuple(one for one in item.scheme if one.id in ids)
    return replace(
        given,
        points=earned(item.scheme, ids, item.points),
        ticked=tuple(one.id for one in ticked),
        remarks=tuple(one.remark for one in ticked),
    )


def _points(
    text: str, item: WrittenItem | None, place: str, problems: list[str]
) -> Fraction | None:
    value = _number(text, "points", place, problems)
    if value is not None and item is not None and value > item.points:
        most = exact(item.points)
        problems.append(f"{place}: {item.slug} gives at most {most} points, got {exact(value)}")
    return value


def _number(text: str, what: str, place: str, problems: list[str]) -> Fraction | None:
    if _NUMBER.fullmatch(text):
        return Fraction(text)
    point = text.replace(",", ".")
    hint = f" - did you mean {quoted(point)}?" if _NUMBER.fullmatch(point) else ""
    problems.append(f"{place}: expected {what} >= 0, got {quoted(one_line(text))}{hint}")
    return None
