"""`grader check`: grade one submission and say what to open next."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.archive import is_archive
from grader.begin import Begun
from grader.commands.faults import in_words
from grader.commands.report_files import clear, write
from grader.course import Course, CourseError, find_course, select
from grader.engine import Engine, Options
from grader.evidence import Outcome
from grader.intake import candidates, seem_untouched
from grader.language import _, speak_of
from grader.processes import cores
from grader.report.cleaning import one_line
from grader.report.content import Grader, Report, report_on
from grader.report.formats import renderer
from grader.submission import Submission, SubmissionError, read_submission

if TYPE_CHECKING:  # what most formats can do without
    from grader.explanations import Explanations

OpenEngine = Callable[[Course, Options], AbstractContextManager[Grader]]


def run(
    path: Path | None,
    *,
    only: tuple[str, ...],
    format_: str = "text",
    files: Sequence[tuple[str, Path]] = (),
    watch: bool = False,
    spawn: bool,
    isolation: str | None = None,
    course_folder: Path | None,
    begun: Begun | None = None,
    open_engine: OpenEngine | None = None,
) -> int:
    """Reports on the submission at `path` and returns the exit code.

    The report is printed in `format_`, and written to each of `files` in its own. `begun`: the
    process tree, if it is under way.
    """
    with in_words():
        clear(path for _other, path in files)
        course = _course_for(course_folder, path)
        speak_of(course.root)
        # A path that was typed is trusted; what lies inside it is not.
        place = (path or _shortest(course.assignments)).absolute()
        target = place.resolve()
        slugs = select(course.rubric, only)
        submission = read_submission(target, place.name)
        slugs = slugs or _slugs_in(submission, target, course)
        untouched = frozenset(seem_untouched(submission.files, course.rubric))
        options = Options(
            spawn=spawn, only=slugs, isolation=isolation, untouched=untouched, hurry=cores() > 1
        )
        opened = (open_engine or partial(Engine, begun=begun))(course, options)
        if watch:
            return _watched(course, target, slugs, options, begun)
        with opened as grader:
            # Imported while torch is, in the other process.
            show = _printer(format_)
            writers = [(renderer(name), file) for name, file in files]
            hints = (
                _explanations(course)
                if "html" in (format_, *(name for name, _file in files))
                else None
            )
            graded = next(iter(grader.grade([submission])))
    report = report_on(graded, course.rubric, slugs, hints)
    for rendered, file in writers:
        write(file, rendered(report))
    show(report)
    return exit_code(report)


def _watched(
    course: Course, target: Path, slugs: tuple[str, ...], options: Options, begun: Begun | None
) -> int:
    if is_archive(target.name):
        raise SubmissionError(
            _("{file}: an archive is not worked on. Unpack it and name the folder", file=target)
        )
    if importlib.util.find_spec("watchfiles") is None:
        raise SubmissionError(_("--watch needs watchfiles. Next: pip install watchfiles"))
    from grader.commands.watch import run as command

    return command(course, target, slugs, options, begun)


def exit_code(report: Report) -> int:
    """0 all points that can be earned here, 3 if anything could not be checked, else 1."""
    grade = report.grade
    ours = any(seen.outcome is Outcome.COULD_NOT_CHECK for seen in report.observations)
    if grade.complete:
        return 0
    if ours or grade.unchecked_points > grade.later_points:
        return 3
    return 0 if grade.complete_here else 1


def _explanations(course: Course) -> Explanations | None:
    """What the hints are taken from, if this copy of the course has any."""
    from grader.explanations import FOLDER, ExplanationError, load_explanations

    if not (course.root / FOLDER).is_dir():
        return None
    try:
        return load_explanations(course.root, course.rubric)
    except ExplanationError as error:
        raise click.ClickException(one_line(str(error))) from error


def _course_for(course_folder: Path | None, path: Path | None) -> Course:
    """The course that was named, or that is around us, or around the path."""
    if course_folder is not None or path is None:
        return find_course(course_folder or Path.cwd())
    try:
        return find_course(Path.cwd())
    except CourseError:
        return find_course(path)


def _shortest(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _slugs_in(submission: Submission, target: Path, course: Course) -> tuple[str, ...]:
    """For a single file, the exercises of its assignment; else nothing: all of them."""
    if target.is_dir() or is_archive(target.name):
        return ()
    stems = {exercise.assignment for exercise in course.rubric.exercises.values()}
    found = candidates(submission.files, stems)
    if not found:
        suffix = target.suffix.lower()
        raise SubmissionError(
            _(
                "{path}: the name of this file matches no assignment. Rename it to one of: {names}",
                path=target,
                names=", ".join(f"{stem}{suffix}" for stem in sorted(stems)),
            )
        )
    return select(course.rubric, found)


def _printer(format_: str) -> Callable[[Report], None]:
    if format_ != "text":
        rendered = renderer(format_)
        return lambda report: click.echo(rendered(report).encode(), nl=False)
    from rich.console import Console

    from grader.report.terminal import render

    return lambda report: render(report, Console(highlight=False), Path.cwd())
