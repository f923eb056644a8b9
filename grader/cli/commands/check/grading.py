"""Grade one submission, and say what to open next: the work of `grader check`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.commands.check.for_staff import tell_staff
from grader.cli.commands.check.path_choice import path_to_grade
from grader.cli.commands.check.under_way import line
from grader.cli.commands.check.watch_request import WatchRequest
from grader.cli.faults import in_words
from grader.cli.one_submission import exit_code, slugs_in
from grader.cli.open_engine import OpenEngine, Opener
from grader.cli.report_files import clear, write
from grader.course.course import Course, course_here, select
from grader.engine.engine import Engine, Options, Tell
from grader.engine.lanes import cores
from grader.engine.process_tree import ProcessTree
from grader.files.writing import refuse_detour
from grader.report.cleaning import one_line
from grader.report.content import Report, report_on
from grader.report.formats import renderer
from grader.report.tries import known_by_now
from grader.submission.archive import is_archive
from grader.submission.file_choice import seem_untouched
from grader.submission.submission import SubmissionError, read_submission
from grader.text.language import _, speak_of
from grader.text.typed import here

if TYPE_CHECKING:  # what most formats can do without
    from grader.course.explanations import Explanations


def run(
    path: Path | None,
    *,
    only: tuple[str, ...],
    format_: str = "text",
    files: Sequence[tuple[str, Path]] = (),
    watch: bool = False,
    causes: bool = False,
    spawn: bool,
    isolation: str | None = None,
    course_folder: Path | None,
    begun: ProcessTree | None = None,
    opener: Opener | None = None,
) -> int:
    """Report on the submission at `path` and return the exit code.

    The report is printed in `format_`, and written to each of `files` in its own format. `begun` is
    the process tree, if its start is under way; `opener` opens another engine than a new one.
    """
    with in_words():
        students_folder = _folder_of(path)
        clear((file for _format, file in files), students_folder)
        course = course_here(course_folder, students_folder)
        speak_of(course.root)
        slugs = select(course.rubric, only)
        typed = here(course_folder, only)
        choice = path_to_grade(path, course, Path.cwd(), typed)
        place = choice.path.absolute()
        # What a shell makes of `class/*` may be a student's link, which is refused as in a batch.
        # The folders above it are of whoever typed the path.
        target = place if place.is_symlink() else place.resolve()
        if path is None and place != course.assignments:
            for _format, file in files:
                refuse_detour(file, place)
        if choice.remark and not watch:
            click.echo(one_line(choice.remark), err=True)
        submission = read_submission(target, place.name)
        slugs = slugs or slugs_in(submission, target, course)
        untouched = frozenset(seem_untouched(submission.files, course.rubric))
        options = Options(
            spawn=spawn,
            only=slugs,
            isolation=isolation,
            untouched=untouched,
            counterexamples=True,
            hurry=cores() > 1,
        )
        if watch:
            request = WatchRequest(course, target, slugs, typed, choice.remark, causes)
            return _watch(request, options, begun)
        with line() as tell, _open(opener, begun, tell)(course, options) as grader:
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
    report = replace(report, typed=typed, has_hints=course.paths.explains)
    report = known_by_now(report, course.rubric.feedback, on_request=causes)
    for rendered, file in writers:
        write(file, rendered(report))
    show(report)
    tell_staff(report)
    return exit_code(report)


def _open(opener: Opener | None, begun: ProcessTree | None, tell: Tell | None) -> OpenEngine:
    return partial(Engine, begun=begun, tell=tell) if opener is None else opener(tell)


def _watch(request: WatchRequest, options: Options, begun: ProcessTree | None) -> int:
    if is_archive(request.path.name):
        raise SubmissionError(
            _(
                "{file}: an archive cannot be watched. Unpack it and name the folder",
                file=request.path,
            )
        )
    if importlib.util.find_spec("watchfiles") is None:
        raise SubmissionError(_("--watch needs watchfiles. Next: pip install watchfiles"))
    from grader.cli.commands.check.watch import run as command

    return command(request, options, begun)


def _explanations(course: Course) -> Explanations | None:
    """Load the explanations that hints come from; None if this copy of the course has none.

    Raises click's error if they have a mistake.
    """
    from grader.course.explanations import (
        ExplanationError,
        has_explanations,
        load_explanations,
    )

    if not has_explanations(course.paths):
        return None
    try:
        return load_explanations(course.root, course.rubric)
    except ExplanationError as error:
        raise click.ClickException(one_line(str(error))) from error


def _folder_of(path: Path | None) -> Path | None:
    """Return the folder that a submission lies in; None for an archive, or if nothing is there."""
    if path is None or is_archive(path.name):
        return None
    return path if path.is_dir() else path.parent if path.exists() else None


def _printer(format_: str) -> Callable[[Report], None]:
    if format_ != "text":
        rendered = renderer(format_)
        return lambda report: click.echo(rendered(report).encode(), nl=False)
    from rich.console import Console

    from grader.report.terminal import render

    return lambda report: render(report, Console(highlight=False), Path.cwd())
