"""Write and read the table of what was collected from repositories: `collected.csv`."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.batch.arrivals import Arrival
from grader.batch.cells import csv_text, decoded, plain_cell, safe_cell
from grader.batch.student_folders import FolderError, StudentFolder, StudentFolders, stems_in
from grader.files.writing import write_file
from grader.text.moments import read_moment

TABLE = "collected.csv"
COLUMNS = ("id", "folder", "repository", "commit", "handed_in", "time_of", "problem")
BY_PUSH, BY_COMMIT = "push", "commit"


@dataclass(frozen=True)
class CollectedRow:
    """The commit that was collected of one student."""

    id: str
    folder: str
    repository: str
    commit: str = ""
    handed_in: str = ""
    """The time of the push, or else of the commit, as ISO 8601 writes it."""
    time_of: str = ""
    """`push` or `commit`; whoever commits can set the time of a commit."""
    problem: str = ""
    """Why there is nothing, or nothing new; empty otherwise."""


def is_collected(folder: Path) -> bool:
    """Return whether `grader collect` filled this folder."""
    return (folder / TABLE).is_file()


def write_table(folder: Path, rows: Iterable[CollectedRow]) -> None:
    """Write the table. Raises WritingError."""
    cells = ([safe_cell(getattr(row, name)) for name in COLUMNS] for row in rows)
    write_file(folder / TABLE, csv_text([COLUMNS, *cells]))


def read_table(folder: Path) -> tuple[CollectedRow, ...]:
    """Return the rows of the table, none if there is no table. Raises FolderError."""
    path = folder / TABLE
    try:
        lines = decoded(path.read_bytes()).splitlines()
        header, *rows = csv.reader(lines, strict=True)
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, ValueError, csv.Error) as error:
        raise FolderError(f"{path}: cannot be read ({error}). Collect once more.") from None
    if tuple(header) != COLUMNS or any(len(row) != len(COLUMNS) for row in rows):
        raise FolderError(f"{path}: not as `grader collect` writes it. Collect once more.")
    result = tuple(CollectedRow(*map(plain_cell, row)) for row in rows)
    for number, row in enumerate(result, start=2):
        if Path(row.folder).name != row.folder or row.folder in ("", ".", ".."):
            raise FolderError(f"{path}:{number}: {row.folder!r} is no folder. Collect once more.")
    return result


def read_collected(folder: Path, stems: frozenset[str]) -> StudentFolders:
    """Return the students of whom something was collected. Raises FolderError and OSError."""
    rows = read_table(folder)
    students, unread = [], []
    for row in rows:
        if row.problem:
            unread.append(f"{row.id}: {row.problem}")
        if not row.commit:
            continue
        path = folder / row.folder
        try:
            arrivals: tuple[Arrival, ...] = (
                Arrival(read_moment(row.handed_in), stems_in(path, stems)),
            )
        except ValueError:
            arrivals = ()
            unread.append(f"{row.id}: {row.handed_in!r} in {TABLE} is no time")
        students.append(StudentFolder(row.id, path, arrivals))
    listed = {TABLE, *(row.folder for row in rows)}
    others = (path for path in folder.iterdir() if path.name not in listed)
    nobodys = sorted(path for path in others if not path.name.startswith("."))
    return StudentFolders(tuple(students), tuple(nobodys), tuple(unread))
