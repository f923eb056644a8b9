"""Runs a command as an ordinary user, where the tests themselves run as root.

    python -m tests.support.ordinary_user python -m pytest tests/e2e/test_jail.py

With `--stay-root` before the command only the way is opened and root stays root.

The interpreter and the repository may lie in a home that only root may enter. In a mount
namespace of the command alone that home is replaced by an open folder with only these in it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from grader.worker.jail.kernel import MS_BIND, MS_PRIVATE, MS_REC, NEWNS, detach, mount, unshare

UID = 61999
REPOSITORY = Path(__file__).resolve().parents[2]


def open_the_way() -> None:
    """Let everybody reach interpreter and repository, in a mount namespace of this process."""
    needed = [Path(sys.base_prefix), Path(sys.prefix), REPOSITORY]
    unshare(NEWNS, "mount namespace")
    mount("", "/", flags=MS_REC | MS_PRIVATE)
    closed = sorted({folder for path in needed if (folder := _closed(path)) is not None})
    for folder in closed:
        _open(folder, [path for path in needed if path.is_relative_to(folder)])


def become() -> None:
    """Become the ordinary user in this process. Raises OSError if we may not."""
    os.setgroups([])
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)


def _closed(path: Path) -> Path | None:
    """The topmost folder on the way to `path` that others may not enter."""
    folders = [*reversed(path.parents), path]
    return next((folder for folder in folders if not folder.stat().st_mode & 0o001), None)


def _open(folder: Path, needed: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as kept:
        places = [Path(kept) / str(number) for number in range(len(needed))]
        for place, path in zip(places, needed, strict=True):
            place.mkdir()
            mount(str(path), str(place), flags=MS_BIND)
        mount("tmpfs", str(folder), "tmpfs", options="mode=0755")
        for place, path in zip(places, needed, strict=True):
            path.mkdir(parents=True, exist_ok=True)
            mount(str(place), str(path), flags=MS_BIND)
            detach(str(place))


if __name__ == "__main__":
    command = sys.argv[1:]
    open_the_way()
    os.chdir(REPOSITORY)  # the current folder from before would still be the closed one
    if command[0] == "--stay-root":
        command = command[1:]
    else:
        become()
    os.execvp(command[0], command)
