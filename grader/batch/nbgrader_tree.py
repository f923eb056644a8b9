"""Read the folder in which nbgrader collects: `submitted/STUDENT/ASSIGNMENT/`, with its times.

Beside the files lies `timestamp.txt` (`coursedir.py` and `utils.parse_utc` of nbgrader).
"""

from __future__ import annotations

import os
import re
import stat
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from grader.batch.arrivals import Arrival
from grader.batch.student_folders import StudentFolder, StudentFolders, stems_in
from grader.text.moments import Moment, read_moment

TIMESTAMP = "timestamp.txt"
LIMIT_TIMESTAMP_BYTES = 200
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(\S+)?")
_WITHOUT_SHIFT = frozenset({"UTC", "GMT", "Z"})


def is_tree(folder: Path) -> bool:
    """Return whether nbgrader collected into this folder."""
    return next(students_in(folder).glob(f"*/*/{TIMESTAMP}"), None) is not None


def students_in(folder: Path) -> Path:
    """Return the folder with a folder a student: the one given, or `submitted/` of a course."""
    inside = folder / "submitted"
    return inside if inside.is_dir() and not inside.is_symlink() else folder


def read_tree(folder: Path, stems: frozenset[str]) -> StudentFolders:
    """Return the students of a course folder or of its `submitted/`; raise OSError."""
    students, others, unread = [], [], []
    for path in sorted(students_in(folder).iterdir()):
        if path.name.startswith("."):
            continue
        if not path.is_dir():
            others.append(path)
            continue
        arrivals = []
        for stamp in sorted(path.glob(f"*/{TIMESTAMP}")):
            text = _first_line(stamp)
            at = _stamped(text)
            if at is None:
                unread.append(f"{stamp}: {text[:60]!r} is no time with its zone")
            else:
                arrivals.append(Arrival(at, stems_in(stamp.parent, stems)))
        students.append(StudentFolder(path.name, path, tuple(arrivals)))
    return StudentFolders(tuple(students), tuple(others), tuple(unread))


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
