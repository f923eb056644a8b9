"""Read who gave which points for written answers, where `grader marking` has dealt them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.marking import FOLDER, in_order, read_codes
from grader.batch.written_points import read_points
from grader.course.questions import WrittenItem


@dataclass(frozen=True)
class MarkedAnswer:
    """The points that one person gave one answer."""

    grader: str
    slug: str
    student: str
    points: float
    minutes: float | None = None
    """How long it took, if the person noted it."""


def marked_answers(out: Path, items: Mapping[str, WrittenItem]) -> tuple[MarkedAnswer, ...]:
    """Return every answer that was marked, for each grader in the order of their sheets.

    There are none if nothing was dealt. Raises WrittenPointsError.
    """
    codes = read_codes(out)
    return tuple(
        one
        for path in sorted((out / FOLDER).glob("grader-*.csv"), key=_number)
        for one in _of_grader(path, items, codes)
    )


def _number(path: Path) -> tuple[int, str]:
    digits = path.stem.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0, path.stem


def _of_grader(
    path: Path, items: Mapping[str, WrittenItem], codes: Mapping[str, str]
) -> Iterator[MarkedAnswer]:
    given = read_points(path, (), items, codes)
    number = _number(path)[0]
    for slug in items:
        for code in in_order(number, slug, (code for code, own in given if own == slug)):
            one = given[code, slug]
            if one.points is not None and code in codes:
                minutes = None if one.minutes is None else float(one.minutes)
                yield MarkedAnswer(path.stem, slug, codes[code], float(one.points), minutes)
