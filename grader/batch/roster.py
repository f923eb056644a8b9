"""Read the list of a class, so that everybody on it has a row in the gradebook."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from grader.batch.cells import decoded, plain_cell
from grader.batch.time_columns import RosterError, TimeCell, cells_in, time_columns

_ID_COLUMNS = ("id", "student", "login", "sis login id", "username", "github", "identifier")
"""Headings of the column that names a student, the first that is there; without case."""
_TEAM_COLUMNS = ("team", "group")
"""Headings of the column that names the team of a student."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Roster:
    """The students of a class, in the order of the file."""

    path: Path
    students: tuple[str, ...]
    times: tuple[TimeCell, ...] = ()
    """What the columns `handed_in` and `extension` say, in the order of the file."""
    heading: str = "id"
    """The heading of the column that names the students, in lower case."""
    cells: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Maps a student to what all columns say, by their headings in lower case."""

    def student(self, name: str) -> str | None:
        """Return the student of that name, without regard to case and spelling of letters."""
        return self._by_name.get(_plain(name))

    @cached_property
    def _by_name(self) -> Mapping[str, str]:
        return {_plain(student): student for student in self.students}

    @cached_property
    def teams(self) -> Mapping[str, tuple[str, ...]]:
        """Map each team, as it is first spelled, to its students; empty without a column."""
        names: dict[str, str] = {}
        members: dict[str, list[str]] = {}
        for student in self.students:
            cells = self.cells.get(student, {})
            if team := next(filter(None, map(cells.get, _TEAM_COLUMNS)), ""):
                members.setdefault(names.setdefault(_plain(team), team), []).append(student)
        return {team: tuple(own) for team, own in members.items()}

    def matched(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Map ids of submissions to the students on the roster that they are of.

        An id is a student's if it is the same without regard to case and spelling of letters, or
        if exactly one of its parts between underscores is: `kimminjun_12345` is 12345's.
        """
        return _matched(ids, self._by_name)

    def matched_teams(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """Map ids of submissions, known as those of students are, to the students of a team."""
        by_id = _matched(ids, {_plain(team): team for team in self.teams})
        return {id: self.teams[team] for id, team in by_id.items()}


def read_roster(path: Path) -> Roster:
    """Return the roster in a CSV file with a heading, separated by commas, semicolons or tabs.

    Raises RosterError.
    """
    try:
        lines = decoded(path.read_bytes()).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RosterError(f"{path}: cannot be read ({error}).") from error
    separator = max(",;\t", key=lines[0].count) if lines else ","
    try:
        rows = list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error as error:
        raise RosterError(f"{path}: not a table ({error}). Save it as CSV.") from error
    column = _column(path, rows[0] if rows else [])
    headings = [cell.strip().casefold() for cell in rows[0]]
    students: dict[str, str] = {}
    cells: dict[str, Mapping[str, str]] = {}
    columns = time_columns(rows[0])
    names = [one.heading for one in columns]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RosterError(f"{path}:1: {twice} is there twice. Delete one column.")
    times: list[TimeCell] = []
    for number, row in enumerate(rows[1:], start=2):
        student = row[column].strip() if column < len(row) else ""
        if not student:
            if any(cell.strip() for cell in row):
                raise RosterError(
                    f"{path}:{number}: no student. Fill the cell, or delete the line."
                )
            continue
        if _plain(student) in students:
            raise RosterError(f"{path}:{number}: {student} is there twice. Delete one line.")
        students[_plain(student)] = student
        named = zip(headings, row, strict=False)
        cells[student] = {name: plain_cell(cell.strip()) for name, cell in named}
        times += cells_in(path, number, student, row, columns)
    if not students:
        raise RosterError(f"{path}: nobody is on it. Write one student a line under a heading.")
    return Roster(path, tuple(students.values()), tuple(times), headings[column], cells)


def _matched(ids: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Map ids to names, by the whole id or by exactly one part; `known` has them by `_plain`."""
    result = {}
    for id in ids:
        parts = {known[part] for part in map(_plain, id.split("_")) if part in known}
        if _plain(id) in known:
            result[id] = known[_plain(id)]
        elif len(parts) == 1:
            result[id] = parts.pop()
    return result


def _column(path: Path, header: list[str]) -> int:
    names = [cell.strip().casefold() for cell in header]
    for name in _ID_COLUMNS:
        if name in names:
            return names.index(name)
    raise RosterError(
        f"{path}:1: no column that names the students. Call it one of: {', '.join(_ID_COLUMNS)}."
    )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()
