"""Tell whether files are as they were, without reading them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

MADE_BY_RUNNING = "__pycache__"


def state_of(*paths: Path) -> str:
    """Return a digest of path, size and time of change of each file, and of all in each folder.

    What is made by running Python is left out, and so is a path where nothing is. Raises OSError
    for a file that goes away meanwhile.
    """
    return hashlib.sha256(repr([sorted(_files(path)) for path in paths]).encode()).hexdigest()


def _files(path: Path) -> Iterator[tuple[str, int, int]]:
    if path.is_file():
        yield _entry(path)
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != MADE_BY_RUNNING]
        for name in names:
            yield _entry(Path(place, name))


def _entry(path: Path) -> tuple[str, int, int]:
    stat = path.stat()
    return str(path), stat.st_mtime_ns, stat.st_size
