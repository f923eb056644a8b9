"""`grader batch`: grade a class, with a progress bar, into a folder of results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import click

from grader.batch import POINTS_FILE, ByPerson, Entry, Summary, discover, grade_batch
from grader.commands.check import OpenEngine
from grader.commands.faults import in_words
from grader.course import Course, find_course, select
from grader.engine import Engine, Options
from grader.export.gradebook import GivenPoints, Row
from grader.export.written_points import read_points
from grader.processes import cores
from grader.report.cleaning import encodable, one_line, trimmed, without_commands
from grader.report.points import shown
from grader.rubric import Rubric

_OVERVIEW_MAX = 60
"""A larger class is for a spreadsheet and not for a terminal."""


def run(
    folder: Path,
    out: Path,
    *,
    jobs: int | None,
    only: tuple[str, ...],
    spawn: bool,
    isolation: str | None = None,
    course_folder: Path | None,
    written_points: tuple[Path, ...] = (),
    open_engine: OpenEngine = Engine,
) -> int:
    """Grades every submission in `folder` into `out` and returns the exit code.

    Points for written answers are those in `written_points`, else those entered in `out` before.
    """
    with in_words():
        course = find_course(course_folder or Path.cwd())
        slugs = select(course.rubric, only)
        entries = discover(folder, out)
        base = out / POINTS_FILE if (out / POINTS_FILE).is_file() else None
        students = [entry.id for entry in entries]
        given = read_points(base, written_points, course.rubric.written, students)
        by_person = ByPerson(_guides(course), given)
        options = Options(
            workers=min(jobs or cores(), len(entries)),
            spawn=spawn,
            only=slugs,
            # A class is graded with nothing less unless somebody decided so.
            isolation=isolation or "full",
        )
        with open_engine(course, options) as grader, _progress(entries) as on_row:
            summary = grade_batch(entries, course.rubric, grader, out, on_row, slugs, by_person)
    _print_overview(summary, course.rubric, slugs)
    _print_summary(summary, "all automatic points" if course.rubric.written else "all points")
    _print_written(summary, out, course.rubric, slugs, given)
    click.echo(f"next: open {out / 'gradebook.csv'}")
    return exit_code(summary)


def _guides(course: Course) -> dict[str, str]:
    """How to mark each question, where the course says so."""
    paths = {slug: course.guide(slug) for slug in course.rubric.written}
    return {s: path.read_text(encoding="utf-8") for s, path in paths.items() if path.is_file()}


def exit_code(summary: Summary) -> int:
    """0 all points everywhere, 3 if anything could not be read or checked, else 1."""
    if summary.problems or summary.unchecked:
        return 3
    return 0 if summary.complete == len(summary.rows) else 1


@contextmanager
def _progress(entries: tuple[Entry, ...]) -> Iterator[Callable[[Row], None]]:
    if sys.stderr.isatty():
        with _bar(len(entries)) as on_row:
            yield on_row
    else:
        numbers = count(1)
        yield lambda row: click.echo(f"[{next(numbers)}/{len(entries)}] {_result(row)}", err=True)


@contextmanager
def _bar(total: int) -> Iterator[Callable[[Row], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("grading", total=total, last="")
        yield lambda row: progress.update(task, advance=1, last=_result(row))


def _result(row: Row) -> str:
    points = row.problem if row.total is None else f"{shown(row.total)} points"
    return without_commands(one_line(f"{row.id}: {points}", limit=160))


def _print_overview(summary: Summary, rubric: Rubric, only: tuple[str, ...]) -> None:
    if len(summary.rows) > _OVERVIEW_MAX:
        return
    from rich.console import Console

    from grader.report.overview import overview

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(overview(summary.rows, rubric, only))
    text = without_commands(trimmed(capture.get()))
    console.file.write(encodable(text + "\n", console.encoding))


def _print_summary(summary: Summary, everything: str) -> None:
    for row in (*summary.problems, *(row for row in summary.unchecked if not row.problem)):
        reason = row.problem or f"{shown(row.unchecked)} points could not be checked"
        click.echo(without_commands(f"{one_line(row.id)}: {one_line(reason)}"))
    click.echo(
        f"{len(summary.rows)} submissions, {summary.complete} with {everything}, "
        f"{len(summary.problems)} without a result"
    )


def _print_written(
    summary: Summary, out: Path, rubric: Rubric, only: tuple[str, ...], given: GivenPoints
) -> None:
    """What is left for a person to grade."""
    items = rubric.written_for(only)
    if not items:
        return
    for id, slug in summary.review:
        changed = f"{one_line(id)}: {slug} was answered anew after a person graded it"
        click.echo(without_commands(changed))
    answers = [
        (row.id, slug)
        for row in summary.rows
        for slug, written in row.written.items()
        if written.digest
    ]
    graded = sum(key in given and given[key].points is not None for key in answers)
    click.echo(f"{len(answers)} written answers, {graded} of them graded by a person")
    if graded < len(answers):
        where = f"read {out / 'written'}, fill {out / POINTS_FILE}, run this again"
        click.echo(f"to grade answers: {where}")
