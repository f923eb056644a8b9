"""`grader batch`: grade a class, with a progress bar, into a folder of results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import click

from grader.batch.attendance import Absences, of_roster
from grader.batch.batch import grade_batch
from grader.batch.class_results import GRADEBOOK_FILE, POINTS_FILE, SHEETS
from grader.batch.discovery import Class, Entry, discover
from grader.batch.gradebook import Row
from grader.batch.roster import read_roster
from grader.batch.summary import Summary
from grader.batch.time_columns import NO_ONES_TIMES, times_of
from grader.cli import options
from grader.cli.by_person import brought, print_answers, print_review
from grader.cli.faults import in_words
from grader.cli.open_engine import OpenEngine
from grader.course.course import course_here, select
from grader.course.rubric import Rubric
from grader.engine.engine import Engine, Options
from grader.engine.lanes import cores
from grader.files.writing import make_folder, refuse_detour
from grader.report.cleaning import encodable, one_line, trimmed, without_commands
from grader.store.conditions import conditions_of
from grader.store.results import Results
from grader.store.store import STORE_FILE, ClassRun, open_store
from grader.submission.downloads import LAYOUTS, PLAIN
from grader.text.language import ENGLISH
from grader.text.points import shown
from grader.text.typed import here

_OVERVIEW_MAX = 60
"""The largest class shown on a terminal; a larger one is for a spreadsheet."""


@click.command("batch")
@click.argument("folder", metavar="DIR", type=options.FOLDER)
@click.option("--out", required=True, type=options.FOLDER, help="Where the results go.")
@options.jobs("Submissions graded at a time; else one a core.")
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="CSV of the class: everybody on it has a row, under the name there.",
)
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    help="The system that DIR was downloaded from; else it is recognised by its file names.",
)
@click.option("--again", is_flag=True, help="Grade everybody anew, even if nothing has changed.")
@options.written_points
@options.empty_is_zero
@options.only
@options.spawn
@options.isolation
@options.language("The language of what is said about submissions.", ENGLISH)
@options.course
def command(**given: Any) -> int:
    """Grade a class: DIR holds one folder or file a student.

    Whoever has results in --out already is graded again only if something has changed since.
    """
    return run(**given)


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
    empty_is_zero: bool = False,
    again: bool = False,
    layout: str | None = None,
    roster: Path | None = None,
    open_engine: OpenEngine = Engine,
) -> int:
    """Grade every submission in `folder` into `out` and return the exit code.

    Who was graded into `out` before is not graded again, unless the submission, the course, the
    grader or what it computes with has changed, or `again` is set.

    Points for written answers come from `written_points`, else from those entered in `out` before.
    """
    with in_words():
        refuse_detour(out / POINTS_FILE, folder)
        course = course_here(course_folder, folder)
        slugs = select(course.rubric, only)
        result = discover(folder, out, course.rubric.assignments.values(), layout)
        entries, absences, times = result.entries, Absences(), NO_ONES_TIMES
        if roster is not None:
            known = read_roster(roster)
            times = times_of(known.times, course.rubric, slugs)
            entries, absences = of_roster(entries, known)
        students = [*(entry.id for entry in entries), *absences.handed_in_nothing]
        by_person = brought(course, out, written_points, students, empty_is_zero)
        options = Options(
            workers=min(jobs or cores(), len(entries)),
            spawn=spawn,
            only=slugs,
            # A class is graded with nothing less unless somebody decided so.
            isolation=isolation or "full",
        )
        conditions = conditions_of(course, slugs, options.isolation or "")
        make_folder(out)
        with (
            open_store(out / STORE_FILE) as store,
            open_engine(course, options) as grader,
            _progress(entries) as on_row,
        ):
            store.note_run(ClassRun(str(folder.resolve()), result.layout, _resolved(roster)))
            results = Results(store, conditions, course.rubric, again)
            summary = grade_batch(
                entries,
                course.rubric,
                grader,
                out,
                on_row,
                slugs,
                by_person,
                results,
                absences.handed_in_nothing,
                times,
            )
    _print_overview(summary, course.rubric, slugs)
    _print_summary(summary, "all automatic points" if course.rubric.written else "all points")
    _print_layout(result, folder)
    _print_left(summary, folder, out, result.others)
    _print_absences(absences)
    _print_without_time(summary)
    if summary.earlier:
        click.echo(
            f"{summary.earlier} of {len(summary.rows)} were graded before and nothing has changed "
            "since; --again grades them anew"
        )
    if course.rubric.written_for(slugs):
        print_review(summary.review)
        if print_answers(summary.rows, by_person):
            where = f"read {out / SHEETS}, fill {out / POINTS_FILE}"
            enter = here(course_folder).command("gradebook", str(out))
            click.echo(f"to grade answers: {where}, then: {enter}")
    click.echo(f"next: open {out / GRADEBOOK_FILE}")
    return exit_code(summary)


def _resolved(path: Path | None) -> str:
    return "" if path is None else str(path.resolve())


def exit_code(summary: Summary) -> int:
    """Return 0 for all points everywhere, 3 if anything could not be read or checked, else 1."""
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

    from grader.batch.overview import overview

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(overview(summary.rows, rubric, only, console.width))
    text = without_commands(trimmed(capture.get()))
    console.file.write(encodable(text + "\n", console.encoding))


def _print_summary(summary: Summary, everything: str) -> None:
    nothing = (*summary.problems, *summary.idle)
    for row in (*nothing, *(row for row in summary.unchecked if row not in nothing)):
        unknown = f"{shown(row.unchecked)} points could not be checked"
        reason = row.problem if row in nothing else unknown
        click.echo(without_commands(f"{one_line(row.id)}: {one_line(reason)}"))
    for row in summary.rows:
        for flag in row.flags:
            click.echo(without_commands(f"{one_line(row.id)}: to look into: {one_line(flag)}"))
    click.echo(
        f"{len(summary.rows)} submissions, {summary.complete} with {everything}, "
        f"{len(summary.problems)} without a result"
    )


def _print_left(summary: Summary, folder: Path, out: Path, ignored: tuple[str, ...]) -> None:
    """Print names in the folder that are no submissions, and records of students not graded now."""
    if ignored:
        click.echo(without_commands(f"no submission by its name: {_few(ignored)} in {folder}"))
    if summary.stale:
        records = out / "records"
        stale = f"stale, of students who are not in {folder}: {_few(summary.stale)} in {records}"
        click.echo(without_commands(stale))


def _print_layout(collected: Class, folder: Path) -> None:
    if collected.layout != PLAIN:
        files = sum(max(1, len(entry.parts)) for entry in collected.entries)
        click.echo(
            f"{folder} is a download from {collected.layout.capitalize()}: {files} files of "
            f"{len(collected.entries)} students. If not: --layout {PLAIN}"
        )


def _print_absences(absences: Absences) -> None:
    for names, words in (
        (absences.handed_in_nothing, "handed in nothing"),
        (absences.not_on_roster, "not on the roster, and graded"),
        (absences.handed_in_twice, "handed in more than one submission, each with a row"),
    ):
        if names:
            click.echo(without_commands(f"{len(names)} {words}: {_few(names)}"))


def _print_without_time(summary: Summary) -> None:
    """Name those of whom it is not known when they handed in: it costs them nothing."""
    if names := tuple(row.id for row in summary.rows if row.lacks_time):
        lacking = f"{len(names)} without a time in the roster's column handed_in"
        click.echo(without_commands(f"{lacking}, so lateness takes nothing: {_few(names)}"))


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(one_line(name) for name in names[:5]) + more
