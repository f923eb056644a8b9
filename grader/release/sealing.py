"""Seal a course: choose its files, put them into one encrypted file, and try whether it opens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

from ..course.course import Course
from ..course.rubric_place import RUBRIC_FILE
from ..sealed.key import AuthorKey
from ..sealed.refusal import SealedError
from ..sealed.sealed_file import Files, seal, unseal
from ..store.conditions import digests_of_parts
from ..text.language import _

FOLDERS = ("reference", "tests/suites")
NO_SOURCE = frozenset({"__pycache__", ".ipynb_checkpoints"})
OUTLINE = (
    RUBRIC_FILE,
    "reference/locale/*/LC_MESSAGES/*.mo",
    "reference/locale/*/*.md",
    "reference/mistakes/*.toml",
    "reference/exercises/*/explanations.toml",
    "reference/guides/*.md",
)
"""Patterns of the files that the parent process reads: rules and words, and no code."""
MISTAKES = ".diff"
_HEAD = "--- reference/"


def sealed_course(course: Course, key: AuthorKey, expires: date, today: date) -> bytes:
    """Return the sealed file of a course.

    Raises SealedError for a course that is not complete and a day that is over, CourseError for a
    suite or a reference that is missing.
    """
    if expires < today:
        raise SealedError(
            _(
                "{day} is over: name the last day on which the course is used (UTC)",
                day=expires.isoformat(),
            )
        )
    for exercise in course.rubric.exercises.values():
        course.suite_files(exercise)
        course.reference(exercise.assignment)
    outline, rest = files_to_seal(course.root)
    parts = digests_of_parts(course, course.rubric.exercises)
    data = seal(outline, rest, key, expires, parts)
    opened = unseal(data, key.grading, today, RUBRIC_FILE, whole=True)
    assert opened.files == {**outline, **rest}
    return data


def files_to_seal(root: Path) -> tuple[Files, Files]:
    """Return what grading needs of a course: what the parent process reads, and the rest.

    Of a file of mistakes the parent reads the words, without the code in it; it is in both.
    """
    outline: dict[str, bytes] = {}
    rest: dict[str, bytes] = {}
    for path in sorted(_paths(root)):
        name = path.relative_to(root).as_posix()
        data = path.read_bytes()
        if path.suffix == MISTAKES:
            outline[name] = words_of(data)
        part = outline if any(fnmatchcase(name, pattern) for pattern in OUTLINE) else rest
        part[name] = data
    return outline, rest


def words_of(diff: bytes) -> bytes:
    r"""Return a file of mistakes with nothing in the lines of its diffs but what they begin with.

    >>> words_of(b"--- reference/a.py\n\nid: x\ncause: Why.\n@@ f\n-old\n+new\n")
    b'--- reference/a.py\n\nid: x\ncause: Why.\n@@ f\n-\n+\n'
    """
    lines = diff.decode("utf-8").split("\n")
    is_code = [line[:1] in ("-", "+", " ") and not line.startswith(_HEAD) for line in lines]
    kept = (line[0] if code else line for line, code in zip(lines, is_code, strict=True))
    return "\n".join(kept).encode()


def _paths(root: Path) -> Iterator[Path]:
    yield root / RUBRIC_FILE
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.is_file() and not NO_SOURCE.intersection(path.relative_to(root).parts):
                yield path
