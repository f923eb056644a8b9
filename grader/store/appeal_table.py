"""Keep appeals in a table beside the results, in the same database; nothing is overwritten.

It is beside the schema: a store of before gets the table when it is opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields


@dataclass(frozen=True)
class KeptAppeal:
    """One appeal, and how it was answered."""

    student: str
    check_name: str
    """`slug/criterion`, or `slug/criterion/test`."""
    claim: str
    ruling: str
    evidence: str
    """A line for each check."""
    reply: str
    """As it was drafted."""
    made_at: str = ""
    """In UTC, as ISO 8601 writes it; empty until it is kept."""


_COLUMNS = ", ".join(field.name for field in fields(KeptAppeal))


def prepare(database: sqlite3.Connection) -> None:
    """Make the table if it is not there."""
    texts = ", ".join(f"{field.name} TEXT NOT NULL" for field in fields(KeptAppeal))
    database.execute(f"CREATE TABLE IF NOT EXISTS appeals (id INTEGER PRIMARY KEY, {texts})")


def add(database: sqlite3.Connection, appeal: KeptAppeal) -> None:
    """Add an appeal, within a transaction of the caller's."""
    places = ", ".join("?" * len(fields(KeptAppeal)))
    database.execute(f"INSERT INTO appeals ({_COLUMNS}) VALUES ({places})", astuple(appeal))


def rows(database: sqlite3.Connection) -> Iterator[KeptAppeal]:
    """Yield every appeal, the oldest first."""
    for row in database.execute(f"SELECT {_COLUMNS} FROM appeals ORDER BY id"):
        yield KeptAppeal(*row)
