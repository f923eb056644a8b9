"""Describe one file in an archive, and say why an archive is refused."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from dataclasses import dataclass

from grader.text.language import _

LIMIT_RATIO = 200
_DRIVE = re.compile(r"[A-Za-z]:")


RATIO_FROM_BYTES = 8 << 20
"""Unpacked data below this size does no harm, whatever its ratio."""


class ArchiveError(Exception):
    """An archive that cannot be read as a whole; says why and what to do."""


@dataclass(frozen=True)
class Member:
    """One file in an archive, not unpacked yet."""

    name: str
    """The path as packed, with `/` between folders."""
    kind: int
    """The file type, as in `st_mode`."""
    modified_s: float
    unpack: Callable[[int], bytes]
    """Returns at most as many bytes of the file as are asked for. Raises ArchiveError."""

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.kind)


def leads_out(name: str) -> bool:
    """Tell whether a path in an archive leads out of the folder that it is unpacked into."""
    return name.startswith("/") or ".." in name.split("/") or bool(_DRIVE.match(name))


def is_bomb(packed: int, unpacked: int) -> bool:
    return unpacked > RATIO_FROM_BYTES and unpacked > LIMIT_RATIO * packed


def too_many() -> str:
    """Return the message for an archive whose table of contents alone is too long."""
    return _("holds too many files. Pack only the submission's own files.")


def damaged(error: object) -> str:
    """Return the message for bytes that are no archive, or only the beginning of one."""
    return _("damaged or not complete ({error}). Pack it again, and upload that.", error=error)
