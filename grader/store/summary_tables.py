"""Keep the summaries of results in tables beside them, in the same database.

They are beside the schema: a store of before gets the tables when it is opened, and an older
version of the grader does not miss them.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .summary import (
    VERSION,
    RecordForm,
    ResultSummary,
    form_of,
    read_form,
    read_summary,
    summary_of,
)

_TABLES = (
    "CREATE TABLE IF NOT EXISTS forms (digest TEXT PRIMARY KEY, form TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS summaries (result INTEGER PRIMARY KEY REFERENCES results (id), "
    "version INTEGER NOT NULL, form TEXT NOT NULL, summary TEXT NOT NULL)",
)


@dataclass(frozen=True)
class KeptSummary:
    """One result in the history of a student, in short."""

    student: str
    inputs: str
    """The digest of what was graded: see `grader.store.conditions.digest_of_inputs`."""
    graded_at: str
    conditions: int
    """A number that results have in common which the same grader made with the same course."""
    form: RecordForm
    summary: ResultSummary


def prepare(database: sqlite3.Connection) -> None:
    """Make the tables if they are not there."""
    for statement in _TABLES:
        database.execute(statement)


def add(database: sqlite3.Connection, result: int, record: Mapping[str, Any]) -> None:
    """Keep the summary of a result, within a transaction of the caller's.

    Raises KeyError, TypeError, ValueError or AttributeError for what is no record.
    """
    if "problem" in record:
        return
    form, summary = form_of(record), summary_of(record)
    database.execute(
        "INSERT OR IGNORE INTO forms (digest, form) VALUES (?, ?)", (form.digest, form.text)
    )
    database.execute(
        "INSERT OR REPLACE INTO summaries (result, version, form, summary) VALUES (?, ?, ?, ?)",
        (result, VERSION, form.digest, summary.text),
    )


def missing(database: sqlite3.Connection) -> list[int]:
    """Return the results whose summary is not there, or of another version."""
    rows = database.execute(
        "SELECT results.id FROM results LEFT JOIN summaries "
        "ON summaries.result = results.id AND version = ? WHERE version IS NULL",
        (VERSION,),
    )
    return [id for [id] in rows]


def add_missing(database: sqlite3.Connection, results: list[int]) -> None:
    """Make summaries from records, within a transaction of the caller's.

    Raises ValueError for what is no record.
    """
    for id in results:
        [packed] = database.execute("SELECT record FROM results WHERE id = ?", (id,)).fetchone()
        try:
            add(database, id, json.loads(zlib.decompress(packed)))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"result {id} is no record of this grader") from error


def rows(database: sqlite3.Connection) -> Iterator[KeptSummary]:
    """Yield every result in short, the oldest first."""
    stored = database.execute("SELECT digest, form FROM forms").fetchall()
    forms = {digest: read_form(text) for digest, text in stored}
    results = database.execute(
        "SELECT student, inputs, graded_at, conditions, summaries.form, summary "
        "FROM results JOIN summaries ON summaries.result = results.id ORDER BY results.id"
    )
    for student, inputs, graded_at, conditions, form, text in results:
        summary = read_summary(text)
        yield KeptSummary(student, inputs, graded_at, conditions, forms[form], summary)
