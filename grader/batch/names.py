"""Name students and their records after the files that they handed in."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from grader.report.cleaning import one_line
from grader.submission.submission import name_of

_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DEVICE_NAMES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def ids_of(paths: Iterable[Path]) -> dict[Path, str]:
    """Return an id for each path: its name without suffix, or with it where two would be the same.

    Ids that would still be the same get a digest of the file name appended.
    """
    by_id: dict[str, list[Path]] = {}
    for path in sorted(paths):
        by_id.setdefault(shown_id(name_of(path)), []).append(path)
    ids: dict[Path, str] = {}
    for id, same in by_id.items():
        for path in same:
            ids[path] = id if len(same) == 1 else shown_id(path.name)
    taken: set[str] = set()
    for path in sorted(ids):
        wanted = ids[path]
        ids[path] = wanted if wanted not in taken else f"{wanted}~{_tag(os.fsencode(path.name))}"
        taken.add(ids[path])
    return ids


def shown_id(name: str) -> str:
    return one_line(unicodedata.normalize("NFC", name)) or "unnamed"


def record_names(ids: Iterable[str]) -> dict[str, str]:
    """Return a file name for each id: safe on every file system, unique even if case is ignored.

    >>> record_names(["student-001"])
    {'student-001': 'student-001.json'}
    """
    ids = sorted(ids)
    same = Counter(id.casefold() for id in ids)
    names = {}
    for id in ids:
        plain = bool(_PLAIN_ID.fullmatch(id)) and same[id.casefold()] == 1
        plain = plain and id.casefold().split(".")[0] not in _DEVICE_NAMES
        stem = id if plain else f"{re.sub('[^A-Za-z0-9-]', '_', id)[:60]}~{_tag(id.encode())}"
        names[id] = f"{stem}.json"
    return names


def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
