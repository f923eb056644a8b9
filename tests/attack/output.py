"""Attacks on whoever lets a result be written beside a submission: links that lead elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CODE = "s1_sums.py"
REPORT = "report.html"
PRECIOUS = "what must stay as it is\n"


@dataclass(frozen=True)
class Trap:
    """Something in the way of what is to be written into a folder of a student's."""

    id: str
    lay: Callable[[Path, Path], None]
    """Told the student's folder, and a folder that holds the file `precious`."""
    command: str = "check"
    names: str = REPORT
    """What the command is told to write, in the student's folder."""
    is_refused: bool = False
    """Whether the command says that it writes nothing there; else a link gives way to a file."""


def _file(theirs: Path, goal: Path) -> None:
    (theirs / REPORT).symlink_to(goal / "precious")


def _relative(theirs: Path, goal: Path) -> None:
    (theirs / REPORT).symlink_to(os.path.relpath(goal / "precious", theirs))


def _chain(theirs: Path, goal: Path) -> None:
    (theirs / "again").symlink_to(goal / "precious")
    (theirs / REPORT).symlink_to("again")


def _nowhere(theirs: Path, goal: Path) -> None:
    (theirs / REPORT).symlink_to(goal / "new")


def _folder(theirs: Path, goal: Path) -> None:
    (theirs / "reports").symlink_to(goal)


def _deeper_folder(theirs: Path, goal: Path) -> None:
    (theirs / "more").mkdir()
    (theirs / "more" / "reports").symlink_to(goal)


def _folder_above(theirs: Path, goal: Path) -> None:
    (theirs / "reports").symlink_to(goal.parent)


def _handout(theirs: Path, goal: Path) -> None:
    (theirs / CODE).unlink()
    (theirs / CODE).symlink_to(goal / "new")


TRAPS = (
    Trap("file", _file),
    Trap("file-relative", _relative),
    Trap("file-by-another-link", _chain),
    Trap("file-that-is-not-there", _nowhere),
    Trap("folder", _folder, names="reports/precious", is_refused=True),
    Trap("deeper-folder", _deeper_folder, names="more/reports/new", is_refused=True),
    Trap("folder-and-back", _folder, names="reports/../new", is_refused=True),
    Trap("folder-above", _folder_above, names="reports/goal/precious", is_refused=True),
    Trap("batch-out", _folder, "batch", "reports", is_refused=True),
    Trap("batch-deeper", _deeper_folder, "batch", "more/reports/new", is_refused=True),
    Trap("start", _handout, "start", CODE),
)
