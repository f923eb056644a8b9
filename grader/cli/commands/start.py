"""`grader start`: copy the hand-outs to the folder in which they are solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.cli import options
from grader.cli.faults import in_words
from grader.course.course import Course, CourseError, find_course
from grader.course.paths import DATA
from grader.course.question_text import ANSWERS_FILE
from grader.files.writing import make_folder, write_new_file
from grader.text.language import LANGUAGES, _, either
from grader.text.typed import here


@click.command("start")
@click.argument("folder", metavar="DIR", type=options.FOLDER)
@click.option("--py", "kinds", flag_value=".py", help="As .py files (the default).")
@click.option("--ipynb", "kinds", flag_value=".ipynb", help="As notebooks.")
@click.option("--both", "kinds", flag_value=".py .ipynb", help="As both; the edited one counts.")
@options.language(
    "The language of the hand-outs, and of what is said; else the environment's.", exposed=True
)
@options.course_to_edit
def command(kinds: str | None, **given: Any) -> int:
    """Copy the hand-outs to DIR, to be solved there; nothing is overwritten."""
    return run(kinds=tuple((kinds or ".py").split()), **given)


def run(folder: Path, *, kinds: tuple[str, ...], language: str, course_folder: Path | None) -> int:
    """Copy every hand-out that is not there yet, and say what to do next.

    With notebooks go the files that they read. A file that is there already is never written to,
    edited or not.
    """
    with in_words():
        course = find_course(course_folder or Path.cwd())
        handouts = _handouts(course, kinds, _source(course, language), course_folder)
        make_folder(folder)
        for handout in handouts:
            click.echo(_copy(course, handout, folder / handout.name))
        for file in course.data_files() if ".ipynb" in kinds else ():
            make_folder(folder / DATA)
            click.echo(_copy(course, file, folder / DATA / file.name))
    first = either(str(folder / path.name) for path in handouts[: len(kinds)])
    click.echo(
        _(
            "next: open {files}, write your solution, then run: {command}",
            files=first,
            command=here(course_folder).command("check", str(folder)),
        )
    )
    return 0


def _source(course: Course, language: str) -> Path:
    """Return the folder of hand-outs in this language.

    If there are none, say so and return the folder of the English ones.
    """
    folder = course.handouts(language)
    if folder.is_dir():
        return folder
    click.echo(_("note: this course has no hand-outs in that language; these are in English"))
    return course.assignments


def _handouts(
    course: Course, kinds: tuple[str, ...], source: Path, course_folder: Path | None
) -> list[Path]:
    stems = course.rubric.assignments.values()
    handouts = [source / f"{stem}{kind}" for stem in stems for kind in kinds]
    if course.rubric.written and ".py" in kinds:  # a notebook has a cell for each answer
        handouts.append(source / ANSWERS_FILE)
    for path in handouts:
        if not path.is_file():
            raise CourseError(_missing(path, course_folder))
    return handouts


def _missing(path: Path, course_folder: Path | None) -> str:
    command = here(course_folder).command("stubs")
    remedy = _("Generate it: {command}", command=command)
    return _("{path}: no such file. {remedy}", path=path, remedy=remedy)


def _copy(course: Course, handout: Path, target: Path) -> str:
    content = handout.read_bytes()
    if write_new_file(target, content):
        return _("copied  {file}", file=target)
    if target.is_file() and target.read_bytes() == content:
        return _("there   {file}", file=target)
    if target.is_file() and target.read_bytes() in _editions(course, handout.name):
        return _("there   {file}, in another language; to change it, move it away", file=target)
    return _(
        "kept    {file}, which is no longer the hand-out; to start over, move it away", file=target
    )


def _editions(course: Course, name: str) -> list[bytes]:
    """Return a hand-out's content in every language that has it."""
    paths = (course.handouts(language) / name for language in LANGUAGES)
    return [path.read_bytes() for path in paths if path.is_file()]
