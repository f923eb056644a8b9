"""Say where a client finds the process that stays ready: a socket that only this user reaches."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from grader import __path__ as package
from grader import __version__


def socket_path(language: str, *, spawn: bool) -> Path | None:
    """Return the path of the socket, for this installation of the grader and these words.

    None if there is no folder that is this user's alone.
    """
    folder = _own_folder()
    if folder is None:
        return None
    kind = [__version__, list(package), sys.executable, language, spawn]
    return folder / f"{hashlib.sha256(repr(kind).encode()).hexdigest()[:16]}.sock"


def _own_folder() -> Path | None:
    """Return a folder that nobody else can look into, making it if need be."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    folder = (
        Path(given, "grader") if given else Path(tempfile.gettempdir(), f"grader-{os.getuid()}")
    )
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        # Whoever else may write here could have made it first, or put a link in its place.
        state = folder.lstat()
    except OSError:
        return None
    own = stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid()
    return folder if own and not state.st_mode & 0o077 else None
