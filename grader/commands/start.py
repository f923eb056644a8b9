"""`grader start`: copy the hand-outs to where they are solved."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from grader.commands.faults import in_words
from grader.course import Course, CourseError, find_course
from grader.language import LANGUAGES, preferred_language
from grader.written.ask import ANSWERS_FILE


def run(
    folder: Path, *, kinds: tuple[str, ...], language: str | None, course_folder: Path | None
) -> int:
    """Copies every hand-out that is not there yet, and says what to do next.

    A file that is there already is never written to, edited or not.
    """
    with in_words():
        course = find_course(course_folder or Path.cwd())
        handouts = _handouts(course, kinds, _source(course, language))
        folder.mkdir(parents=True, exist_ok=True)
        for handout in handouts:
            click.echo(_copy(course, handout, folder / handout.name))
    first = " or ".join(str(folder / path.name) for path in handouts[: len(kinds)])
    click.echo(
        f"next: open {first}, write your solution, then run: {_check(folder, course_folder)}"
    )
    return 0


def _source(course: Course, language: str | None) -> Path:
    """Where the hand-outs in a language are; those of the environment's only if there are any."""
    folder = course.handouts(language or preferred_language())
    if folder.is_dir() or language is None:
        return folder if folder.is_dir() else course.assignments
    raise CourseError(
        f"{folder}: no such folder, so there are no hand-outs in {language!r}. Leave out --lang"
    )


def _handouts(course: Course, kinds: tuple[str, ...], source: Path) -> list[Path]:
    stems = course.rubric.assignments.values()
    found = [source / f"{stem}{kind}" for stem in stems for kind in kinds]
    if course.rubric.written and ".py" in kinds:  # a notebook has a cell for each answer
        found.append(source / ANSWERS_FILE)
    for path in found:
        if not path.is_file():
            raise CourseError(f"{path}: no such file. Generate it: grader stubs")
    return found


def _copy(course: Course, handout: Path, target: Path) -> str:
    content = handout.read_bytes()
    try:
        with target.open("xb") as file:  # x: what is there already is not overwritten
            file.write(content)
    except FileExistsError:
        if target.is_file() and target.read_bytes() == content:
            return f"there   {target}"
        if target.is_file() and target.read_bytes() in _editions(course, handout.name):
            return f"there   {target}, in another language; to change it, move it away"
        return f"kept    {target}, which is no longer the hand-out; to start over, move it away"
    return f"copied  {target}"


def _editions(course: Course, name: str) -> list[bytes]:
    """A hand-out in every language."""
    paths = (course.handouts(language) / name for language in LANGUAGES)
    return [path.read_bytes() for path in paths if path.is_file()]


def _check(folder: Path, course_folder: Path | None) -> str:
    words = ["grader", "check", str(folder)]
    return shlex.join(words + (["--course", str(course_folder)] if course_folder else []))
