"""Read the rows of a class from its records, so that nobody is graded again for them."""

from __future__ import annotations

import csv
import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.batch.cells import decoded, safe_cell, separator
from grader.batch.class_results import GRADEBOOK_FILE, RECORDS
from grader.batch.gradebook import Row, row_of
from grader.course.rubric import Rubric
from grader.text.problem import quoted

_AGAIN = "Grade the class again: grader batch"


class RecordsError(Exception):
    """Records that no gradebook can be made of; names the file, and what to do about it."""


@dataclass(frozen=True)
class ClassRecords:
    """A class as it was graded last."""

    rows: tuple[Row, ...]
    names: Mapping[str, str]
    """Maps a student to the file name of the record."""
    only: tuple[str, ...]
    """The exercises that were graded."""
    records: tuple[Mapping[str, Any], ...] = ()
    """The records themselves, in the order of the rows, if they were asked for."""


def read_class(out: Path, rubric: Rubric, wanted: Container[str] | None = None) -> ClassRecords:
    """Return the class whose gradebook is in the folder, with its records, as it counts.

    The records are those of the students in `wanted`, else of all: of 2,000 they are 400 MB.
    Unlike in `read_records`, the rubric may give other points now. Raises RecordsError.
    """
    return _read(out, rubric, with_records=True, wanted=wanted)


def read_records(out: Path, rubric: Rubric) -> ClassRecords:
    """Return the class whose gradebook is in the folder, from the records beside it.

    Records of students who were graded into the folder earlier, and are not in this gradebook, are
    ignored. Raises RecordsError.
    """
    return _read(out, rubric, with_records=False)


def _read(
    out: Path, rubric: Rubric, *, with_records: bool, wanted: Container[str] | None = None
) -> ClassRecords:
    header, ids = _gradebook(out / GRADEBOOK_FILE)
    only = tuple(slug for slug in rubric.exercises if slug in header)
    rows: dict[str, Row] = {}
    names: dict[str, str] = {}
    records: dict[str, Mapping[str, Any]] = {}
    for path, record in _records(out / RECORDS):
        try:
            row = row_of(record)
            is_here = safe_cell(row.id) in ids
            _check_texts(row)
            if not with_records:
                _compare(record, rubric, only, path)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise RecordsError(f"{path}: not a record of this grader. {_AGAIN}") from error
        if is_here:
            rows[row.id], names[row.id] = row, path.name
            if with_records and (wanted is None or row.id in wanted):
                records[row.id] = record
    missing = sorted(ids - {safe_cell(id) for id in rows})
    if missing:
        message = f"no record of {quoted(missing[0])}, who is in {GRADEBOOK_FILE}"
        raise RecordsError(f"{out / RECORDS}: {message}. {_AGAIN}")
    ordered = sorted(rows)
    kept = tuple(records[id] for id in ordered if id in records)
    return ClassRecords(tuple(rows[id] for id in ordered), names, only, kept)


def record_text(record: Mapping[str, Any]) -> str:
    """Return a record as its file holds it."""
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _check_texts(row: Row) -> None:
    """Raise TypeError for another kind of value where a text is expected."""
    for text in (row.id, row.digest, row.tier, row.problem):
        if not isinstance(text, str):
            raise TypeError(text)


def _gradebook(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the columns of the gradebook, and the ids in it."""
    try:
        text = decoded(path.read_bytes())
        lines = csv.reader(text.splitlines(), delimiter=separator(text), strict=True)
        header = next(lines, [])
        ids = frozenset(cells[0] for cells in lines if cells)
    except FileNotFoundError:
        raise RecordsError(f"{path}: no such file. Grade a class first: grader batch") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RecordsError(f"{path}: cannot be read ({error}). {_AGAIN}") from error
    if header[:1] != ["id"]:
        raise RecordsError(f"{path}: not a gradebook as it was written. {_AGAIN}")
    return frozenset(header), ids


def _records(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield path and content of each record, one at a time: all records of a class are large."""
    for path in sorted(folder.glob("*.json")):
        try:
            yield path, json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RecordsError(f"{path}: cannot be read ({error}). {_AGAIN}") from error


def _compare(record: Mapping[str, Any], rubric: Rubric, only: tuple[str, ...], path: Path) -> None:
    """Raise RecordsError if a record's maximum points differ from those in the rubric now."""
    if changed := changed_exercises(record, rubric, only):
        message = f"graded when rubric.yaml gave other points in {', '.join(changed)}"
        raise RecordsError(f"{path}: {message}. {_AGAIN}")


def changed_exercises(
    record: Mapping[str, Any], rubric: Rubric, only: Iterable[str]
) -> tuple[str, ...]:
    """Return the slugs whose maximum points in a record differ from those in the rubric now."""
    if "problem" in record:
        return ()
    now = {
        (slug, name): criterion.points
        for slug in only
        for name, criterion in rubric.exercises[slug].criteria.items()
    }
    then = {
        (exercise["slug"], criterion["name"]): Fraction(criterion["max_points"])
        for exercise in record["exercises"]
        for criterion in exercise["criteria"]
    }
    return tuple(sorted({slug for (slug, _), _ in now.items() ^ then.items()}))
