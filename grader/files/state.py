"""Tell whether files are as they were, without reading them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

MADE_BY_RUNNING = "__pycache__"


def state_of(*paths: Path, below: Path | None = None) -> str:
    """Return a digest of path, size and time of change of each file, and of all in each folder.

    What is made by running Python is left out, and so is a path where nothing is. `below`: the
    folder from which paths count, so that a copy of it elsewhere is the same. Raises OSError for a
    file that goes away meanwhile.
    """
    files = [sorted(_files(path, below)) for path in paths]
    return hashlib.sha256(repr(files).encode()).hexdigest()


def _files(path: Path, below: Path | None) -> Iterator[tuple[str, int, int]]:
    if path.is_file():
        yield _entry(path, below)
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != MADE_BY_RUNNING]
        for name in names:
            yield _entry(Path(place, name), below)


def _entry(path: Path, below: Path | None) -> tuple[str, int, int]:
    stat = path.stat()
    name = path if below is None else path.relative_to(below)
    return str(name), stat.st_mtime_ns, stat.st_size
