"""Find the columns of a grading worksheet of Moodle, whose headers are in the site's language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.export.exported import ExportError
from grader.export.points import number_in
from grader.export.table import DownloadedTable
from grader.report.cleaning import one_line
from grader.text.problem import did_you_mean, quoted

_GRADE = ("grade", "성적", "점수", "평점")
_MAXIMUM = ("maximum grade", "최대 성적", "최고 성적", "최대 점수", "최고 점수", "최대 평점")
_NAME = ("full name", "성명", "이름", "전체 이름")
_FEEDBACK = ("feedback comments", "피드백")
"""What the header of the comments begins with."""
_KEYS = ("email address", "username", "id number", "이메일 주소", "이메일", "아이디", "학번")
_PARTICIPANT = re.compile(r"\D*(?P<number>\d+)")
_WORKSHEET = "Download the grading worksheet in Moodle again, and name that file."


@dataclass(frozen=True)
class MoodleColumns:
    """The places of the columns that are read or filled."""

    grade: int
    maximum: int | None
    feedback: int | None
    name: int | None
    keys: tuple[int, ...]


def columns_of(table: DownloadedTable, wanted: str = "") -> MoodleColumns:
    """Return the columns; `wanted` names that of the grades where it is not recognised.

    The first one is the participant's number. Raises ExportError.
    """
    names = [name.casefold() for name in table.header]
    _check_participants(table)
    grade, maximum = _grade_columns(table, names, wanted)
    feedback = [n for n, name in enumerate(names) if name.startswith(_FEEDBACK)]
    name = _first(names, _NAME)
    keys = tuple(place for key in _KEYS if (place := _first(names, (key,))) is not None)
    return MoodleColumns(grade, maximum, feedback[0] if len(feedback) == 1 else None, name, keys)


def participant(text: str) -> str:
    """Return the number in a cell such as `Participant 4711` or `참가자 4711`; empty if none."""
    match = _PARTICIPANT.fullmatch(text.strip())
    return match["number"] if match else ""


def _check_participants(table: DownloadedTable) -> None:
    """Raise ExportError unless each row has a participant's number, and each another one."""
    first: dict[str, int] = {}
    for row in table.rows:
        text = row.cells[0].text
        number = participant(text)
        if not number:
            what = f"no participant in {quoted(one_line(text))}"
            raise ExportError(
                f"{table.place(row)}: {what}; the first column of a worksheet reads "
                f"'Participant 4711'. {_WORKSHEET}"
            )
        if first.setdefault(number, row.line) != row.line:
            words = f"participant {number} is in line {first[number]} already"
            raise ExportError(f"{table.place(row)}: {words}. Delete one of the lines.")
    if not first:
        raise ExportError(f"{table.path}: nobody is in it. {_WORKSHEET}")


def _grade_columns(table: DownloadedTable, names: list[str], wanted: str) -> tuple[int, int | None]:
    """Return the columns of the grade and of the maximum.

    In any language the maximum stands behind the grade, and is one number for all.
    """
    maximum = _first(names, _MAXIMUM)
    if wanted:
        places = [n for n, name in enumerate(names) if name == wanted.strip().casefold()]
        if len(places) != 1:
            hint = did_you_mean(wanted, table.header)
            raise ExportError(f"{table.path}:1: no column {quoted(wanted)}{hint}")
        grade = places[0]
    else:
        known = [n for n, name in enumerate(names) if name in _GRADE]
        grades = known or [n for n in range(1, len(names) - 1) if _is_before_maximum(table, n)]
        if len(grades) != 1:
            raise ExportError(
                f"{table.path}:1: which column is the grade? "
                "Name it as it stands there: --column NAME"
            )
        grade = grades[0]
    if maximum is None and grade + 1 < len(names) and _is_before_maximum(table, grade):
        maximum = grade + 1
    if grade == 0 or grade == maximum:
        raise ExportError(
            f"{table.path}:1: {quoted(table.header[grade])} is no grade. {_WORKSHEET}"
        )
    return grade, maximum


def _is_before_maximum(table: DownloadedTable, place: int) -> bool:
    """Tell whether a column of grades can be here, and the next one be their maximum."""
    after = {row.cells[place + 1].text.strip() for row in table.rows}
    most = number_in(next(iter(after))) if len(after) == 1 else None
    grades = (row.cells[place].text.strip() for row in table.rows)
    return bool(most) and all(text in ("", "-") or number_in(text) is not None for text in grades)


def _first(names: list[str], known: Iterable[str]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)
