"""Keep records in a file without a name, so that a class takes no memory while it is graded.

Of each record only its place in the file stays in memory. The file is gone when nobody needs it any
more, also if the process is killed.
"""

from __future__ import annotations

import json
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from grader.batch.gradebook import Row, row_of
from grader.files.writing import writing_in_words
from grader.store.store import Record

_COUNTED = ("outcome", "tried")
"""What a row holds of a check."""
_OF_AN_ANSWER = ("slug", "words", "digest")
_NOWHERE = -1
"""The place of a record that has not come yet."""


class RecordFile:
    """Records by student or hand-in; a later one of the same key takes the place of the first."""

    def __init__(self, folder: Path, keys: Iterable[str] = ()) -> None:
        """Make the file in a folder: a place for temporary files may be memory.

        Room for the places of `keys` is there from the start, so that a process does not grow with
        every record. Others may come too. Raises WritingError.
        """
        self._folder = folder
        self._numbers = {key: number for number, key in enumerate(keys)}
        self._places = array("q", [_NOWHERE]) * len(self._numbers)
        with writing_in_words(folder):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - lives as long as this
        weakref.finalize(self, self._file.close)

    def __contains__(self, key: object) -> bool:
        number = self._numbers.get(key) if isinstance(key, str) else None
        return number is not None and self._places[number] != _NOWHERE

    def __setitem__(self, key: str, record: Record) -> None:
        """Add a record. Raises WritingError."""
        line = json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        with writing_in_words(self._folder):
            place = self._file.seek(0, 2)
            self._file.write(line)
            self._file.flush()
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self._places):
            self._places.append(place)
        self._places[number] = place

    def __getitem__(self, key: str) -> Record:
        """Return the record of a key. Raises KeyError."""
        if key not in self:
            raise KeyError(key)
        self._file.seek(self._places[self._numbers[key]])
        record: Record = json.loads(self._file.readline())
        return record

    def __iter__(self) -> Iterator[str]:
        return filter(self.__contains__, self._numbers)


class RowFile(Sequence[Row]):
    """The rows of some students, by id; each is read from the file when it is asked for."""

    def __init__(self, records: RecordFile, ids: Iterable[str] | None = None) -> None:
        """Take the rows of `ids`, or of everybody in the file."""
        self._records = records
        self._ids = tuple(sorted(records if ids is None else ids))

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(place, slice):
            return tuple(map(self._row, self._ids[place]))
        return self._row(self._ids[place])

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, self._ids)

    def _row(self, id: str) -> Row:
        return row_of(self._records[id])


def in_order(rows: Iterable[Row]) -> Sequence[Row]:
    """Return rows sorted by id; those in a file are, and are too many to be in memory at once."""
    return rows if isinstance(rows, RowFile) else sorted(rows, key=lambda row: row.id)


def brief(record: Record) -> Record:
    """Return as much of a record as a row is made of: `row_of` of both is the same."""
    if "problem" in record:
        return record
    exercises = [
        {**exercise, "checks": [_only(check, _COUNTED) for check in exercise["checks"]]}
        for exercise in record["exercises"]
    ]
    answers = record.get("written", {}).get("answers", ())
    return {
        **record,
        "isolation": _only(record["isolation"], ("tier",)),
        "timings": _only(record.get("timings", {}), ("duration_ms",)),
        "notes": [note for note in record["notes"] if note["kind"] == "problem"],
        "exercises": exercises,
        "written": {"answers": [_only(one, _OF_AN_ANSWER) for one in answers]},
    }


def _only(values: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: values[key] for key in keys if key in values}
