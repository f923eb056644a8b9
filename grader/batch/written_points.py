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
) -> str:
    """Return the CSV text: a row for each student and question, with the points given so far.

    `wanted` says of a student and a question whether they have a row. Points that were given for
    others, or for questions outside of `items`, stay.
    """
    items = tuple(items)
    left = dict(given)
    ticks: list[tuple[str, ...]] = []
    lines: list[Sequence[str]] = [COLUMNS]
    has_schemes = any(item.scheme for item in items) or any(one.ticked for one in left.values())
    for row in in_order(rows):
        for item in items:
            if not wanted(row.id, item.slug):
                continue
            one = left.pop((row.id, item.slug), NOT_GIVEN)
            lines.append(_line(row, item, one))
            ticks.append(one.ticked)
    for (id, slug), one in sorted(left.items()):
        answer = f"{_DIGEST}{one.answer}" if one.answer else ""
        comment = safe_cell(one.comment)
        lines.append([safe_cell(id), slug, _entered(one), "", comment, "", "", answer])
        ticks.append(one.ticked)
    if has_schemes:
        behind = [[TICKED], *([" ".join(ticked)] for ticked in ticks)]
        lines = [[*line[:3], *more, *line[3:]] for line, more in zip(lines, behind, strict=True)]
    return csv_text(lines)


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
    if not points and not comment and not ticks:
        return None
    student = names.get(id) or names.get(safe_cell(id))
    item = items.get(slug)
    if student is None:
        hint = did_you_mean(one_line(id), names)
        problems.append(f"{place}: no student {quoted(one_line(id))} in this batch{hint}")
    if item is None:
        hint = did_you_mean(one_line(slug), items)
        problems.append(f"{place}: no question {quoted(one_line(slug))}{hint}")
    value = _number(points, item, place, problems) if points else None
    if points and ticks:
        problems.append(f"{place}: points and ticked items; empty one of the two cells")
    if student is None or item is None:
        return None
    given = Given(value, comment, row.get("answer", "").removeprefix(_DIGEST))
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


def _number(
    text: str, item: WrittenItem | None, place: str, problems: list[str]
) -> Fraction | None:
    if not _NUMBER.fullmatch(text):
        point = text.replace(",", ".")
        hint = f" - did you mean {quoted(point)}?" if _NUMBER.fullmatch(point) else ""
        problems.append(f"{place}: expected points >= 0, got {quoted(one_line(text))}{hint}")
        return None
    value = Fraction(text)
    if item is not None and value > item.points:
        most = exact(item.points)
        problems.append(f"{place}: {item.slug} gives at most {most} points, got {exact(value)}")
    return value
