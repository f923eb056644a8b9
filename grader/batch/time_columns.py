"""Read from a roster when something was handed in, and the extensions that students have."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from grader.batch.cells import plain_cell
from grader.course.late import EXAMPLE, WHOLE_COURSE
from grader.course.rubric import Rubric
from grader.store.late_work import Times, deadlines_of
from grader.text.moments import Moment, lacks_offset, read_moment, read_span
from grader.text.problem import did_you_mean, quoted

_HANDED_IN = "handed_in"
_EXTENSION = "extension"
_COLUMN = re.compile(rf"({_HANDED_IN}|{_EXTENSION})(?:_([a-z0-9]+))?")

TimesById = Mapping[str, Mapping[str, Times]]
"""Maps a student to the times of each assignment, or of all under WHOLE_COURSE."""
NO_ONES_TIMES: TimesById = MappingProxyType({})


class RosterError(Exception):
    """A roster that cannot be used; names the file and the line, and what to do about it."""


@dataclass(frozen=True)
class TimeColumn:
    """A column with times."""

    place: int
    """Counted from 0."""
    heading: str
    kind: str
    """`handed_in` or `extension`."""
    assignment: str = WHOLE_COURSE


@dataclass(frozen=True)
class TimeCell:
    """A cell of a column with times that is not empty."""

    where: str
    """File, line and column, as problems show them."""
    student: str
    column: TimeColumn
    value: Moment | int
    """A point in time, or the seconds of an extension."""


def time_columns(header: Iterable[str]) -> tuple[TimeColumn, ...]:
    """Return the columns of a roster that hold times: `handed_in`, `extension_a1`.

    >>> [(one.kind, one.assignment) for one in time_columns(["id", "handed_in", "extension_a1"])]
    [('handed_in', ''), ('extension', 'a1')]
    """
    names = enumerate(cell.strip().casefold().replace(" ", "_") for cell in header)
    matches = ((place, name, _COLUMN.fullmatch(name)) for place, name in names)
    return tuple(
        TimeColumn(place, name, match[1], match[2] or WHOLE_COURSE)
        for place, name, match in matches
        if match is not None
    )


def cells_in(
    path: Path, line: int, student: str, row: list[str], columns: Iterable[TimeColumn]
) -> Iterator[TimeCell]:
    """Yield the times in a line of a roster. Raises RosterError."""
    for column in columns:
        text = plain_cell(row[column.place].strip()) if column.place < len(row) else ""
        if text:
            where = f"{path}:{line}:{column.place + 1}  {column.heading}"
            yield TimeCell(where, student, column, _value(text, column, where))


def times_of(cells: Iterable[TimeCell], rubric: Rubric, slugs: tuple[str, ...]) -> TimesById:
    """Return the times of each student; there are none in a course without deadlines.

    Raises RosterError for a column that is not of this course, for one time where assignments have
    deadlines of their own, and for an extension that ends before the deadline.
    """
    result: dict[str, dict[str, Times]] = defaultdict(dict)
    deadlines = deadlines_of(rubric, slugs)
    for cell in cells if rubric.late is not None else ():
        _require(cell, rubric, deadlines)
        name = cell.column.assignment
        other = result[cell.student].get(name, Times())
        if cell.column.kind == _EXTENSION:
            result[cell.student][name] = Times(other.at, cell.value)
        elif isinstance(cell.value, Moment):
            result[cell.student][name] = Times(cell.value, other.extension)
    return result


def _value(text: str, column: TimeColumn, where: str) -> Moment | int:
    is_extension = column.kind == _EXTENSION
    more = read_span(text.removeprefix("+")) if is_extension else None
    if more is not None:
        return more
    try:
        return read_moment(text)
    except ValueError:
        if lacks_offset(text):
            message = f"{quoted(text)} does not say its offset from UTC. Write {text}+09:00"
            raise RosterError(f"{where}: {message}, with the offset that is meant.") from None
        span = " or a span such as +2d" if is_extension else ""
        raise RosterError(
            f"{where}: expected a time such as {EXAMPLE}{span}, got {quoted(text)}. Mend the cell, "
            "or empty it if it is not known."
        ) from None


def _require(cell: TimeCell, rubric: Rubric, deadlines: Mapping[str, Moment]) -> None:
    """Raise RosterError if a cell does not fit the deadlines of what is graded."""
    column, name = cell.column, cell.column.assignment
    if rubric.late is not None and WHOLE_COURSE in rubric.late.deadlines and name:
        message = f"rubric.yaml has one deadline for all. Call the column {column.kind}."
        raise RosterError(f"{cell.where}: {message}")
    if name and name not in rubric.assignments:
        hint = did_you_mean(name, rubric.assignments)
        raise RosterError(f"{cell.where}: no assignment {quoted(name)}{hint}. Mend the heading.")
    own = {name: deadlines[name]} if name in deadlines else {} if name else deadlines
    if not name and isinstance(cell.value, Moment) and len(set(own.values())) > 1:
        columns = ", ".join(f"{column.kind}_{one}" for one in own)
        raise RosterError(
            f"{cell.where}: {', '.join(own)} have deadlines of their own, and this does not say "
            f"of which it is. Name columns {columns}, or grade one of them: --only "
            f"{next(iter(own))}"
        )
    if column.kind == _EXTENSION and isinstance(cell.value, Moment):
        for deadline in own.values():
            if cell.value < deadline:
                message = f"ends before the deadline, {deadline.iso}. Mend one of them."
                raise RosterError(f"{cell.where}: the extension {message}")
