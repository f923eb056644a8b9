"""Read the folder in which nbgrader collects: `submitted/STUDENT/ASSIGNMENT/`, with its times.

Beside the files lies `timestamp.txt` (`coursedir.py` and `utils.parse_utc` of nbgrader). The
`inbound/` of its exchange, from which it collects the last hand-in of each student, holds them all:
`STUDENT+ASSIGNMENT+TIME+RANDOM/` (`exchange/default/submit.py`).
"""

from __future__ import annotations

import os
import re
import stat
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from grader.batch.arrivals import Arrival
from grader.batch.student_folders import FolderError, StudentFolder, StudentFolders, stems_in
from grader.text.moments import Moment, read_moment

TIMESTAMP = "timestamp.txt"
LIMIT_TIMESTAMP_BYTES = 200
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(\S+)?")
_HANDED_IN = re.compile(r"(?P<student>[^+]+)\+(?P<assignment>[^+]+)\+.+")
_WITHOUT_SHIFT = frozenset({"UTC", "GMT", "Z"})


def is_tree(folder: Path) -> bool:
    """Return whether nbgrader collected into this folder, or collects from it."""
    inside = students_in(folder)
    stamps = (*inside.glob(f"*+*+*/{TIMESTAMP}"), *inside.glob(f"*/*/{TIMESTAMP}"))
    return bool(stamps)


def students_in(folder: Path) -> Path:
    """Return the folder with the hand-ins: the one given, `submitted/`, or else `inbound/`."""
    inside = (folder / name for name in ("submitted", "inbound"))
    return next((one for one in inside if one.is_dir() and not one.is_symlink()), folder)


def read_tree(folder: Path, stems: frozenset[str]) -> StudentFolders:
    """Return the students of a course folder or of its `submitted/`.

    Of an exchange's `inbound/`, each hand-in is one. Raises FolderError and OSError.
    """
    students, others, unread = [], [], []
    _refuse_several_assignments(students_in(folder))
    for path in sorted(students_in(folder).iterdir()):
        if path.name.startswith("."):
            continue
        if not path.is_dir():
            others.append(path)
            continue
        arrivals = []
        handed_in = _HANDED_IN.fullmatch(path.name) if (path / TIMESTAMP).is_file() else None
        for stamp in [path / TIMESTAMP] if handed_in else sorted(path.glob(f"*/{TIMESTAMP}")):
            text = _first_line(stamp)
            at = _stamped(text)
            if at is None:
                unread.append(f"{stamp}: {text[:60]!r} is no time with its zone")
            else:
                arrivals.append(Arrival(at, stems_in(stamp.parent, stems)))
        student = handed_in["student"] if handed_in else path.name
        students.append(StudentFolder(student, path, tuple(arrivals)))
    return StudentFolders(tuple(students), tuple(others), tuple(unread))


def _refuse_several_assignments(folder: Path) -> None:
    """Raise FolderError for an exchange with hand-ins of more than one assignment.

    Which of them counts would have to be said for each assignment.
    """
    names = (_HANDED_IN.fullmatch(path.parent.name) for path in folder.glob(f"*+*+*/{TIMESTAMP}"))
    assignments = sorted({match["assignment"] for match in names if match})
    if len(assignments) > 1:
        raise FolderError(
            f"{folder}: holds hand-ins of {', '.join(assignments[:5])}. Copy those of one "
            "assignment into a folder, and give that."
        )


def _first_line(path: Path) -> str:
    """Return the first line of a regular file, as far as a timestamp is long."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        content = os.read(descriptor, LIMIT_TIMESTAMP_BYTES) if is_file else b""
    finally:
        os.close(descriptor)
    return content.decode("utf-8", "replace").strip().split("\n")[0]


def _stamped(text: str) -> Moment | None:
    """Return the moment of a timestamp of nbgrader's, whose zone has a name or is an offset.

    An abbreviation such as `CST` is the name of several zones, and so of none.

    >>> _stamped("2015-02-02 14:58:23.948203 America/Los_Angeles").iso
    '2015-02-02T14:58:23-08:00'
    >>> _stamped("2015-02-02 14:58:23.948203 UTC").iso
    '2015-02-02T14:58:23+00:00'
    >>> _stamped("2015-02-02 14:58:23 CST")
    """
    match = _STAMP.fullmatch(text.strip())
    if match is None or match[3] is None:
        return None
    day, time, zone = match.groups()
    try:
        if "/" in zone:
            local = datetime.fromisoformat(f"{day} {time}").replace(tzinfo=ZoneInfo(zone))
            return read_moment(local.isoformat(timespec="seconds")[:25])
        offset = "Z" if zone in _WITHOUT_SHIFT else re.sub(r"(?<=\d\d)(?=\d\d$)", ":", zone)
        return read_moment(f"{day} {time}{offset}")
    except (ValueError, OSError, LookupError):
        return None
