"""Keep what checks see of known mistakes beside the course, for the next time the grader runs.

To run the mistakes of one exercise takes seconds, and only the course and the grader decide what
comes of it: as with compiled code, who changes neither need not wait for it twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import torch

from ...course.paths import CoursePaths
from ...course.rubric_place import RUBRIC_FILE
from ...files.state import state_of
from ...grade.evidence import Outcome
from ...text.language import language_in_use
from ..checks.check_trace import CheckTrace, Draw, numbers_in
from .recording import read_trace, run_key, written_trace
from .stored_values import NotStorable

FORMAT = 3
PACKAGE = Path(__file__).resolve().parents[2]
MAX_STATES = 4
"""States of which runs are kept: a course is edited and put back, and has other copies."""
MAX_BYTES = 256 << 20
"""A file of this size takes nothing more; one of half of it is left to the state that is in use."""
MAX_TRACE = 1 << 12
"""What is larger is run again: one run in twelve, and they would be two thirds of the file."""
MAX_NUMBERS = 4 * MAX_TRACE
"""What holds more numbers is run again as well: hardly any of it packs into that, and to try takes
longer than the run."""
WAIT_S = 1.0
"""The longest wait for another judge that writes."""
LASTING = (Outcome.PASSED, Outcome.FAILED, Outcome.STUDENT_ERROR)
"""Outcomes that the next run has as well; a time limit may be met by then."""
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What reading a trace raises that nobody has written so."""
SCHEMA = (
    "CREATE TABLE states (state BLOB PRIMARY KEY, used INTEGER)",
    "CREATE TABLE traces (digest BLOB PRIMARY KEY, content BLOB)",
    """
    CREATE TABLE runs (state BLOB, key BLOB, trace BLOB, PRIMARY KEY (state, key)) WITHOUT ROWID
    """,
)
USE = """
    REPLACE INTO states VALUES (?, (SELECT ifnull(max(used), 0) + 1 FROM states))
"""
FIND = """
    SELECT content FROM runs JOIN traces ON traces.digest = runs.trace WHERE state = ? AND key = ?
"""
FORGET_STATES = """
    DELETE FROM states WHERE state NOT IN (SELECT state FROM states ORDER BY used DESC LIMIT ?)
"""
FORGET = (
    "DELETE FROM runs WHERE state NOT IN (SELECT state FROM states)",
    "DELETE FROM traces WHERE digest NOT IN (SELECT trace FROM runs)",
)


class KeptRuns:
    """The runs of known mistakes that are on disk, and those that are to be written there.

    They are those of one state of the course and the grader: who changes either finds nothing, and
    of the last few states runs are kept. Where the file can't be read or written, nothing is known
    and nothing is kept.
    """

    def __init__(self, course: CoursePaths, seed: str) -> None:
        """Open nothing yet."""
        self._course, self._seed = course, seed
        self._new: dict[bytes, bytes] = {}
        self._at_hand: sqlite3.Connection | None = None
        self._state = b""
        # A sealed course lies in memory, and what its checks see must not get to a disk.
        self._usable = course.reference.is_dir()

    @property
    def is_usable(self) -> bool:
        """Tell whether the file is read and written, and has not been given up."""
        return self._usable

    def trace(self, name: str, check: str, draw: Draw) -> CheckTrace | None:
        """Return what a check saw of a mistake, or of the reference for no name."""
        with self._guarded():
            file = self._file()
            key = _key_of(name, check, draw)
            row = file and file.execute(FIND, [self._state, key]).fetchone()
            if row:
                return read_trace(json.loads(zlib.decompress(row[0])))
        return None

    def keep(self, name: str, check: str, draw: Draw, trace: CheckTrace) -> None:
        """Remember a run for `write`, if the next one would see the same."""
        if not self._usable or trace.outcome not in LASTING or numbers_in(trace) > MAX_NUMBERS:
            return
        with contextlib.suppress(NotStorable, ValueError):  # such as an int of 5000 digits
            text = json.dumps(written_trace(trace), separators=(",", ":"))
            packed = zlib.compress(text.encode(), 1)
            if len(packed) <= MAX_TRACE:
                self._new[_key_of(name, check, draw)] = packed

    def write(self) -> None:
        """Write what was remembered since the last time."""
        new, self._new = self._new, {}
        if not new:
            return
        with self._guarded():
            file = self._file()
            if file is None or self._path.stat().st_size > MAX_BYTES:
                return
            rows = [(key, _digest_of(text), text) for key, text in new.items()]
            with file:
                file.execute("BEGIN IMMEDIATE")
                if not self._is_kept(file):
                    self._usable = False
                    return
                traces = [(digest, text) for _key, digest, text in rows]
                file.executemany("INSERT OR IGNORE INTO traces VALUES (?, ?)", traces)
                runs = [(self._state, key, digest) for key, digest, _text in rows]
                file.executemany("INSERT OR IGNORE INTO runs VALUES (?, ?, ?)", runs)

    @property
    def _path(self) -> Path:
        # Compared values may be words: each language has its own.
        return self._course.known_runs(language_in_use())

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Give up on a file that is broken, locked for long, or in a folder that is read-only."""
        try:
            yield
        except (OSError, sqlite3.OperationalError):
            self._give_up()
        except (sqlite3.Error, zlib.error, *UNREADABLE):
            self._give_up()
            with contextlib.suppress(OSError):
                self._path.unlink()

    def _give_up(self) -> None:
        self._usable, self._at_hand = False, None

    def _file(self) -> sqlite3.Connection | None:
        """Return the file, with this state among those it holds; None if it is of no use."""
        if self._usable and self._at_hand is None:
            self._state = self._digest()
            self._path.parent.mkdir(exist_ok=True)
            file = sqlite3.connect(self._path, timeout=WAIT_S, isolation_level=None)
            file.execute("PRAGMA synchronous = OFF")  # it can be made again
            file.execute("PRAGMA auto_vacuum = FULL")
            with file:
                file.execute("BEGIN IMMEDIATE")
                _make_tables(file)
                file.execute(USE, [self._state])
                _forget(file, but=1 if self._path.stat().st_size > MAX_BYTES // 2 else MAX_STATES)
            self._at_hand = file
        return self._at_hand if self._usable else None

    def _is_kept(self, file: sqlite3.Connection) -> bool:
        """Tell whether the file still has this state, and has not had to make room for others."""
        return bool(file.execute("SELECT 1 FROM states WHERE state = ?", [self._state]).fetchall())

    def _digest(self) -> bytes:
        """Return a digest of all that decides what a check sees of a mistake.

        Of files their times and sizes, as for compiled code: to read them all takes ten times as
        long. Where the course lies makes no difference.
        """
        processor = torch.backends.cpu.get_cpu_capability()
        course = self._course
        places = course.root / RUBRIC_FILE, course.reference, course.suites
        files = state_of(*places, below=course.root), state_of(PACKAGE)
        state = [FORMAT, self._seed, sys.version, torch.__version__, processor, files]
        return _digest_of(repr(state).encode())


def _key_of(name: str, check: str, draw: Draw) -> bytes:
    return _digest_of(run_key(name, check, draw).encode())


def _digest_of(data: bytes) -> bytes:
    """Return a short digest: the file holds tens of thousands."""
    return hashlib.blake2b(data, digest_size=16).digest()


def _make_tables(file: sqlite3.Connection) -> None:
    """Make the tables of a new file; of one that another version has written, make them anew."""
    if file.execute("PRAGMA user_version").fetchone() == (FORMAT,):
        return
    names = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in names:
        file.execute(f'DROP TABLE "{name}"')
    for statement in SCHEMA:
        file.execute(statement)
    file.execute(f"PRAGMA user_version = {FORMAT}")


def _forget(file: sqlite3.Connection, but: int) -> None:
    """Forget all states but those that were used last."""
    if file.execute(FORGET_STATES, [but]).rowcount:
        for statement in FORGET:
            file.execute(statement)
