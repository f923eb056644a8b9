"""`grader new`: add an exercise to a course, or begin a course with one."""

from __future__ import annotations

import keyword
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from grader.cli import options
from grader.cli.faults import in_words
from grader.course.course import Course, find_course
from grader.course.paths import CoursePaths
from grader.course.rubric_form import is_slug
from grader.course.rubric_place import RUBRIC_FILE
from grader.course.todos import open_todos
from grader.files.writing import make_folder, write_files
from grader.handouts import generation
from grader.handouts.stubs import StubError
from grader.scaffold import ScaffoldError
from grader.scaffold.exercise import (
    Kind,
    SharedFiles,
    Wish,
    changed_files,
    extended_rubric,
    new_rubric,
)
from grader.scaffold.templates import read_templates
from grader.text.problem import did_you_mean
from grader.text.typed import here


@dataclass(frozen=True)
class Words:
    """The arguments of the command line."""

    slug: str
    target: str
    kind: Kind | None = None
    assignment: str | None = None
    course_folder: Path | None = None
    begin: Path | None = None
    """The folder in which a new course is begun."""


@click.command("new")
@click.argument("slug")
@click.option("--target", required=True, metavar="NAME", help="What students define.")
@click.option(
    "--kind",
    type=click.Choice(["function", "class"]),
    help="What the target is; else a class if its name begins with a capital.",
)
@click.option(
    "--assignment", metavar="STEM", help="What a new assignment's files are called: f1_filters."
)
@click.option("--begin", type=options.FOLDER, metavar="DIR", help="Begin a course in DIR with it.")
@options.course_to_edit
def command(**given: Any) -> int:
    """Add an exercise SLUG, such as f1.blur, that grades at once (for authors)."""
    words = Words(**given)
    if words.begin is not None and words.course_folder is not None:
        raise click.UsageError("--begin is where a new course goes; leave out --course")
    return run(words, seed=secrets.token_hex(16))


def run(words: Words, seed: str) -> int:
    """Add the exercise and say what was written and what is left to write.

    `seed` is only used for a new course. Nothing is overwritten, and nothing written if anything
    is in the way.
    """
    with in_words():
        try:
            root, written = _begin(words, seed) if words.begin else _extend(words)
            handouts = generation.write(root)
        except (ScaffoldError, StubError) as error:
            raise click.ClickException(str(error)) from error
        course = find_course(root)
    for path in written:
        click.echo(f"wrote {path}")
    for handout in handouts:
        if handout.stem == course.rubric.exercises[words.slug].assignment:
            click.echo(f"wrote {handout.relative_to(root)}")
    _say_what_is_left(course, words)
    return 0


def _begin(words: Words, seed: str) -> tuple[Path, list[str]]:
    assert words.begin is not None
    root = words.begin.resolve()
    if (root / RUBRIC_FILE).exists():
        raise ScaffoldError(
            f"{root / RUBRIC_FILE}:1: a course is there already. Next: leave out --begin and "
            f"run: {here(words.begin).command('new', words.slug, '--target', words.target)}"
        )
    wish = _wish(words, None)
    name = re.sub(r"\W+", "-", root.name).strip("-") or "course"
    rubric = new_rubric(wish, read_templates(wish.kind), f"'{name}'", f"'{seed}'")
    return root, _write(root, wish, rubric)


def _extend(words: Words) -> tuple[Path, list[str]]:
    course = find_course(words.course_folder or Path.cwd())
    generation.render(course.root)  # tells a mistake from before, while nothing is written
    wish = _wish(words, course)
    text = (course.root / RUBRIC_FILE).read_text(encoding="utf-8-sig")  # with plain line ends
    new = wish.stem not in course.rubric.assignments.values()
    rubric = extended_rubric(wish, read_templates(wish.kind), text, new_assignment=new)
    return course.root, _write(course.root, wish, rubric)


def _wish(words: Words, course: Course | None) -> Wish:
    """Return the exercise that is asked for, if it can be made. Raises ScaffoldError."""
    if not is_slug(words.slug):
        raise ScaffoldError(
            f"'{words.slug}' is no slug: an assignment and a name, such as a1.sums. "
            f"Next: {_again(words, 'a1.sums', words.target)}"
        )
    if not words.target.isidentifier() or keyword.iskeyword(words.target):
        raise ScaffoldError(
            f"'{words.target}' is no name for a function or a class. "
            f"Next: {_again(words, words.slug, 'compute')}"
        )
    is_class = words.target[:1].isupper()
    kind: Kind = words.kind or ("class" if is_class else "function")
    stem, paths = _stem(words, course), CoursePaths(Path())
    shared = SharedFiles(paths.solution(stem).as_posix(), paths.blank_answers.as_posix())
    folder = paths.exercise(words.slug).folder.as_posix()
    wish = Wish(words.slug, words.target, kind, stem, folder, shared)
    if course is not None:
        _require_new(wish, course)
    return wish


def _again(words: Words, slug: str, target: str, *more: str) -> str:
    """Return the command to type instead of this one, with its other options kept."""
    kind = ["--kind", words.kind] if words.kind else []
    begin = ["--begin", str(words.begin)] if words.begin else []
    return here(words.course_folder).command("new", slug, "--target", target, *kind, *more, *begin)


def _stem(words: Words, course: Course | None) -> str:
    prefix = words.slug.partition(".")[0]
    known = course.rubric.assignments if course else {}
    stem = known.get(prefix) or words.assignment
    again = _again(words, words.slug, words.target, "--assignment", f"{prefix}_name")
    if stem is None:
        hint = did_you_mean(prefix, known) if known else ""
        raise ScaffoldError(
            f"{_rubric(course)}: no assignment '{prefix}'{hint}. "
            f"Next, for a new one, say what its files are called: {again}"
        )
    if words.assignment not in (None, stem):
        raise ScaffoldError(
            f"{_rubric(course)}: assignment '{prefix}' is called {stem}. "
            "Next: leave out --assignment"
        )
    if not stem.isidentifier() or stem in (v for k, v in known.items() if k != prefix):
        raise ScaffoldError(
            f"{_rubric(course)}: '{stem}' is no name for a new assignment's files. Next: {again}"
        )
    return stem


def _rubric(course: Course | None) -> str:
    return f"{RUBRIC_FILE}:{_line(course, 'assignments:')}" if course else RUBRIC_FILE


def _line(course: Course, start: str) -> int:
    """Return the number of the first rubric line that begins with `start`, else 1."""
    lines = (course.root / RUBRIC_FILE).read_text(encoding="utf-8-sig").splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.strip().startswith(start)), 1)


def _require_new(wish: Wish, course: Course) -> None:
    if wish.slug in course.rubric.exercises:
        raise ScaffoldError(
            f"{RUBRIC_FILE}:{_line(course, f'{wish.slug}:')}: exercise {wish.slug} is there "
            "already. Next: choose another slug"
        )
    for slug, exercise in course.rubric.exercises.items():
        if exercise.assignment == wish.stem and wish.target in exercise.targets:
            raise ScaffoldError(
                f"{RUBRIC_FILE}:{_line(course, f'{slug}:')}: {wish.target} is a target of {slug}. "
                "Next: choose another --target"
            )


def _write(root: Path, wish: Wish, rubric: str) -> list[str]:
    """Write all files of the exercise; return their paths, relative to the root."""
    paths = {name: root / name for name in wish.shared.all}
    there = {name: _read(path, name) for name, path in paths.items() if path.exists()}
    for name in (*wish.suites, wish.folder):
        if (root / name).exists():
            raise ScaffoldError(f"{root / name}:1: is there already. Next: choose another slug")
    plain = {name: text.replace("\r\n", "\n") for name, text in there.items()}
    files = {
        name: text.replace("\n", "\r\n") if "\r\n" in there.get(name, "") else text
        for name, text in changed_files(wish, read_templates(wish.kind), rubric, plain).items()
    }
    for name in files:
        make_folder((root / name).parent)
    rubric_last = sorted(files, key=lambda name: name == RUBRIC_FILE)  # which makes it all valid
    write_files({root / name: files[name] for name in rubric_last})
    return list(files)


def _read(path: Path, shown: str) -> str:
    """Return the text with its line ends as they are. Raises ScaffoldError."""
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ScaffoldError(f"{shown}:1: cannot be read: {error}. Next: mend that") from error


def _say_what_is_left(course: Course, words: Words) -> None:
    exercise = course.rubric.exercises[words.slug]
    todos = open_todos(course, exercise)
    click.echo(f"\n{words.slug} grades already, as an example. To write, {len(todos)} TODOs:")
    for todo in todos:
        click.echo(f"  {todo}")
    typed = here(words.begin or words.course_folder)
    validate = typed.command("validate", "--exercise", words.slug)
    first = Path(os.path.relpath(course.root)) / todos[0].file
    click.echo(f"next: open {first}:{todos[0].line}; after that run: {validate}")
