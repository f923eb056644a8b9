"""Read the files of an opened course from memory, by paths that behave like others.

Whatever reads a course is given a `Path`. Paths of a sealed course lie below the sealed file
itself: `course.sealed/rubric.yaml`. The kernel knows no such path, so that code which reads by
other means than these methods gets an error, and never a file of somebody else.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PosixPath
from typing import Any, ClassVar, Self

from ..text.language import _
from .key import GradingKey
from .refusal import SealedError
from .sealed_file import SealedCourse


@dataclass(frozen=True)
class OpenedFile:
    """A sealed course that was opened: where it lies, what is in it, and the key it took."""

    place: Path
    course: SealedCourse
    key: GradingKey


class SealedPath(PosixPath):
    """A path in one opened course. Each course has a class of its own, see `sealed_root`."""

    opened: ClassVar[OpenedFile]

    @property
    def _name(self) -> str:
        """Return the path in the course: `.` for its root, nothing outside of it."""
        place = self.opened.place
        return self.relative_to(place).as_posix() if self.is_relative_to(place) else ""

    def is_file(self, **_options: object) -> bool:
        return self._name in self.opened.course.digests

    def is_dir(self, **_options: object) -> bool:
        name = self._name
        inside = (one.startswith(f"{name}/") for one in self.opened.course.digests)
        return name == "." or (name != "" and any(inside))

    def exists(self, **_options: object) -> bool:
        return self.is_file() or self.is_dir()

    def read_bytes(self) -> bytes:
        name = self._name
        if name in self.opened.course.files:
            return self.opened.course.files[name]
        if name in self.opened.course.digests:
            raise SealedError(
                _("{path}: only the grading process opens this part of a sealed course.", path=self)
            )
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))

    def read_text(
        self, encoding: str | None = None, errors: str | None = None, newline: str | None = None
    ) -> str:
        with self.open(encoding=encoding, errors=errors, newline=newline) as file:
            text: str = file.read()
            return text

    def open(
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> Any:
        if mode not in ("r", "rt", "rb"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))
        file = io.BytesIO(self.read_bytes())
        if mode == "rb":
            return file
        return io.TextIOWrapper(file, encoding or "utf-8", errors, newline)

    def iterdir(self) -> Generator[Self, None, None]:
        prefix = "" if self._name == "." else f"{self._name}/"
        inside = (name for name in self.opened.course.digests if name.startswith(prefix))
        for name in sorted({name.removeprefix(prefix).partition("/")[0] for name in inside}):
            yield self / name

    def glob(self, pattern: str, **_options: object) -> Iterator[Any]:  # type: ignore[override]
        """Yield what lies in this folder and fits a pattern of one step, such as `*.py` or `*/`."""
        for path in self.iterdir():
            if pattern.endswith("/") and not path.is_dir():
                continue
            if fnmatchcase(path.name, pattern.rstrip("/")):
                yield path

    def rglob(self, pattern: str, **_options: object) -> Iterator[Any]:  # type: ignore[override]
        """Yield all below this folder whose name fits a pattern of one step."""
        for path in self.iterdir():
            if fnmatchcase(path.name, pattern):
                yield path
            if path.is_dir():
                yield from path.rglob(pattern)


def sealed_root(opened: OpenedFile) -> SealedPath:
    """Return the root of an opened course.

    Paths made from it (`root / name`, `path.parent`) are of its class, and know its course by that:
    pathlib hands on nothing else in all versions of Python.
    """
    kind: type[SealedPath] = type("SealedPath", (SealedPath,), {"opened": opened})
    return kind(opened.place)


def opened_file(path: Path) -> OpenedFile | None:
    """Return the opened course that a path lies in; None for a path on disk."""
    return path.opened if isinstance(path, SealedPath) else None


def content_digest(path: Path) -> str:
    """Return the SHA-256 of a file's content, also of one in a sealed course that is not open."""
    opened = opened_file(path)
    if opened is not None:
        return opened.course.digests[path.relative_to(opened.place).as_posix()]
    return hashlib.sha256(path.read_bytes()).hexdigest()
