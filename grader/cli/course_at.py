"""Take a course as it was: of a commit of its Git repository, or at a time."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grader.batch.discovery import BatchError
from grader.course.course import Course, find_course
from grader.report.cleaning import one_line
from grader.text.moments import lacks_offset, read_moment

LIMIT_S = 120
FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
"""Python before 3.11.4 knows no filters; and git keeps no path that leads out of its tree."""


@contextmanager
def course_at(course: Course, at: str) -> Iterator[Course]:
    """Lend the course as of a commit or a time, in a folder of its own; as it is if `at` is empty.

    The folder of the course is not touched. Raises BatchError and CourseError.
    """
    if not at:
        yield course
        return
    with TemporaryDirectory(prefix="grader-course-") as place:
        # In a subfolder of a repository, git archives that folder alone.
        packed = _git(course.root, "archive", "--format=tar", _commit(course.root, at))
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(place, **FILTER)
        yield find_course(Path(place).resolve())


def _commit(root: Path, at: str) -> str:
    """Return the name of the commit that is meant. Raises BatchError."""
    if lacks_offset(at):
        raise BatchError(
            f"--at {at}: this time does not say its offset from UTC. Write it behind the time, "
            f"such as {at}+09:00"
        )
    words: tuple[str, ...]
    try:
        before = f"--before=@{read_moment(at).seconds} +0000"
    except ValueError:
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{at}^{{commit}}")
        nothing = f"--at {one_line(at)}: no commit of that name in {root}"
    else:
        words = ("rev-list", "-1", before, "HEAD")
        nothing = f"--at {one_line(at)}: {root} has no commit that is so old"
    try:
        sha = _git(root, *words).decode().strip()
    except BatchError:
        if _is_repository(root):
            raise BatchError(nothing) from None
        raise
    if not sha:
        raise BatchError(nothing)
    return sha


def _is_repository(root: Path) -> bool:
    try:
        return bool(_git(root, "rev-parse", "--git-dir"))
    except BatchError:
        return False


def _git(root: Path, *words: str) -> bytes:
    """Return what git prints. Raises BatchError."""
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *words],
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
        )
    except FileNotFoundError:
        raise BatchError("--at needs git, which is not installed or not on the PATH") from None
    except subprocess.TimeoutExpired:
        raise BatchError(f"git {words[0]} took longer than {LIMIT_S} s in {root}") from None
    if done.returncode:
        reason = one_line(done.stderr.decode("utf-8", "replace")) or "it did not say why"
        raise BatchError(f"--at: git {words[0]} failed in {root}: {reason}")
    return done.stdout
