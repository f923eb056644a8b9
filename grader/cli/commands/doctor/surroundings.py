"""Look at what is around the grader: the course, where it is published, the disk and the clock."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grader
from grader.cli.commands.doctor.requirement import Requirement
from grader.course.course import Course, CourseError, course_here
from grader.course.rubric_file import RubricError
from grader.report.cleaning import one_line
from grader.sealed.memory_path import opened_file
from grader.text.typed import here

LIMIT_GIT_S = 10
NEEDED_BYTES = 1_000_000_000
"""What a class of some hundred students writes, several times over."""
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
_SLACK = timedelta(days=1)


def surroundings(course_folder: Path | None) -> Iterator[Requirement]:
    """Look at everything around, in the order in which to mend it."""
    try:
        course = course_here(course_folder)
    except RubricError as error:
        yield Requirement("course", _first(error), f"{here().command('check')} names every mistake")
    except CourseError as error:
        if course_folder is None:
            yield Requirement("course", "none here", advice=_first(error))
        else:
            yield Requirement("course", "cannot be read", one_line(str(error)))
    else:
        yield health(course)
        if opened_file(course.root) is None:
            yield origin(course, remote(course.root))
    yield disk(Path(tempfile.gettempdir()), shutil.disk_usage(tempfile.gettempdir()).free)
    yield clock(datetime.now(UTC), _installed())


def health(course: Course) -> Requirement:
    """Say what is in this copy of the course, and what a complete one has besides."""
    exercises = course.rubric.exercises.values()
    actual = f"{course.rubric.course}: {len(exercises)} exercises"
    opened = opened_file(course.root)
    if opened is not None:
        until = opened.course.expires.isoformat()
        return Requirement("course", f"{actual}, sealed, to be used until {until} (UTC)")
    try:
        for one in exercises:
            course.suite_files(one)
    except CourseError as error:
        return Requirement("course", _first(error), "add the suite, or get the course again")
    if course.paths.recording.is_file():
        return Requirement("course", f"{actual}, a kit: public checks, with recorded answers")
    if not course.paths.reference.is_dir():
        advice = "what students have is like this; an author's copy has reference/"
        return Requirement("course", f"{actual}, no reference", advice=advice)
    return Requirement("course", f"{actual}, each with its suite, and the reference")


def origin(course: Course, url: str) -> Requirement:
    """Say where the course is pushed to: nobody asks the network whether others can read it there.

    An address without a host is a folder, which nobody else reads.
    """
    if not url:
        return Requirement("origin", "no remote repository of this course is known")
    shown = one_line(_CREDENTIALS.sub("", url))
    if "://" not in url and not re.match(r"[\w.@-]+:(?!\\)", url):
        return Requirement("origin", f"{shown}, a folder")
    if not course.paths.reference.is_dir() or course.paths.recording.is_file():
        return Requirement("origin", shown)
    advice = (
        "make sure that it is private: in a public one everybody reads the reference and the "
        "hidden suites, also in its history. This was not looked up"
    )
    return Requirement("origin", shown, advice=advice)


def remote(root: Path) -> str:
    """Return the address of the course's remote `origin` as git knows it here; empty if unknown."""
    command = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_GIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def disk(folder: Path, free_bytes: int) -> Requirement:
    actual = f"{free_bytes / 1e9:.1f} GB free for {folder}"
    if free_bytes < NEEDED_BYTES:
        return Requirement("disk", actual, f"free some space, or set TMPDIR: {folder} is full")
    return Requirement("disk", actual)


def clock(now: datetime, installed: datetime) -> Requirement:
    """Compare the clock with files that were written before: deadlines hang on it."""
    actual = f"{now:%Y-%m-%d %H:%M} UTC"
    if now < installed - _SLACK:
        fix = "set the clock (timedatectl set-ntp true): lateness is counted by it"
        return Requirement("clock", f"{actual}, before the grader was installed", fix)
    return Requirement("clock", actual)


def _installed() -> datetime:
    file = Path(grader.__path__[0]) / "__init__.py"
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _first(error: Exception) -> str:
    return one_line(str(error).splitlines()[0])
