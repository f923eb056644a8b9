"""Write files in one piece, so that a reader sees the old content or the new, never a part.

The content goes to a file of its own in the same folder, which replaces the other one when it is
complete. A full disk, or an end in between, leaves the old content there. No link is followed: a
link in that place is replaced, and the file it points to stays as it is.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..text.language import _

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK})

_UNFINISHED = re.compile(
    r"\.grader-(?P<machine>[0-9a-f]{8})-(?P<process>[1-9]\d{0,8})-\w{16}\.part"
)

Content = str | bytes | Iterable[str]
"""The content of a file. Text is stored as UTF-8, keeps its line ends, and may come in pieces."""


class WritingError(Exception):
    """A file or folder that cannot be written; names it, says why, and what to do about it."""


def write_file(path: Path, content: Content) -> None:
    """Write a file in one piece; one that is there is replaced, and its permissions are kept.

    Raises WritingError.
    """
    write_files({path: content})


def write_files(contents: Mapping[Path, Content]) -> None:
    """Write files that belong together: all are complete before the first takes its place.

    Raises WritingError.
    """
    with contextlib.ExitStack() as stack:
        moves = []
        for path, content in contents.items():
            folder = stack.enter_context(_folder_of(path))
            with writing_in_words(path):
                mode = _mode_to_keep(path.name, folder)
            scratch = stack.enter_context(_complete(path, content, folder, mode))
            moves.append((path, scratch, folder))
        for path, scratch, folder in moves:
            with writing_in_words(path):
                os.replace(scratch, path.name, src_dir_fd=folder, dst_dir_fd=folder)


def write_new_file(path: Path, content: Content, *, private: bool = False) -> bool:
    """Write a file in one piece and return True; return False if anything is there, a link too.

    Nobody but its owner may read a `private` one.

    Raises WritingError.
    """
    mode = 0o600 if private else None
    with _folder_of(path) as folder:
        with writing_in_words(path):
            if _is_there(path.name, folder):
                return False
        with _complete(path, content, folder, mode) as scratch, writing_in_words(path):
            return _move_if_free(scratch, path.name, folder)


def make_folder(path: Path) -> None:
    """Make a folder and its parents, unless it is there.

    Raises WritingError.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        file = next(part for part in (path, *path.parents) if os.path.lexists(part))
        text = _(
            "{path}: {file} exists and is not a folder. Name another one.", path=path, file=file
        )
        raise WritingError(text) from error
    except OSError as error:
        raise WritingError(_words(path, error)) from error


def remove_unfinished(folder: Path) -> None:
    """Delete what a process of this machine was writing to a folder when it was killed.

    What another machine writes, or a process that is still there, is left alone, and so is whatever
    cannot be read or deleted.
    """
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            match = _UNFINISHED.fullmatch(path.name)
            if match and match["machine"] == _machine() and not _is_alive(int(match["process"])):
                with contextlib.suppress(OSError):
                    path.unlink()


def _machine() -> str:
    """Return a short text that differs from machine to machine."""
    return f"{zlib.crc32(os.uname().nodename.encode()):08x}"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def refuse_detour(path: Path, theirs: Path) -> None:
    """Raise WritingError for a path that a link in the folder `theirs` leads to."""
    theirs = theirs.resolve()
    for part in path.absolute().parents:
        if part.is_symlink() and part.parent.resolve().is_relative_to(theirs):
            raise WritingError(
                _(
                    "{path}: {link} is a link inside the graded folder, and nothing is written "
                    "through it. Name another place.",
                    path=path,
                    link=part,
                )
            )


@contextlib.contextmanager
def _folder_of(path: Path) -> Iterator[int]:
    """Open the folder of a path once and yield its descriptor.

    Everything happens in this folder, even if its name comes to mean another one.
    """
    with writing_in_words(path):
        folder = os.open(path.parent, _OPEN_FOLDER)
    try:
        yield folder
    finally:
        os.close(folder)


@contextlib.contextmanager
def _complete(path: Path, content: Content, folder: int, mode: int | None) -> Iterator[str]:
    """Write the whole content to a new file and yield its name; delete it if nobody moved it."""
    scratch = f".grader-{_machine()}-{os.getpid()}-{secrets.token_hex(8)}.part"
    try:
        with writing_in_words(path):
            descriptor = os.open(scratch, _CREATE, 0o666, dir_fd=folder)
        _fill(path, descriptor, content, mode)
        yield scratch
    finally:
        with contextlib.suppress(OSError):
            os.unlink(scratch, dir_fd=folder)


def _fill(path: Path, descriptor: int, content: Content, mode: int | None) -> None:
    file = open(descriptor, "wb")  # noqa: SIM115 - closing it writes, and may fail
    try:
        with writing_in_words(path):
            if mode is not None:
                os.fchmod(descriptor, mode)
        for piece in _pieces(content):  # whose own mistakes are not about this file
            with writing_in_words(path):
                file.write(piece)
        with writing_in_words(path):
            file.close()
    finally:
        with contextlib.suppress(OSError):
            file.close()


def _pieces(content: Content) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
    else:
        for text in [content] if isinstance(content, str) else content:
            yield text.encode()


def _mode_to_keep(name: str, folder: int) -> int | None:
    """Return the permissions of the file that is there; None if there is none, or a link.

    Raises OSError for anything else, such as a folder or a device.
    """
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):  # a device, or a pipe somebody reads
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _move_if_free(scratch: str, name: str, folder: int) -> bool:
    try:
        # Not a rename, which would replace what somebody put there meanwhile.
        os.link(scratch, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if _is_there(name, folder):
            return False
        os.replace(scratch, name, src_dir_fd=folder, dst_dir_fd=folder)
    return True


@contextlib.contextmanager
def writing_in_words(path: Path) -> Iterator[None]:
    """Raise WritingError, with the next thing to do, where the path cannot be written."""
    try:
        yield
    except OSError as error:
        raise WritingError(_words(path, error)) from error


def _words(path: Path, error: OSError) -> str:
    if error.errno in _NO_SPACE:
        return _(
            "{path}: not written, because the disk is full. Free some space, then run this again.",
            path=path,
        )
    if error.errno in _NOT_ALLOWED:
        return _(
            "{path}: not written ({error}). Name a folder that you may write to.",
            path=path,
            error=error.strerror,
        )
    if error.errno in (errno.EISDIR, errno.EEXIST):
        return _("{path}: exists and is not a file. Name another one.", path=path)
    return _("{path}: not written ({error}). Check the path.", path=path, error=error.strerror)
