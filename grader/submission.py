"""A submission: one student's code files, read once, as bytes. What is hashed is what is graded.

The folder is not trusted: every file is opened relative to its folder's descriptor, no link is
followed, nothing but a regular file is read, and sizes and counts are bounded.
"""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

CODE_SUFFIXES = (".py", ".ipynb")
LIMIT_FILE_BYTES = 64 << 20
"""A notebook may carry 50 MB of outputs."""
LIMIT_TOTAL_BYTES = 128 << 20
LIMIT_FILES = 200
LIMIT_ENTRIES = 20_000
LIMIT_DEPTH = 8
LIMIT_NAME_LENGTH = 200

_IGNORED_FOLDERS = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "site-packages", "venv", "env", "build", "dist"}
)
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO waits for its writer for ever.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class SubmissionError(Exception):
    """A submission that cannot be read; says which file, why, and what to do about it."""


@dataclass(frozen=True)
class Submission:
    """One student's files, as handed in."""

    id: str
    files: Mapping[str, bytes]
    """POSIX relative path to content; only `.py` and `.ipynb`, sorted by path."""
    digest: str
    """SHA-256 over names and contents."""
    path: str
    """For display."""
    skipped: tuple[str, ...] = ()
    """One line for each file that was there and was not read."""
    modified: Mapping[str, float] = field(default_factory=dict)
    """Path to the time of its last change, in seconds; no part of the digest."""


@dataclass
class _Reading:
    """What has been read so far, and what it may still cost."""

    path: Path
    files: dict[str, bytes] = field(default_factory=dict)
    modified: dict[str, float] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    entries: int = 0
    total_bytes: int = 0

    def add(self, name: str, content: bytes, modified_s: float) -> None:
        self.total_bytes += len(content)
        if len(self.files) >= LIMIT_FILES:
            raise SubmissionError(
                f"{self.path}: more than {LIMIT_FILES} code files. "
                "Point at the folder that holds only the submission."
            )
        if self.total_bytes > LIMIT_TOTAL_BYTES:
            raise SubmissionError(
                f"{self.path}: more than {LIMIT_TOTAL_BYTES >> 20} MiB of code files. "
                "Clear the notebooks' outputs and hand in again."
            )
        self.files[name] = content
        self.modified[name] = modified_s

    def skip(self, name: str, reason: str) -> None:
        if len(self.skipped) < LIMIT_FILES:
            self.skipped.append(f"{_visible(name)} {reason}")


def read_submission(path: Path, id: str | None = None) -> Submission:
    """The submission in a folder, or in a single `.py` or `.ipynb` file.

    Raises SubmissionError if there is no code in it, or far too much.
    """
    reading = _Reading(path)
    try:
        kind = path.lstat().st_mode
        if stat.S_ISLNK(kind):
            raise SubmissionError(
                f"{path}: a symbolic link, and links are not followed. Give what it points to."
            )
        if stat.S_ISDIR(kind):
            descriptor = os.open(path, _OPEN_FOLDER)
            try:
                _read_folder(reading, descriptor, "", depth=0)
            finally:
                os.close(descriptor)
        else:
            _read_single(reading, kind)
    except OSError as error:
        raise SubmissionError(_cannot_read(path, error)) from error
    if not reading.files:
        why = "".join(f"\n  {line}" for line in reading.skipped)
        raise SubmissionError(
            f"{path}: no .py or .ipynb file that can be read.{why}\n"
            "Hand in the assignment's own file, a .py or .ipynb."
        )
    files = dict(sorted(reading.files.items()))
    name = unicodedata.normalize("NFC", path.name if stat.S_ISDIR(kind) else path.stem)
    return Submission(
        id=id if id is not None else name,
        files=files,
        digest=digest_of(files),
        path=str(path),
        skipped=tuple(reading.skipped),
        modified=reading.modified,
    )


def digest_of(files: Mapping[str, bytes]) -> str:
    """SHA-256 over sorted names and contents, each with its length before it."""
    digest = hashlib.sha256()
    for name in sorted(files):
        for part in (name.encode(), files[name]):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def _read_single(reading: _Reading, kind: int) -> None:
    path = reading.path
    if not path.name.lower().endswith(CODE_SUFFIXES):
        raise SubmissionError(
            f"{path}: neither a folder nor a .py or .ipynb file. "
            "Give the assignment's own file or the folder it is in."
        )
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _read_file(reading, folder, path.name, path.name, kind)
    finally:
        os.close(folder)


def _read_folder(reading: _Reading, descriptor: int, prefix: str, depth: int) -> None:
    for entry in _sorted_entries(reading, descriptor):
        name, kind = prefix + entry, _kind(entry, descriptor)
        if stat.S_ISDIR(kind):
            if entry.startswith(".") or entry in _IGNORED_FOLDERS:
                continue
            if depth == LIMIT_DEPTH:
                reading.skip(name, f"is more than {LIMIT_DEPTH} folders deep: not read.")
                continue
            try:
                folder = os.open(entry, _OPEN_FOLDER, dir_fd=descriptor)
            except OSError as error:
                reading.skip(name, f"cannot be opened ({error.strerror}): not read.")
                continue
            try:
                _read_folder(reading, folder, f"{name}/", depth + 1)
            finally:
                os.close(folder)
        elif entry.lower().endswith(CODE_SUFFIXES) and not entry.startswith("."):
            _read_file(reading, descriptor, entry, name, kind)


def _sorted_entries(reading: _Reading, descriptor: int) -> list[str]:
    names = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            reading.entries += 1
            if reading.entries > LIMIT_ENTRIES:
                raise SubmissionError(
                    f"{reading.path}: more than {LIMIT_ENTRIES} files and folders. "
                    "Point at the folder that holds only the submission."
                )
            names.append(entry.name)
    return sorted(names)


def _kind(entry: str, descriptor: int) -> int:
    try:
        return os.stat(entry, dir_fd=descriptor, follow_symlinks=False).st_mode
    except OSError:  # it went away, or may not be looked at: opening it will say so
        return 0


def _read_file(reading: _Reading, folder: int, entry: str, name: str, kind: int) -> None:
    clean = unicodedata.normalize("NFC", name)
    reason = _refusal(clean, kind, reading)
    if reason is None:
        try:
            content, modified_s = _content(entry, folder)
        except OSError as error:
            reason = f"cannot be opened ({error.strerror}): not read."
        else:
            if content is None:
                reason = "is not a regular file: not read. Hand in the file itself."
            elif len(content) > LIMIT_FILE_BYTES:
                reason = (
                    f"is larger than {LIMIT_FILE_BYTES >> 20} MiB: not read. Clear its outputs."
                )
            else:
                reading.add(clean, content, modified_s)
    if reason is not None:
        reading.skip(name, reason)


def _refusal(name: str, kind: int, reading: _Reading) -> str | None:
    if stat.S_ISLNK(kind):
        return "is a symbolic link: not read. Hand in the file itself."
    if kind and not stat.S_ISREG(kind):
        return "is not a regular file: not read. Hand in the file itself."
    if len(name) > LIMIT_NAME_LENGTH:
        return "has too long a name: not read. Give it a short one."
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name):
        return "has invisible characters in its name: not read. Rename it."
    if "\\" in name:
        return "has a backslash in its name: not read. Rename it."
    if name in reading.files:
        return "is there twice, in two spellings of one name: only the first was read."
    return None


def _content(entry: str, folder: int) -> tuple[bytes | None, float]:
    """At most one byte more than the limit, None unless it is a regular file; when it changed."""
    descriptor = os.open(entry, _OPEN_FILE, dir_fd=folder)
    try:
        # Asked again of the open descriptor: the name may mean another file by now.
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None, 0.0
        return b"".join(_chunks(descriptor, LIMIT_FILE_BYTES + 1)), status.st_mtime
    finally:
        os.close(descriptor)


def _chunks(descriptor: int, limit_bytes: int) -> Iterator[bytes]:
    while limit_bytes > 0 and (chunk := os.read(descriptor, min(limit_bytes, 1 << 20))):
        limit_bytes -= len(chunk)
        yield chunk


def _visible(name: str) -> str:
    return ascii(name) if any(unicodedata.category(c) in _UNPRINTABLE for c in name) else name


def _cannot_read(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path}: no such file or folder. Check the spelling; `ls {path.parent}` shows it."
    return f"{path}: cannot be read ({error.strerror}). Check its permissions."
