"""`grader new`: add an exercise to a course, or begin a course with one."""

from __future__ import annotations

import keyword
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from grader.commands import stubs
from grader.commands.faults import in_words
from grader.course import RUBRIC_FILE, Course, find_course
from grader.problem import did_you_mean
from grader.rubric import is_slug
from grader.scaffold import ScaffoldError
from grader.scaffold.exercise import (
    Kind,
    Wish,
    changed_files,
    extended_rubric,
    new_rubric,
)
from grader.stubs import StubError
from grader.todos import open_todos


@dataclass(frozen=True)
class Words:
    """The command line."""

    slug: str
    target: str
    kind: Kind | None = None
    assignment: str | None = None
    course: Path | None = None
    begin: Path | None = None
    """Where a new course is begun."""


def run(words: Words, seed: str) -> int:
    """Adds the exercise and says what was written and what is left to write.

    `seed` is only used for a new course. Nothing is overwritten, and nothing written if anything
    is in the way.
    """
    with in_words():
        try:
            root, written = _begin(words, seed) if words.begin else _extend(words)
            handouts = stubs.run(root)
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
            f"run: {shlex.join(['grader', 'new', words.slug, '--target', words.target])} "
            f"--course {shlex.quote(str(words.begin))}"
        )
    wish = _wish(words, None)
    name = re.sub(r"\W+", "-", root.name).strip("-") or "course"
    return root, _write(root, wish, new_rubric(wish, f"'{name}'", f"'{seed}'"))


def _extend(words: Words) -> tuple[Path, list[str]]:
    course = find_course(words.course or Path.cwd())
    stubs.render(course.root)  # a mistake that was there before is told before anything is written
    wish = _wish(words, course)
    text = (course.root / RUBRIC_FILE).read_text(encoding="utf-8-sig")  # with plain line ends
    new = wish.stem not in course.rubric.assignments.values()
    return course.root, _write(course.root, wish, extended_rubric(wish, text, new_assignment=new))


def _wish(words: Words, course: Course | None) -> Wish:
    """What is wanted, if it can be had. Raises ScaffoldError."""
    if not is_slug(words.slug):
        raise ScaffoldError(
            f"'{words.slug}' is no slug: an assignment and a name, such as a1.sums. "
            f"Next: grader new a1.sums --target {words.target}"
        )
    if not words.target.isidentifier() or keyword.iskeyword(words.target):
        raise ScaffoldError(
            f"'{words.target}' is no name for a function or a class. "
            f"Next: grader new {words.slug} --target compute"
        )
    is_class = words.target[:1].isupper()
    kind: Kind = words.kind or ("class" if is_class else "function")
    wish = Wish(words.slug, words.target, kind, _stem(words, course))
    if course is not None:
        _require_new(wish, course)
    return wish


def _stem(words: Words, course: Course | None) -> str:
    prefix = words.slug.partition(".")[0]
    known = course.rubric.assignments if course else {}
    stem = known.get(prefix) or words.assignment
    again = f"grader new {words.slug} --target {words.target} --assignment {prefix}_name"
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
    """The line of the rubric that begins with these words, else the first."""
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
    """Writes all files of the exercise; returns them, seen from the root."""
    paths = {name: root / name for name in wish.edited}
    there = {name: _read(path, name) for name, path in paths.items() if path.exists()}
    for name in wish.suites:
        if (root / name).exists():
            raise ScaffoldError(f"{root / name}:1: is there already. Next: choose another slug")
    plain = {name: text.replace("\r\n", "\n") for name, text in there.items()}
    files = {
        name: text.replace("\n", "\r\n") if "\r\n" in there.get(name, "") else text
        for name, text in changed_files(wish, rubric, plain).items()
    }
    try:
        # All of them lie next to their places before the first one is moved there.
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / f"{name}.new").write_text(text, encoding="utf-8", newline="")
        for name in sorted(files, key=lambda name: name == RUBRIC_FILE):  # which makes it all valid
            (root / f"{name}.new").replace(root / name)
    except OSError as error:
        for name in files:
            (root / f"{name}.new").unlink(missing_ok=True)
        raise ScaffoldError(f"{root}: cannot be written: {error}. Next: mend that") from error
    return list(files)


def _read(path: Path, shown: str) -> str:
    """The text with its line ends. Raises ScaffoldError."""
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
    place = words.begin or words.course
    option = ["--course", str(place)] if place else []
    validate = shlex.join(["grader", "validate", "--exercise", words.slug, *option])
    first = Path(os.path.relpath(course.root)) / todos[0].file
    click.echo(f"next: open {first}:{todos[0].line}; after that run: {validate}")
