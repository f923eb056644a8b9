"""Find the record that counts for one student of a class."""

from __future__ import annotations

import json
from pathlib import Path

from grader.batch.class_results import RECORDS
from grader.batch.discovery import BatchError
from grader.batch.records import RecordsError
from grader.report.cleaning import one_line
from grader.store.store import Record
from grader.text.problem import did_you_mean


def record_of(out: Path, student: str) -> Record:
    """Return the record that counts for a student. Raises BatchError and RecordsError."""
    folder = out / RECORDS
    if not folder.is_dir():
        raise BatchError(f"{out}: holds no results. Name the folder with --in RESULTS.")
    names = []
    for path in sorted(folder.glob("*.json")):
        try:
            record: Record = json.loads(path.read_text(encoding="utf-8"))
            name = record["submission"]["id"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RecordsError(f"{path}: cannot be read ({error}).") from error
        if name == student:
            return record
        names.append(name)
    near = did_you_mean(student, names)
    raise BatchError(f"{one_line(student)}: nobody of that name in {out}{near}")
