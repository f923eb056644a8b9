"""Disks on which there is no room."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest


def fill_up(monkeypatch: pytest.MonkeyPatch, after_files: int = 0) -> None:
    """Fill the disk for `grader.files.writing`, in the middle of what is written after these."""
    numbers = count()

    def open_descriptor(descriptor: int, mode: str) -> object:
        if next(numbers) < after_files:
            return open(descriptor, mode)
        return _NearlyFull(descriptor)

    monkeypatch.setattr("grader.files.writing.open", open_descriptor, raising=False)


class _NearlyFull:
    """A file that takes three bytes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: bytes) -> int:
        os.write(self._descriptor, data[:3])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def run_on_a_small_disk(
    command: Sequence[str], disk: Path, kib: int
) -> tuple[subprocess.CompletedProcess[str], dict[str, int]]:
    """Run a command while a disk of this size is mounted at `disk`, for this command only.

    Returns how it ended, and name and size of each file that is then on the disk. Skips the test
    where nobody may mount anything.
    """
    script = 'mount -t tmpfs -o size="$1"k none "$2" || exit 99; cd "$3"; shift 3; "$@"; code=$?; '
    script += f'find "{disk}" -type f -printf "FILE %s %P\\n"; exit $code'
    if shutil.which("unshare") is None:
        pytest.skip("there is no `unshare` here")
    own = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    done = subprocess.run(
        [*own, str(kib), str(disk), str(Path.cwd()), *command],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip(f"no disk can be mounted here: {done.stderr}")
    rows = [line.split(" ", 2) for line in done.stdout.splitlines() if line.startswith("FILE ")]
    return done, {name: int(size) for _, size, name in rows}
