"""Find the submissions of a class in a folder."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.batch.arrivals import Arrival
from grader.batch.collected_table import is_collected, read_collected
from grader.batch.gradescope_export import is_export, read_export
from grader.batch.names import ids_of, record_names, shown_id
from grader.batch.nbgrader_tree import is_tree, read_tree
from grader.batch.student_folders import FolderError, StudentFolder
from grader.course.attempts import AttemptRule
from grader.submission.archive import is_archive
from grader.submission.downloads import (
    CANVAS,
    MOODLE,
    PLAIN,
    DownloadedFile,
    HandIn,
    hand_ins,
    recognise,
)
from grader.submission.submission import (
    CODE_SUFFIXES,
    Submission,
    could_be_one,
    name_of,
    read_parts,
    read_submission,
)

GIT, GRADESCOPE, NBGRADER = "git", "gradescope", "nbgrader"
WITH_FOLDERS = {GIT: read_collected, GRADESCOPE: read_export, NBGRADER: read_tree}
"""Systems that keep a folder a student and say when it arrived, and what reads each."""
LAYOUTS = (CANVAS, GIT, GRADESCOPE, MOODLE, NBGRADER, PLAIN)


class BatchError(Exception):
    """A batch that cannot start; says what is wrong and what to do about it."""


@dataclass(frozen=True)
class Entry:
    """One submission that is waiting in the folder."""

    id: str
    path: Path
    record: str
    """Its file name in `records/`: the id where that is safe, else an escaped form of it."""
    parts: tuple[DownloadedFile, ...] = ()
    """The files it consists of, if they lie beside those of others."""
    late: bool = False
    """True if it came from a system that says so."""
    arrivals: tuple[Arrival, ...] = ()
    """When it arrived, as the system says that collected it."""
    student: str = ""
    """The student, where others of the class are the same one's; else the id says it."""
    attempts: tuple[Entry, ...] = ()
    """All hand-ins of a student who has several, the earliest first; this is the one that counts
    unless the best does."""
    rule: AttemptRule | None = None
    """Which of several counts; None if each has a row of its own."""

    @property
    def to_grade(self) -> tuple[Entry, ...]:
        """Return all that has to be graded to know what counts."""
        return self.attempts if self.attempts and self.rule is AttemptRule.BEST else (self,)

    @property
    def whose(self) -> str:
        """Return the id under which its results are kept: of several that one counts of, one."""
        return self.student if self.rule is not None else self.id

    def read(self) -> Submission:
        """Return the submission.

        Raises SubmissionError.
        """
        if not self.parts:
            return read_submission(self.path, self.whose)
        return read_parts(((one.name, one.path) for one in self.parts), self.whose, self.path)


@dataclass(frozen=True)
class Class:
    """The submissions that a folder holds, and how they were told apart."""

    entries: tuple[Entry, ...]
    layout: str
    """One of `LAYOUTS`."""
    others: tuple[str, ...] = ()
    """Names of files that are nobody's, such as `roster.csv`."""
    unread: tuple[str, ...] = ()
    """One line for each time of a hand-in that could not be read."""


def discover(
    folder: Path, out: Path, assignments: Iterable[str] = (), layout: str | None = None
) -> Class:
    """Return the submissions in a folder, sorted by id.

    In the `plain` layout a submission is every sub-folder and file that may be somebody's, even
    one that cannot be graded; `out` is none. `layout` None recognises the folder's own.

    Raises BatchError if there is none, or if the folder holds the files of the `assignments` and
    so is one submission.
    """
    if not folder.is_dir():
        raise BatchError(f"{folder}: {_no_folder(folder)}")
    stems = tuple(assignments)
    layout = layout or _system_of(folder)
    if layout in WITH_FOLDERS:
        return _class_of_folders(folder, layout, stems)
    things = _things_in(folder, out)
    paths = [path for path in things if could_be_one(path)]
    others = [path for path in things if not could_be_one(path)]
    _refuse_one_submission(folder, paths, stems)
    layout = layout or recognise(paths, stems)
    if layout == PLAIN:
        entries = _plain_entries(paths)
    else:
        result, unnamed = hand_ins(paths, layout, stems)
        others += unnamed
        entries = _entries_of(result, folder)
    _refuse_nobody(folder, entries)
    return Class(entries, layout, tuple(sorted(path.name for path in others)))


def _no_folder(path: Path) -> str:
    """Say why a path is no class, and what to do about it."""
    if path.is_file() and is_archive(path.name):
        module = "zipfile" if path.suffix.casefold() == ".zip" else "tarfile"
        command = shlex.join(["python3", "-m", module, "-e", str(path), name_of(path)])
        return f"an archive. Unpack the class, and give the folder: {command}"
    return "no such folder. Give the one with a submission per student."


def _system_of(folder: Path) -> str | None:
    """Return which of the systems `WITH_FOLDERS` filled this folder, if one did."""
    known = {GIT: is_collected, GRADESCOPE: is_export, NBGRADER: is_tree}
    return next((system for system, is_its in known.items() if is_its(folder)), None)


def _refuse_nobody(folder: Path, entries: Iterable[Entry]) -> None:
    if not any(True for _entry in entries):
        raise BatchError(
            f"{folder}: no submissions. It should hold one folder, archive, .py or .ipynb file a "
            "student."
        )


def _class_of_folders(folder: Path, system: str, stems: Iterable[str]) -> Class:
    """Return the class that a system with a folder a student keeps. Raises BatchError."""
    try:
        result = WITH_FOLDERS[system](folder, frozenset(stems))
    except (FolderError, OSError) as error:
        raise BatchError(str(error)) from None
    ids = _ids_of_students(result.students)
    records = record_names(ids)
    entries = (
        Entry(id, one.path, records[id], arrivals=one.arrivals, student=shown_id(one.id))
        for id, one in zip(ids, result.students, strict=True)
    )
    known = tuple(sorted(entries, key=lambda entry: entry.id))
    _refuse_nobody(folder, known)
    return Class(known, system, tuple(path.name for path in result.others), result.unread)


def _ids_of_students(students: Iterable[StudentFolder]) -> tuple[str, ...]:
    """Return an id for each; a student who is there twice is told apart by the folders."""
    known = tuple(students)
    counted = Counter(shown_id(one.id) for one in known)
    return tuple(
        shown_id(one.id if counted[shown_id(one.id)] == 1 else f"{one.id}~{one.path.name}")
        for one in known
    )


def _plain_entries(paths: Iterable[Path]) -> tuple[Entry, ...]:
    ids = ids_of(paths)
    records = record_names(ids.values())
    unsorted = (Entry(id, path, records[id]) for path, id in ids.items())
    return tuple(sorted(unsorted, key=lambda entry: entry.id))


def _entries_of(hand_ins: Iterable[HandIn], folder: Path) -> tuple[Entry, ...]:
    """Return an entry for each; a single folder is read as one, as in the plain layout."""
    known = tuple(hand_ins)
    records = record_names(shown_id(one.id) for one in known)
    entries = []
    for one in known:
        id = shown_id(one.id)
        whole = [part.path for part in one.parts if not part.name]
        path = whole[0] if whole else folder / one.id
        parts = () if whole else one.parts
        entries.append(Entry(id, path, records[id], parts, one.late))
    return tuple(sorted(entries, key=lambda entry: entry.id))


def _things_in(folder: Path, out: Path) -> list[Path]:
    return [
        path
        for path in folder.iterdir()
        if not path.name.startswith(".") and not _is_same(path, out)
    ]


def _refuse_one_submission(folder: Path, paths: list[Path], assignments: Iterable[str]) -> None:
    """Raise BatchError if at least half of the paths are named like the hand-outs."""
    handed_out = {f"{stem}{kind}" for stem in assignments for kind in CODE_SUFFIXES}
    own = sorted(path.name for path in paths if path.name in handed_out)
    if own and 2 * len(own) >= len(paths):
        raise BatchError(
            f"{folder}: holds {own[0]}, as one student hands it in, so it is one submission and "
            f"not a class. Next: {shlex.join(['grader', 'check', str(folder)])}, or give the "
            "folder that holds one folder or file a student."
        )


def _is_same(path: Path, out: Path) -> bool:
    # A link is not asked: it may lead in a circle.
    return not path.is_symlink() and path.resolve() == out.resolve()
