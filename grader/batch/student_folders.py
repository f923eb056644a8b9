"""Hold a class whose system keeps a folder a student, and knows when it arrived."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.batch.arrivals import Arrival
from grader.submission.collection import CODE_SUFFIXES


class FolderError(Exception):
    """A class folder that is not what its system writes; says what is wrong, and the next step."""


@dataclass(frozen=True)
class StudentFolder:
    """Everything that one student handed in, in a folder."""

    id: str
    path: Path
    arrivals: tuple[Arrival, ...] = ()


@dataclass(frozen=True)
class StudentFolders:
    """A class, as the system that collected it keeps it."""

    students: tuple[StudentFolder, ...]
    others: tuple[Path, ...] = ()
    """What lies beside them and is nobody's."""
    unread: tuple[str, ...] = ()
    """One line for each time that could not be read."""


def stems_in(folder: Path, stems: frozenset[str]) -> frozenset[str]:
    """Return the hand-outs in a folder, as far as their files are called as they were given."""
    if folder.is_symlink() or not folder.is_dir():
        return frozenset()
    names = {path.stem for path in folder.iterdir() if path.suffix in CODE_SUFFIXES}
    return frozenset(names & stems)
