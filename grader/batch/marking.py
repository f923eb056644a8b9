"""Deal the written answers of a class to those who mark them, under codes in place of names.

Who marks what, and in which order, follows from the code and the question: the same command deals
the same again, also after students were added.
"""

from __future__ import annotations

import csv
import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.batch.cells import csv_text, decoded, plain_cell, safe_cell
from grader.batch.class_results import RECORDS, ByPerson
from grader.batch.gradebook import GivenPoints, Row
from grader.batch.written_points import WrittenPointsError, points_file, read_points
from grader.batch.written_sheets import sheet
from grader.course.questions import WrittenItem
from grader.files.writing import make_folder, write_file

FOLDER = "marking"
CODES_FILE = "codes.csv"
_COLUMNS = ["code", "id"]
_LETTERS = "bcdfghjkmnpqrstvwxz"
"""Consonants: they make no words, and a spreadsheet takes no code for a number."""
_LENGTH = 6


@dataclass(frozen=True)
class Dealing:
    """The way in which answers are dealt."""

    graders: int = 1
    double: int = 0
    """Percent of the answers that two people mark, to compare them."""

    def to(self, code: str, slug: str) -> tuple[int, ...]:
        """Return the numbers of the graders, from 1, who mark this answer."""
        number = int.from_bytes(hashlib.sha256(f"{slug}/{code}".encode()).digest()[:16])
        first, number = number % self.graders, number // self.graders
        if self.graders == 1 or number % 100 >= self.double:
            return (first + 1,)
        further = 1 + number // 100 % (self.graders - 1)
        return first + 1, (first + further) % self.graders + 1


@dataclass(frozen=True)
class Marked:
    """The work of one grader on one question."""

    grader: int
    slug: str
    dealt: int
    points: tuple[Fraction, ...]
    """Those given so far."""
    more_than_others: tuple[Fraction, ...]
    """By how much these points exceed another grader's, for each answer that both have marked."""


def read_codes(out: Path) -> dict[str, str]:
    """Return the student of each code, none if nothing was dealt. Raises WrittenPointsError."""
    path = out / FOLDER / CODES_FILE
    try:
        rows = list(csv.reader(decoded(path.read_bytes()).splitlines(), strict=True))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise WrittenPointsError(f"{path}: cannot be read ({error})") from None
    if rows[:1] != [_COLUMNS] or any(len(row) != 2 for row in rows):
        raise WrittenPointsError(
            f"{path}: not as `grader marking` wrote it. Bring the old one back"
        )
    codes = {code: plain_cell(id) for code, id in rows[1:]}
    if len(codes) != len(rows) - 1 or len(set(codes.values())) != len(codes):
        raise WrittenPointsError(f"{path}: a code or a student is there twice. Delete a line")
    return codes


def deal(
    rows: Iterable[Row],
    record_names: Mapping[str, str],
    items: Iterable[WrittenItem],
    by_person: ByPerson,
    dealing: Dealing,
    out: Path,
) -> tuple[Marked, ...]:
    """Write codes, and for each grader a table and a sheet a question; return how far they are.

    Points that a grader has entered stay. Raises WritingError and WrittenPointsError.
    """
    rows, items = tuple(rows), tuple(items)
    answers = {(row.id, slug) for row in rows for slug, one in row.written.items() if one.digest}
    codes = _codes(out, (row.id for row in rows))
    hidden = {id: code for code, id in codes.items()}
    make_folder(out / FOLDER)
    pairs = ([code, safe_cell(id)] for code, id in sorted(codes.items()))
    write_file(out / FOLDER / CODES_FILE, csv_text([_COLUMNS, *pairs]))
    dealt = {(hidden[id], slug): dealing.to(hidden[id], slug) for id, slug in answers}
    coded = tuple(replace(row, id=hidden[row.id]) for row in rows)
    given = {}
    for grader in range(1, dealing.graders + 1):
        own = {key for key, graders in dealt.items() if grader in graders}
        given[grader] = _table(out, grader, coded, items, own, codes)
        records = {hidden[row.id]: out / RECORDS / record_names[row.id] for row in rows}
        _sheets(out, grader, records, items, by_person, given[grader], own)
    return tuple(_compared(given, dealt, items))


def _codes(out: Path, students: Iterable[str]) -> dict[str, str]:
    """Return a code for each student; one that was given before stays."""
    codes = read_codes(out)
    known = set(codes.values())
    for id in sorted(students):
        while id not in known:
            code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
            if code not in codes:
                codes[code] = id
                known.add(id)
    return codes


def _name(grader: int) -> str:
    return f"grader-{grader}"


def table_of(grader: int) -> Path:
    """Return where a grader enters points, relative to the results."""
    return Path(FOLDER, f"{_name(grader)}.csv")


def _table(
    out: Path,
    grader: int,
    rows: tuple[Row, ...],
    items: tuple[WrittenItem, ...],
    own: set[tuple[str, str]],
    codes: Iterable[str],
) -> GivenPoints:
    """Write the table of a grader anew, and return the points in it. Raises WrittenPointsError."""
    path = out / table_of(grader)
    questions = {item.slug: item for item in items}
    given = read_points(path if path.is_file() else None, (), questions, codes)
    text = points_file(
        rows, items, given, lambda code, slug: (code, slug) in own, asks_minutes=True
    )
    write_file(path, text)
    return given


def _sheets(
    out: Path,
    grader: int,
    records: Mapping[str, Path],
    items: Iterable[WrittenItem],
    by_person: ByPerson,
    given: GivenPoints,
    own: set[tuple[str, str]],
) -> None:
    folder = out / FOLDER / _name(grader)
    make_folder(folder)
    for item in items:
        codes = in_order(grader, item.slug, (code for code, slug in own if slug == item.slug))
        read = (_anonymous(json.loads(records[c].read_text("utf-8")), c) for c in codes)
        guide = by_person.guides.get(item.slug, "There is no marking guide.")
        pieces = sheet(item, guide, read, given, str(table_of(grader)))
        write_file(folder / f"{item.slug}.md", pieces)


def in_order(grader: int, slug: str, codes: Iterable[str]) -> list[str]:
    """Return the codes of a question as they stand on a grader's sheet: by chance, and for good."""
    return sorted(
        codes, key=lambda code: hashlib.sha256(f"{grader}/{slug}/{code}".encode()).digest()
    )


def _anonymous(record: Mapping[str, Any], code: str) -> dict[str, Any]:
    """Return a record under a code, with names of files left out: students put theirs there."""
    answers = [
        {
            **answer,
            "places": [
                {**where, "file": f"file{Path(where['file']).suffix}"} for where in answer["places"]
            ],
        }
        for answer in record["written"]["answers"]
    ]
    submission = {**record["submission"], "id": code}
    written = {**record["written"], "answers": answers}
    return {**record, "submission": submission, "written": written}


def _compared(
    given: Mapping[int, GivenPoints],
    dealt: Mapping[tuple[str, str], tuple[int, ...]],
    items: Iterable[WrittenItem],
) -> Iterator[Marked]:
    for grader, own in given.items():
        for item in items:
            keys = sorted(k for k, who in dealt.items() if grader in who and k[1] == item.slug)
            points = {k: p for k in keys if (p := _points(own, k)) is not None}
            more = (
                mine - theirs
                for key, mine in points.items()
                for other in dealt[key]
                if other != grader and (theirs := _points(given[other], key)) is not None
            )
            yield Marked(grader, item.slug, len(keys), tuple(points.values()), tuple(more))


def _points(given: GivenPoints, key: tuple[str, str]) -> Fraction | None:
    return given[key].points if key in given else None
