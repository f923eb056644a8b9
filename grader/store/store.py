"""Keep every result of a class in one SQLite file, each in a transaction of its own.

Whatever ends a run, a full disk or `kill -9` included, what was graded until then stays, and the
next run finds it. Nothing is overwritten: a student who is graded again has one result more.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..files.writing import WritingError
from ..report.counted_hand_in import ATTEMPT
from ..text.points import exact
from . import appeal_table, summary_tables
from .appeal_table import KeptAppeal
from .conditions import Conditions
from .summary_tables import KeptSummary

STORE_FILE = "results.sqlite"
"""The name of the store in a folder of results."""
FORMAT = 2
_APPLICATION = 0x67726472
"""Says in the file's header whose database it is."""
_AT_ONCE = 100
"""The most summaries that one transaction adds."""
CACHE_KIB = 256
"""The most of a store that a process keeps in memory; the system keeps the file at hand."""
_BUSY_S = 30.0
"""How long to wait for another run that writes into the same store."""

_NO_SPACE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""What there is no room for: a page, or the index of the log, which grows before the first page."""
_MOVE_AWAY = "Move it away, and the class is graded anew."

_CONDITIONS = tuple(field.name for field in fields(Conditions))
_SCHEMA = f"""
CREATE TABLE conditions (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    digest_of_run TEXT NOT NULL,
    {", ".join(f"{name} TEXT NOT NULL" for name in _CONDITIONS)}
);
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    inputs TEXT NOT NULL,
    conditions INTEGER NOT NULL REFERENCES conditions (id),
    graded_at TEXT NOT NULL,
    final INTEGER NOT NULL,
    record BLOB NOT NULL
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    began_at TEXT NOT NULL,
    folder TEXT NOT NULL,
    layout TEXT NOT NULL,
    roster TEXT NOT NULL
);
CREATE TABLE adjustments (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    kind TEXT NOT NULL,
    points TEXT NOT NULL,
    automatic TEXT NOT NULL,
    reason TEXT NOT NULL,
    author TEXT NOT NULL,
    made_at TEXT NOT NULL
);
CREATE INDEX results_by_key ON results (student, inputs, conditions, final);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {FORMAT};
"""

Record = Mapping[str, Any]
"""The report on one student for staff, as JSON values: see `grader.report.json.as_dict`."""


class StoreError(Exception):
    """A store that cannot be used; names the file, says why, and what to do about it."""


@dataclass(frozen=True)
class Kept:
    """One result in the history of a student."""

    student: str
    inputs: str
    """The digest of what was graded: see `grader.store.conditions.digest_of_inputs`."""
    conditions: Conditions
    graded_at: str
    """The time in UTC, as ISO 8601 writes it."""
    final: bool
    """False if something could not be checked, so that the next run tries again."""
    record: Record


@dataclass(frozen=True)
class ClassRun:
    """The place that a class was graded from."""

    folder: str
    layout: str
    """How its submissions were told apart, as `grader batch --layout` names it."""
    roster: str = ""
    """The file with the class list, if there was one."""


@dataclass(frozen=True)
class Adjustment:
    """Points that a student gets or loses on top of what the checks earned."""

    student: str
    kind: str
    """Says what it is for, such as `never lower`; a later one of the same kind replaces it."""
    points: Fraction
    """Below 0 if they are lost."""
    automatic: Fraction
    """The points that the checks had earned when it was made."""
    reason: str
    author: str


class Store:
    """The results of a class. Made by `open_store`."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self.path = path
        self._database = database

    def find(self, student: str, inputs: str, conditions: Conditions) -> Kept | None:
        """Return the newest final result of these inputs under these conditions, if there is one.

        Where there is none, it is the newest one that differs in `points` alone. Raises StoreError.
        """
        rows = self._rows(
            "student = ? AND inputs = ? AND digest_of_run = ? AND final "
            "ORDER BY digest = ? DESC, results.id DESC LIMIT 1",
            (student, inputs, conditions.digest_of_run, conditions.digest),
        )
        return next(rows, None)

    def keep(
        self,
        student: str,
        inputs: str,
        conditions: Conditions,
        record: Record,
        *,
        final: bool,
        at: str | None = None,
    ) -> None:
        """Add a result in one transaction; it is on disk when this returns.

        `at` is when it was graded, in UTC as ISO 8601 writes it; None is now.

        Raises WritingError if the disk is full or cannot be written, StoreError for other reasons.
        """
        packed = zlib.compress(json.dumps(record, ensure_ascii=False, allow_nan=False).encode())
        with self._writing():
            added = self._database.execute(
                "INSERT INTO results (student, inputs, conditions, graded_at, final, record) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (student, inputs, self._id_of(conditions), at or _now(), final, packed),
            )
            # The result counts; a summary that cannot be made now is made, or missed, later.
            with suppress(KeyError, TypeError, ValueError, AttributeError):
                summary_tables.add(self._database, added.lastrowid or 0, record)

    def history(self, student: str | None = None) -> Iterator[Kept]:
        """Yield every result that was kept, of one student or of all, the oldest first.

        Raises StoreError.
        """
        return self._rows("? IS NULL OR student = ? ORDER BY results.id", (student, student))

    def summaries(self) -> Iterator[KeptSummary]:
        """Yield every result in short, the oldest first.

        Those of an older version of the grader are made from their records first, which takes some
        milliseconds for each. Raises StoreError and WritingError.
        """
        with _in_words(self.path):
            missing = summary_tables.missing(self._database)
        for start in range(0, len(missing), _AT_ONCE):
            with self._writing():
                summary_tables.add_missing(self._database, missing[start : start + _AT_ONCE])
        with _in_words(self.path):
            yield from summary_tables.rows(self._database)

    def newest(self, student: str) -> Kept | None:
        """Return the newest result of a student, if there is one. Raises StoreError."""
        return next(self._rows("student = ? ORDER BY results.id DESC LIMIT 1", (student,)), None)

    def newest_of(self, record: Record) -> Kept | None:
        """Return the newest result of the hand-in that a record is of. Raises StoreError.

        Of a student with several hand-ins, the newest result may be that of another one.
        """
        about = record["submission"]
        if ATTEMPT not in record:
            return self.newest(about["id"])
        own = (
            kept
            for kept in self.history(about["id"])
            if kept.record["submission"]["digest"] == about["digest"]
        )
        return max(own, key=lambda kept: kept.graded_at, default=None)

    def note_run(self, run: ClassRun) -> None:
        """Note where a class was graded from. Raises StoreError and WritingError."""
        with self._writing():
            self._database.execute(
                "INSERT INTO runs (began_at, folder, layout, roster) VALUES (?, ?, ?, ?)",
                (_now(), run.folder, run.layout, run.roster),
            )

    def last_run(self) -> ClassRun | None:
        """Return where the class was graded from last, if it ever was. Raises StoreError."""
        with _in_words(self.path):
            row = self._database.execute(
                "SELECT folder, layout, roster FROM runs ORDER BY id DESC LIMIT 1"
            ).fetchone()
        return None if row is None else ClassRun(*row)

    def adjust(self, adjustment: Adjustment) -> None:
        """Add an adjustment, which takes the place of the student's last one of its kind.

        Raises StoreError and WritingError.
        """
        with self._writing():
            self._database.execute(
                "INSERT INTO adjustments "
                "(student, kind, points, automatic, reason, author, made_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    adjustment.student,
                    adjustment.kind,
                    exact(adjustment.points),
                    exact(adjustment.automatic),
                    adjustment.reason,
                    adjustment.author,
                    _now(),
                ),
            )

    def adjustments(self, student: str) -> tuple[Adjustment, ...]:
        """Return the adjustments of a student that count, the oldest kind first.

        Raises StoreError.
        """
        with _in_words(self.path):
            rows = self._database.execute(
                "SELECT student, kind, points, automatic, reason, author FROM adjustments "
                "WHERE student = ? ORDER BY id",
                (student,),
            ).fetchall()
            latest = {
                kind: Adjustment(whose, kind, Fraction(points), Fraction(automatic), why, author)
                for whose, kind, points, automatic, why, author in rows
            }
        return tuple(one for one in latest.values() if one.points)

    def adjusted_students(self) -> tuple[str, ...]:
        """Return the students who have an adjustment, or had one. Raises StoreError."""
        with _in_words(self.path):
            rows = self._database.execute("SELECT DISTINCT student FROM adjustments ORDER BY 1")
            return tuple(student for (student,) in rows)

    def keep_appeal(self, appeal: KeptAppeal) -> None:
        """Add an appeal, as of now unless it was kept elsewhere before.

        Raises StoreError and WritingError.
        """
        with self._writing():
            appeal_table.add(self._database, replace(appeal, made_at=appeal.made_at or _now()))

    def appeals(self) -> tuple[KeptAppeal, ...]:
        """Return every appeal, the oldest first. Raises StoreError."""
        with _in_words(self.path):
            return tuple(appeal_table.rows(self._database))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Make one transaction of what is written meanwhile."""
        with _in_words(self.path), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield

    def _rows(self, where: str, values: tuple[str | None, ...]) -> Iterator[Kept]:
        columns = ", ".join(_CONDITIONS)
        with _in_words(self.path):
            rows = self._database.execute(
                f"SELECT student, inputs, graded_at, final, record, {columns} "
                "FROM results JOIN conditions ON conditions.id = results.conditions "
                f"WHERE {where}",
                values,
            )
            for whose, inputs, graded_at, final, record, *conditions in rows:
                named = Conditions(*conditions)
                yield Kept(whose, inputs, named, graded_at, bool(final), _unpacked(record))

    def _id_of(self, conditions: Conditions) -> int:
        names, places = ", ".join(_CONDITIONS), ", ".join("?" * len(_CONDITIONS))
        self._database.execute(
            f"INSERT OR IGNORE INTO conditions (digest, digest_of_run, {names}) "
            f"VALUES (?, ?, {places})",
            (conditions.digest, conditions.digest_of_run, *astuple(conditions)),
        )
        result = self._database.execute(
            "SELECT id FROM conditions WHERE digest = ?", (conditions.digest,)
        ).fetchone()
        return int(result[0])


@contextmanager
def open_store(path: Path) -> Iterator[Store]:
    """Open the store in a file, which is made if it is not there, and close it at the end.

    Raises StoreError for a file that is no store or is damaged, WritingError if it cannot be
    written.
    """
    # sqlite3 would follow a link, and a link may lead anywhere.
    if path.is_symlink():
        raise StoreError(f"{path}: a symbolic link. {_MOVE_AWAY}")
    with _in_words(path):
        database = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
    try:
        with _in_words(path):
            _prepare(path, database)
        yield Store(path, database)
    finally:
        database.close()


def _prepare(path: Path, database: sqlite3.Connection) -> None:
    """Make the tables of a new store; refuse a file that is another's."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        [application] = database.execute("PRAGMA application_id").fetchone()
        [version] = database.execute("PRAGMA user_version").fetchone()
        [tables] = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables and not application:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                database.execute(statement)
        elif application != _APPLICATION:
            raise StoreError(f"{path}: not a store of this grader. {_MOVE_AWAY}")
        elif version != FORMAT:
            raise StoreError(
                f"{path}: written by another version of the grader (format {version}, here "
                f"{FORMAT}). {_MOVE_AWAY}"
            )
    summary_tables.prepare(database)
    appeal_table.prepare(database)
    # In WAL mode, what is committed survives the end of any process. A power cut may take the last
    # results; these are graded again.
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    # A row is written once and hardly read again: more than this would only grow with the class.
    database.execute(f"PRAGMA cache_size = -{CACHE_KIB}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _unpacked(data: bytes) -> Record:
    record: Record = json.loads(zlib.decompress(data))
    return record


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise WritingError(_not_written(path, error)) from error
    except (sqlite3.DatabaseError, zlib.error, ValueError) as error:
        raise StoreError(f"{path}: damaged ({error}). {_MOVE_AWAY}") from error


def _not_written(path: Path, error: sqlite3.OperationalError) -> str:
    if error.sqlite_errorcode in _NO_SPACE:
        why = "because the disk is full. Free some space, then run this again"
    elif error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
        why = "because another run is writing into it. Wait until that has ended"
    else:
        return f"{path}: not written ({error}). Name a folder that you may write to."
    return f"{path}: not written, {why}."
