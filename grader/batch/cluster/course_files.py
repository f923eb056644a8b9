"""Pack what grading needs of a course, to be sent to another machine once and known by its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import Course
from grader.course.rubric_place import RUBRIC_FILE

_FOLDERS = ("reference", "tests/suites")
_NO_SOURCE = frozenset({"__pycache__", ".ipynb_checkpoints"})


@dataclass(frozen=True)
class CourseFiles:
    """The files of a course that grading needs."""

    files: Mapping[str, bytes]
    """POSIX path within the course to content."""

    @property
    def digest(self) -> str:
        """Return the SHA-256 over names and contents."""
        digest = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            for part in (name.encode("utf-8", "surrogatepass"), data):
                digest.update(len(part).to_bytes(8, "big"))
                digest.update(part)
        return digest.hexdigest()

    def unpack(self, folder: Path) -> None:
        """Write the course into an empty folder."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def files_of_course(course: Course) -> CourseFiles:
    """Return those of a course on disk. Raises OSError."""
    paths = sorted(_paths(course.root))
    return CourseFiles(
        {path.relative_to(course.root).as_posix(): path.read_bytes() for path in paths}
    )


def _paths(root: Path) -> Iterator[Path]:
    yield root / RUBRIC_FILE
    for folder in _FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.is_file() and not _NO_SOURCE.intersection(path.relative_to(root).parts):
                yield path
