"""Read a submission: one student's files, read once, as bytes. What is hashed is what is graded.

The files are not trusted: every file is opened relative to its folder's descriptor, no link is
followed, nothing but a regular file is read, archives are read in memory, and everything is
bounded.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..text.language import _
from .archive import LIMIT_ARCHIVE_BYTES, is_archive, without_suffix
from .collection import CODE_SUFFIXES as CODE_SUFFIXES
from .collection import LIMIT_DEPTH, Collection, Unreadable, is_code, is_ignored_folder, too_deep
from .collection import SubmissionError as SubmissionError
from .not_code import is_of_the_class, why_not_graded
from .unpacking import unpack_into

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a FIFO waits for its writer for ever.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Submission:
    """The files of one student, as handed in."""

    id: str
    files: Mapping[str, bytes]
    """POSIX relative path to content; only `.py` and `.ipynb`, sorted by path."""
    digest: str
    """SHA-256 over names and contents."""
    path: str
    """The path as it is displayed."""
    skipped: tuple[str, ...] = ()
    """One line for each file that was there and was not read."""
    modified: Mapping[str, float] = field(default_factory=dict)
    """Path to the time of its last change, in seconds; no part of the digest."""
    set_aside: tuple[str, ...] = ()
    """One line for each file that has no place in a submission."""
    answers: Mapping[str, bytes] = field(default_factory=dict)
    """Path to content of each file of written answers; no part of the digest, and not graded."""


def read_submission(path: Path, id: str | None = None) -> Submission:
    """Read the submission in a folder, an archive, or a single `.py` or `.ipynb` file.

    Raises SubmissionError if it holds neither code nor written answers, or far too much.
    """
    collection = Collection(path)
    try:
        kind = path.lstat().st_mode
        if stat.S_ISLNK(kind):
            raise SubmissionError(
                _(
                    "{path}: a symbolic link, and links are not followed. Give what it points to.",
                    path=path,
                )
            )
        if stat.S_ISDIR(kind):
            descriptor = os.open(path, _OPEN_FOLDER)
            try:
                _read_folder(collection, descriptor, "", depth=0)
            finally:
                os.close(descriptor)
        else:
            _read_single(collection, kind)
    except OSError as error:
        raise SubmissionError(_cannot_read(path, error)) from error
    return _made_of(collection, id if id is not None else name_of(path))


def read_parts(parts: Iterable[tuple[str, Path]], id: str, shown: Path) -> Submission:
    """Read a submission whose files lie side by side with others', each with the name it had.

    A part is the name that the student gave a file, and its path; `shown` is the path that
    messages name. Raises SubmissionError as `read_submission` does.
    """
    collection = Collection(shown)
    for name, path in parts:
        collection.count_entry()
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            kind = _kind(path.name, folder)
            if is_archive(name) and stat.S_ISREG(kind):
                unpack_into(collection, name, _archive(path, folder))
            else:
                collection.offer(name, kind, functools.partial(_read, path.name, folder))
        finally:
            os.close(folder)
    return _made_of(collection, id)


def _made_of(collection: Collection, id: str) -> Submission:
    if not collection.files and not collection.answers:
        reasons = (*collection.skipped, *collection.set_aside, *collection.not_code)
        lines = (
            _("{path}: no .py or .ipynb file that can be read.", path=collection.path),
            *(f"  {reason}" for reason in reasons),
            _("Hand in the assignment's own file, a .py or .ipynb."),
        )
        raise SubmissionError("\n".join(lines))
    files = dict(sorted(collection.files.items()))
    return Submission(
        id=id,
        files=files,
        digest=digest_of(files),
        path=str(collection.path),
        skipped=tuple(collection.skipped),
        modified=collection.modified,
        set_aside=tuple(collection.set_aside),
        answers=dict(sorted(collection.answers.items())),
    )


def could_be_one(path: Path) -> bool:
    """Tell whether an entry in the folder of a class may be somebody's submission, readable or not.

    `read_submission` says what is wrong with it.
    """
    if path.is_symlink():  # so that its reader can say why it was not followed
        return True
    return not (is_ignored_folder(path.name) if path.is_dir() else is_of_the_class(path.name))


def name_of(path: Path) -> str:
    """Return the name of a submission: its folder's or file's name without suffix, in NFC."""
    if path.is_dir():
        name = path.name
    else:
        name = without_suffix(path.name) if is_archive(path.name) else path.stem
    return unicodedata.normalize("NFC", name)


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 over sorted names and contents, each with its length before it."""
    digest = hashlib.sha256()
    for name in sorted(files):
        for part in (name.encode(), files[name]):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def _read_single(collection: Collection, kind: int) -> None:
    path = collection.path
    if not is_code(path.name) and not is_archive(path.name):
        raise SubmissionError(_("{file} {reason}", file=path, reason=why_not_graded(path.name)))
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if is_archive(path.name):
            unpack_into(collection, path.name, _archive(path, folder))
        else:
            collection.offer(path.name, kind, functools.partial(_read, path.name, folder))
    finally:
        os.close(folder)


def _archive(path: Path, folder: int) -> bytes:
    try:
        data = _read(path.name, folder, LIMIT_ARCHIVE_BYTES + 1)[0]
    except Unreadable as error:
        raise SubmissionError(f"{path}: {error}") from None
    if len(data) > LIMIT_ARCHIVE_BYTES:
        raise SubmissionError(
            _(
                "{path}: larger than {mib} MiB. Pack only the submission's own files.",
                path=path,
                mib=LIMIT_ARCHIVE_BYTES >> 20,
            )
        )
    return data


def _read_folder(collection: Collection, descriptor: int, prefix: str, depth: int) -> None:
    for entry in _sorted_entries(collection, descriptor):
        name, kind = prefix + entry, _kind(entry, descriptor)
        if not stat.S_ISDIR(kind):
            collection.offer(name, kind, functools.partial(_read, entry, descriptor))
            continue
        if is_ignored_folder(entry):
            continue
        if depth == LIMIT_DEPTH:
            collection.skip(name, too_deep())
            continue
        try:
            folder = os.open(entry, _OPEN_FOLDER, dir_fd=descriptor)
        except OSError as error:
            why = _("cannot be opened ({error}): not read.", error=error.strerror)
            collection.skip(name, why)
            continue
        try:
            _read_folder(collection, folder, f"{name}/", depth + 1)
        finally:
            os.close(folder)


def _sorted_entries(collection: Collection, descriptor: int) -> list[str]:
    names = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            collection.count_entry()
            names.append(entry.name)
    return sorted(names)


def _kind(entry: str, descriptor: int) -> int:
    try:
        return os.stat(entry, dir_fd=descriptor, follow_symlinks=False).st_mode
    except OSError:  # it went away, or may not be looked at: opening it will say so
        return 0


def _read(entry: str, folder: int, limit_bytes: int) -> tuple[bytes, float]:
    """Return at most `limit_bytes` bytes of a file, and the time of its last change, in seconds.

    Raises Unreadable.
    """
    try:
        descriptor = os.open(entry, _OPEN_FILE, dir_fd=folder)
        try:
            # Asked again of the open descriptor: the name may mean another file by now.
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable(_("is not a regular file: not read. Hand in the file itself."))
            return b"".join(_chunks(descriptor, limit_bytes)), status.st_mtime
        finally:
            os.close(descriptor)
    except OSError as error:
        why = _("cannot be opened ({error}): not read.", error=error.strerror)
        raise Unreadable(why) from None


def _chunks(descriptor: int, limit_bytes: int) -> Iterator[bytes]:
    while limit_bytes > 0 and (chunk := os.read(descriptor, min(limit_bytes, 1 << 20))):
        limit_bytes -= len(chunk)
        yield chunk


def _cannot_read(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return _(
            "{path}: no such file or folder. Check the spelling; `ls {folder}` shows it.",
            path=path,
            folder=path.parent,
        )
    return _(
        "{path}: cannot be read ({error}). Check its permissions.", path=path, error=error.strerror
    )
