"""Collect the files of a submission: decide which are taken, and bound what reading may cost.

The rules are the same for a folder, a single file and an archive. A file's name and kind are looked
at before it is read, and what was read in vain counts against the limits, too.
"""

from __future__ import annotations

import re
import stat
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..text.language import _
from .archive import is_archive
from .not_code import may_be_an_answer, renamed, why_not_graded
from .set_aside import why_set_aside

CODE_SUFFIXES = (".py", ".ipynb")
ANSWER_SUFFIXES = (".md", ".txt")
LIMIT_ANSWER_BYTES = 1 << 20
"""The limit for a file of written answers."""
LIMIT_FILE_BYTES = 64 << 20
"""The limit for a file of code: a notebook may carry 50 MB of outputs."""
LIMIT_TOTAL_BYTES = 128 << 20
LIMIT_READ_BYTES = 256 << 20
"""The limit for everything that was read, including what was then refused."""
LIMIT_FILES = 200
LIMIT_ENTRIES = 20_000
LIMIT_DEPTH = 8
LIMIT_NAME_LENGTH = 200

_IGNORED_FOLDERS = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "site-packages", "venv", "env", "build", "dist"}
)
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_WORDS = re.compile(r"[^\W_]+")

Read = Callable[[int], tuple[bytes, float]]
"""Reads at most the given number of bytes; returns them and the file's last change, in seconds.

Raises Unreadable.
"""


def too_deep() -> str:
    """Return the message for a file that lies in too many folders."""
    return _("is more than {count} folders deep: not read.", count=LIMIT_DEPTH)


def too_long_a_name() -> str:
    """Return the message for a file whose name is too long for a folder, or for a table."""
    return _("has too long a name: not read. Give it a short one.")


class SubmissionError(Exception):
    """A submission that cannot be read; says which file, why, and what to do about it."""


class Unreadable(Exception):
    """One file that cannot be read; says why and what to do, as the end of a sentence."""


@dataclass
class Collection:
    """The files of one submission that have been read so far, and the ones that were not taken."""

    path: Path
    files: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)
    """Files of written answers; no code."""
    modified: dict[str, float] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)
    not_code: list[str] = field(default_factory=list)
    """One line for each other file; shown only if there is nothing to grade.

    Data beside a solution needs no words.
    """
    _spellings: dict[str, str] = field(default_factory=dict)
    _entries: int = 0
    _total_bytes: int = 0
    _read_bytes: int = 0

    def count_entry(self) -> None:
        """Count one file or folder.

        Raises SubmissionError if there are too many of them.
        """
        self._entries += 1
        if self._entries > LIMIT_ENTRIES:
            raise SubmissionError(
                _(
                    "{path}: more than {count} files and folders. "
                    "Point at the folder that holds only the submission.",
                    path=self.path,
                    count=LIMIT_ENTRIES,
                )
            )

    def offer(self, name: str, kind: int, read: Read) -> None:
        """Take the file if it is code or holds written answers, and read it only then.

        `kind` is as in `st_mode`, 0 if unknown.

        Raises SubmissionError if all of it is too much.
        """
        entry = name.rpartition("/")[2]
        aside = why_set_aside(name)
        if aside is not None:
            self._list(self.set_aside, name, aside)
        elif entry.startswith("."):
            return
        elif is_archive(entry):
            self.skip(
                name, _("is an archive in the submission: not opened. Hand in the files in it.")
            )
        elif renamed(entry) is not None:
            self.skip(name, why_not_graded(entry))
        elif is_code(entry):
            self._take(name, kind, read, self.files, LIMIT_FILE_BYTES)
        elif is_answers(entry):
            self._take(name, kind, read, self.answers, LIMIT_ANSWER_BYTES)
        else:
            lines = self.set_aside if may_be_an_answer(name) else self.not_code
            self._list(lines, name, why_not_graded(entry))

    def skip(self, name: str, reason: str) -> None:
        self._list(self.skipped, name, reason)

    def _list(self, lines: list[str], name: str, reason: str) -> None:
        if len(lines) < LIMIT_FILES:
            lines.append(_("{file} {reason}", file=visible(name), reason=reason))

    def _take(
        self, name: str, kind: int, read: Read, into: dict[str, bytes], limit_bytes: int
    ) -> None:
        clean = unicodedata.normalize("NFC", name)
        try:
            self._refuse(clean, kind)
            content, modified_s = read(limit_bytes + 1)
            self._count_read(len(content))
            if len(content) > limit_bytes:
                raise Unreadable(_too_large(limit_bytes, is_code=into is self.files))
        except Unreadable as error:
            self.skip(name, str(error))
        else:
            self._count_taken(len(content))
            into[clean] = content
            self._spellings[clean.casefold()] = clean
            if into is self.files:
                self.modified[clean] = modified_s

    def _refuse(self, name: str, kind: int) -> None:
        """Raise Unreadable for a file that is not to be read, whatever is in it."""
        if stat.S_ISLNK(kind):
            raise Unreadable(_("is a symbolic link: not read. Hand in the file itself."))
        if kind and not stat.S_ISREG(kind):
            raise Unreadable(_("is not a regular file: not read. Hand in the file itself."))
        if len(name) > LIMIT_NAME_LENGTH:
            raise Unreadable(too_long_a_name())
        if _is_unprintable(name):
            raise Unreadable(_("has invisible characters in its name: not read. Rename it."))
        if "\\" in name:
            raise Unreadable(_("has a backslash in its name: not read. Rename it."))
        first = self._spellings.get(name.casefold(), "")
        if first == name:
            raise Unreadable(
                _("is there twice, in two spellings of one name: only the first was read.")
            )
        if first:
            raise Unreadable(
                _(
                    "differs from {other} only in capital letters, and many systems take both for "
                    "one: not read. Rename it.",
                    other=first,
                )
            )

    def _count_read(self, size: int) -> None:
        self._read_bytes += size
        if self._read_bytes > LIMIT_READ_BYTES:
            raise SubmissionError(
                _(
                    "{path}: more than {mib} MiB in files that are too large. "
                    "Clear the notebooks' outputs and hand in again.",
                    path=self.path,
                    mib=LIMIT_READ_BYTES >> 20,
                )
            )

    def _count_taken(self, size: int) -> None:
        self._total_bytes += size
        if len(self.files) + len(self.answers) >= LIMIT_FILES:
            raise SubmissionError(
                _(
                    "{path}: more than {count} code files. "
                    "Point at the folder that holds only the submission.",
                    path=self.path,
                    count=LIMIT_FILES,
                )
            )
        if self._total_bytes > LIMIT_TOTAL_BYTES:
            raise SubmissionError(
                _(
                    "{path}: more than {mib} MiB of code files. "
                    "Clear the notebooks' outputs and hand in again.",
                    path=self.path,
                    mib=LIMIT_TOTAL_BYTES >> 20,
                )
            )


def _too_large(limit_bytes: int, *, is_code: bool) -> str:
    mib = limit_bytes >> 20
    if is_code:
        return _("is larger than {mib} MiB: not read. Clear its outputs.", mib=mib)
    return _("is larger than {mib} MiB: not read. Shorten it.", mib=mib)


def is_code(entry: str) -> bool:
    """Tell whether a file of this name holds code, and so is a part of a submission."""
    return entry.lower().endswith(CODE_SUFFIXES)


def is_answers(entry: str) -> bool:
    """Tell whether a file of this name holds written answers, even if its name was mangled.

    >>> is_answers("answers.md"), is_answers("student-001_Answers (1).md"), is_answers("README.md")
    (True, True, False)
    """
    return entry.lower().endswith(ANSWER_SUFFIXES) and "answers" in _WORDS.findall(entry.casefold())


def is_ignored_folder(entry: str) -> bool:
    """Tell whether a folder of this name was made by a tool and is no part of a submission."""
    return entry.startswith(".") or entry in _IGNORED_FOLDERS


def visible(name: str) -> str:
    """Return the name, quoted and escaped if any character in it cannot be seen."""
    return ascii(name) if _is_unprintable(name) else name


def _is_unprintable(name: str) -> bool:
    return any(unicodedata.category(character) in _UNPRINTABLE for character in name)
