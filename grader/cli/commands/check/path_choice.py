"""Find the submission that `grader check` grades if none is named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from grader.course.course import Course
from grader.report.next_step import from_here
from grader.submission.collection import is_ignored_folder
from grader.submission.file_choice import candidates
from grader.text.language import _
from grader.text.typed import Typed

_MOST = 2000
"""The most entries of a folder that are looked at."""


@dataclass(frozen=True)
class PathChoice:
    """The path to grade, as it is typed from the current folder."""

    path: Path
    remark: str = ""
    """A sentence about the choice, if somebody could expect another one."""


def path_to_grade(path: Path | None, course: Course, cwd: Path, typed: Typed) -> PathChoice:
    """Return the path that was named; else choose one.

    That is the current folder, if it holds hand-outs; else the hand-outs of the course itself.
    """
    if path is not None:
        return PathChoice(path)
    # What lies beside the rubric is in the course's own folders.
    if cwd != course.root and _holds(cwd, course):
        return PathChoice(Path())
    own = Path(from_here(course.assignments, cwd))
    others = list(_others(cwd, course))
    if others:
        command = typed.command("check", others[0])
        text = _(
            "no folder is named: grading {place}. For {other}: {command}",
            place=own,
            other=others[0],
            command=command,
        )
        return PathChoice(own, text)
    if cwd in (course.root, course.assignments):
        return PathChoice(own)
    return PathChoice(own, _("no hand-outs in {folder}: grading {place}", folder=cwd, place=own))


def _others(cwd: Path, course: Course) -> Iterator[str]:
    """Yield names of files and folders here that hold hand-outs and are not part of the course."""
    if cwd == course.root:
        names = (entry.name for entry in _entries(cwd) if entry.is_file())
        yield from _hand_outs(names, course)
    course_folders = (course.assignments, course.paths.reference)
    for entry in sorted(_entries(cwd), key=lambda entry: entry.name):
        if entry.is_dir() and not is_ignored_folder(entry.name):
            folder = cwd / entry.name
            if folder not in course_folders and _holds(folder, course):
                yield entry.name


def _holds(folder: Path, course: Course) -> bool:
    return bool(_hand_outs((one.name for one in _entries(folder) if one.is_file()), course))


def _hand_outs(names: Iterable[str], course: Course) -> list[str]:
    by_stem = candidates(names, course.rubric.assignments.values())
    return [name for files in by_stem.values() for name in files]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, _MOST))
    except OSError:
        return []
