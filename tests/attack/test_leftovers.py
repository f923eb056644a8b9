"""What a submission left is told from what others have on the machine."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.attack import leftovers
from tests.attack.leftovers import Leftovers
from tests.attack.test_attacks import pytestmark as pytestmark

NO_ENGINE: Any = SimpleNamespace(
    _lanes=[], _tree=SimpleNamespace(starter=None), options=SimpleNamespace(hurry=False)
)
LEAVE = "import ctypes; print(ctypes.CDLL(None).shmget(0, 4096, 0o1600))"


@contextmanager
def left_by_a_process_that_ended() -> Iterator[int]:
    """The number of a segment of shared memory."""
    done = subprocess.run([sys.executable, "-S", "-c", LEAVE], capture_output=True, check=True)
    try:
        yield int(done.stdout)
    finally:
        remove(int(done.stdout))


def remove(number: int) -> None:
    ctypes.CDLL(None).shmctl(number, 0, None)


def shared_memory(found: list[str]) -> list[str]:
    return [line for line in found if line.startswith("System V shm")]


def test_memory_left_before_us_is_nobodys_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with left_by_a_process_that_ended():
        before = Leftovers(tmp_path, "nonce")
        before.remember(NO_ENGINE)
        # Its maker's number goes to another process.
        monkeypatch.setattr(leftovers, "is_alive", lambda pid: True)
        assert shared_memory(before.found(NO_ENGINE)) == []


def test_memory_left_by_a_submission_is_seen(tmp_path: Path) -> None:
    before = Leftovers(tmp_path, "nonce")
    before.remember(NO_ENGINE)
    with left_by_a_process_that_ended() as number:
        assert f" {number}'" in shared_memory(before.found(NO_ENGINE))[0]


def test_memory_of_ours_that_a_submission_removed_is_missed(tmp_path: Path) -> None:
    number = ctypes.CDLL(None).shmget(0, 4096, 0o1600)
    before = Leftovers(tmp_path, "nonce")
    before.remember(NO_ENGINE)
    remove(number)
    assert f" {number}'" in shared_memory(before.found(NO_ENGINE))[0]
