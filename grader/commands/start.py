"""`grader start`: copy the hand-outs to where they are solved."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from grader.commands.faults import in_words
from grader.course import Course, CourseError, find_course
from grader.language import _, either
from grader.written.ask import ANSWERS_FILE


def run(folder: Path, *, kinds: tuple[str, ...], course_folder: Path | None) -> int:
    """Copies every hand-out that is not there yet, and says what to do next.

    A file that is there already is never written to, edited or not.
    """
    with in_words():
        course = find_course(course_folder or Path.cwd())
        handouts = _handouts(course, kinds)
        folder.mkdir(parents=True, exist_ok=True)
        for handout in handouts:
            click.echo(_copy(handout, folder / handout.name))
    first = either(str(folder / path.name) for path in handouts[: len(kinds)])
    click.echo(
        _(
            "next: open {files}, write your solution, then run: {command}",
            files=first,
            command=_check(folder, course_folder),
        )
    )
    return 0


def _handouts(course: Course, kinds: tuple[str, ...]) -> list[Path]:
    found = []
    for stem in course.rubric.assignments.values():
        for kind in kinds:
            path = course.stub(stem).with_suffix(kind)
            if not path.is_file():
                raise CourseError(_missing(path))
            found.append(path)
    if course.rubric.written and ".py" in kinds:  # a notebook has a cell for each answer
        path = course.assignments / ANSWERS_FILE
        if not path.is_file():
            raise CourseError(_missing(path))
        found.append(path)
    return found


def _missing(path: Path) -> str:
    remedy = _("Generate it: grader stubs")
    return _("{path}: no such file. {remedy}", path=path, remedy=remedy)


def _copy(handout: Path, target: Path) -> str:
    content = handout.read_bytes()
    try:
        with target.open("xb") as file:  # x: what is there already is not overwritten
            file.write(content)
    except FileExistsError:
        if target.is_file() and target.read_bytes() == content:
            return _("there   {file}", file=target)
        return _(
            "kept    {file}, which is no longer the hand-out; to start over, move it away",
            file=target,
        )
    return _("copied  {file}", file=target)


def _check(folder: Path, course_folder: Path | None) -> str:
    words = ["grader", "check", str(folder)]
    return shlex.join(words + (["--course", str(course_folder)] if course_folder else []))
