"""`grader start`: copy the hand-outs to where they are solved."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from grader.commands.faults import in_words
from grader.course import Course, CourseError, find_course
from grader.language import LANGUAGES, _, either
from grader.written.ask import ANSWERS_FILE


def run(folder: Path, *, kinds: tuple[str, ...], language: str, course_folder: Path | None) -> int:
    """Copies every hand-out that is not there yet, and says what to do next.

    A file that is there already is never written to, edited or not.
    """
    with in_words():
        course = find_course(course_folder or Path.cwd())
        handouts = _handouts(course, kinds, _source(course, language))
        folder.mkdir(parents=True, exist_ok=True)
        for handout in handouts:
            click.echo(_copy(course, handout, folder / handout.name))
    first = either(str(folder / path.name) for path in handouts[: len(kinds)])
    click.echo(
        _(
            "next: open {files}, write your solution, then run: {command}",
            files=first,
            command=_check(folder, course_folder),
        )
    )
    return 0


def _source(course: Course, language: str) -> Path:
    """Where the hand-outs in a language are; the English ones, and a word, if there are none."""
    folder = course.handouts(language)
    if folder.is_dir():
        return folder
    click.echo(_("note: this course has no hand-outs in that language; these are in English"))
    return course.assignments


def _handouts(course: Course, kinds: tuple[str, ...], source: Path) -> list[Path]:
    stems = course.rubric.assignments.values()
    found = [source / f"{stem}{kind}" for stem in stems for kind in kinds]
    if course.rubric.written and ".py" in kinds:  # a notebook has a cell for each answer
        found.append(source / ANSWERS_FILE)
    for path in found:
        if not path.is_file():
            raise CourseError(_missing(path))
    return found


def _missing(path: Path) -> str:
    remedy = _("Generate it: grader stubs")
    return _("{path}: no such file. {remedy}", path=path, remedy=remedy)


def _copy(course: Course, handout: Path, target: Path) -> str:
    content = handout.read_bytes()
    try:
        with target.open("xb") as file:  # x: what is there already is not overwritten
            file.write(content)
    except FileExistsError:
        if target.is_file() and target.read_bytes() == content:
            return _("there   {file}", file=target)
        if target.is_file() and target.read_bytes() in _editions(course, handout.name):
            return _("there   {file}, in another language; to change it, move it away", file=target)
        return _(
            "kept    {file}, which is no longer the hand-out; to start over, move it away",
            file=target,
        )
    return _("copied  {file}", file=target)


def _editions(course: Course, name: str) -> list[bytes]:
    """A hand-out in every language."""
    paths = (course.handouts(language) / name for language in LANGUAGES)
    return [path.read_bytes() for path in paths if path.is_file()]


def _check(folder: Path, course_folder: Path | None) -> str:
    words = ["grader", "check", str(folder)]
    return shlex.join(words + (["--course", str(course_folder)] if course_folder else []))
