"""Unpack the download of a class, one zip, into a folder that is graded like any other.

A learning management system wrote the zip, out of files of students. What a student can bring
about, such as a huge file or a long name, must not cost anybody else the grade: it is unpacked in a
form that its reader refuses in words. What no such system writes, such as a path that leads out,
refuses the download as a whole, since nobody knows what else is wrong with it.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import secrets
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from grader.batch.discovery import BatchError
from grader.files.writing import writing_in_words
from grader.submission.archive import LIMIT_ARCHIVE_BYTES
from grader.submission.archive_member import leads_out
from grader.submission.downloads import MOODLE, recognise
from grader.submission.submission import CODE_SUFFIXES
from grader.submission.zip_archive import (
    is_encrypted,
    is_table_within,
    kind_of,
    modified_of,
    name_of,
)

UNPACKED = "unpacked"
"""The folder in the results that downloads are unpacked into."""
LIMIT_CLASS_BYTES = 16 << 30
LIMIT_CLASS_RECORDS = 400_000
LIMIT_CLASS_TABLE_BYTES = 256 << 20
LIMIT_FOLDERS = 12
"""So deep files are unpacked; their reader refuses what lies deeper than eight in a submission."""
LIMIT_NAME_BYTES = 255
_NEW = ".new-"
_CHUNK_BYTES = 1 << 20
_REPACK = "Unpack it yourself, look at that file, and give the folder."


@dataclass(frozen=True)
class _ClassMember:
    """A file or folder of the download, and its place below the folder that it is unpacked to."""

    info: zipfile.ZipInfo
    name: str
    place: tuple[str, ...]


def class_folder(given: Path, out: Path, stems: Iterable[str] = ()) -> Path:
    """Return the folder with a class: the one given, or that of a zip, unpacked in `out`.

    What is unpacked stays, under a name made of the zip's content, so that the same command finds
    it again. `stems` are the names of hand-outs without suffix.

    Raises BatchError and WritingError.
    """
    if given.suffix.casefold() != ".zip" or not given.is_file():
        return given
    into = out / UNPACKED
    with _opened(given) as file:
        place = into / hashlib.file_digest(file, "sha256").hexdigest()[:16]
        with writing_in_words(into):
            into.mkdir(parents=True, exist_ok=True)
        if not place.is_dir():
            _unpack(given, file, place)
    return _without_wrapper(place, frozenset(stems))


@contextmanager
def _opened(path: Path) -> Iterator[BufferedReader]:
    """Open the zip for reading. Raises BatchError."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise BatchError(f"{path}: cannot be read ({error.strerror}).") from None
    with file:
        yield file


def _refuse_long_table(path: Path, file: BufferedReader) -> None:
    """Raise BatchError before a table is read that is longer than any class's."""
    if os.fstat(file.fileno()).st_size == 0:
        raise BatchError(f"{path}: empty. Download it again.")
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if not is_table_within(data, LIMIT_CLASS_RECORDS, LIMIT_CLASS_TABLE_BYTES):
            raise BatchError(f"{path}: holds more than {LIMIT_CLASS_RECORDS:,} files. {_REPACK}")


def _unpack(path: Path, file: BufferedReader, place: Path) -> None:
    """Unpack everything into a new folder, all or nothing. Raises BatchError and WritingError."""
    _refuse_long_table(path, file)
    for rest in place.parent.glob(f"{_NEW}*"):  # of a run that was killed
        shutil.rmtree(rest, ignore_errors=True)
    scratch = place.with_name(_NEW + secrets.token_hex(8))
    try:
        with writing_in_words(scratch), _zip_in_words(path), zipfile.ZipFile(file) as archive:
            scratch.mkdir()
            _fill(path, archive, scratch)
            os.sync()  # whatever ends the machine now, what has its name is whole
            scratch.rename(place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _zip_in_words(path: Path) -> Iterator[None]:
    """Raise BatchError for a zip that is damaged, encrypted, or of an unusual kind."""
    try:
        yield
    except (OSError, BatchError):
        raise
    except Exception as error:  # a dozen kinds of it, for bytes that are no zip, or a part of one
        raise BatchError(f"{path}: damaged or not complete ({error}). Download it again.") from None


def _fill(path: Path, archive: zipfile.ZipFile, folder: Path) -> None:
    written = 0
    for one in _placed(path, archive.infolist()):
        target = folder.joinpath(*one.place)
        try:
            if stat.S_ISDIR(kind_of(one.info)):
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            written += _copy(archive, one.info, target)
        except (FileExistsError, NotADirectoryError):
            raise BatchError(f"{path}: {one.name!r} is in it more than once. {_REPACK}") from None
        if written > LIMIT_CLASS_BYTES:
            limit = f"{LIMIT_CLASS_BYTES >> 30} GiB"
            raise BatchError(f"{path}: unpacks to more than {limit}. {_REPACK}")


def _placed(path: Path, infos: Iterable[zipfile.ZipInfo]) -> Iterator[_ClassMember]:
    """Yield each member with its place. Raises BatchError for what no such system writes."""
    for info in infos:
        name = name_of(info)
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if not parts or "__MACOSX" in parts or parts[-1].startswith("._"):
            continue
        if leads_out(name) or "\0" in name:
            raise BatchError(f"{path}: {name!r} leads out of the folder. {_REPACK}")
        if kind_of(info) not in (stat.S_IFREG, stat.S_IFDIR):
            raise BatchError(f"{path}: {name!r} is a link or a device. {_REPACK}")
        if is_encrypted(info):
            raise BatchError(f"{path}: {name!r} is encrypted. {_REPACK}")
        kept = (*parts[:-1][:LIMIT_FOLDERS], parts[-1])
        yield _ClassMember(info, name, tuple(map(_fitting, kept)))


def _fitting(name: str) -> str:
    """Return a name that a disk takes: a long one keeps its beginning, which says whose it is.

    >>> _fitting("kim_1_2_a1.py"), len(_fitting("김" * 200 + ".py").encode())
    ('kim_1_2_a1.py', 255)
    """
    raw = name.encode()
    if len(raw) <= LIMIT_NAME_BYTES:
        return name
    suffix = re.search(r"(?:\.\w{1,8}){0,2}$", name, re.ASCII)
    ending = f"~{hashlib.sha256(raw).hexdigest()[:8]}{suffix[0] if suffix else ''}"
    return raw[: LIMIT_NAME_BYTES - len(ending)].decode(errors="ignore") + ending


def _copy(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> int:
    """Write a file, and return its size; one too large to be read becomes a large one of nothing.

    Raises FileExistsError.
    """
    written = 0
    with archive.open(info) as source, target.open("xb") as file:
        while chunk := source.read(_CHUNK_BYTES):
            written += len(chunk)
            if written > LIMIT_ARCHIVE_BYTES:
                file.seek(0)
                file.truncate(0)
                file.truncate(LIMIT_ARCHIVE_BYTES + 1)
                break
            file.write(chunk)
    os.utime(target, times=(modified_of(info), modified_of(info)))
    return written


def _without_wrapper(folder: Path, stems: frozenset[str]) -> Path:
    """Return the one folder that everything is in, unless it is somebody's submission."""
    inside = [path for path in folder.iterdir() if not path.name.startswith(".")]
    if len(inside) != 1 or not inside[0].is_dir() or recognise(inside) == MOODLE:
        return folder
    own = {path.name for path in inside[0].iterdir()}
    handed_out = {f"{stem}{suffix}" for stem in stems for suffix in CODE_SUFFIXES}
    return folder if own & handed_out else inside[0]
