"""`grader report`: one page on a graded class for its staff, and its tables as files."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from grader.class_report.data.class_list import NO_LIST, class_list
from grader.class_report.data.pictures import pictures_in
from grader.class_report.data.reading import read_class
from grader.class_report.html.lecture import rendered_lecture
from grader.class_report.html.page import rendered
from grader.class_report.lecture import lecture_of
from grader.class_report.lessons import lessons
from grader.class_report.printing import PDF, printed
from grader.class_report.report import class_report
from grader.class_report.tables import csv_files
from grader.cli import options
from grader.cli.faults import in_words
from grader.course.course import find_course
from grader.files.writing import make_folder, write_file
from grader.report.cleaning import one_line, without_commands
from grader.text.language import _, speak_of

PAGE = "class.html"
"""The name of the page in the results if nobody names another place."""


@click.command("report")
@click.argument(
    "results", metavar="[RESULTS]", type=options.FOLDER, default=Path("results"), required=False
)
@click.option(
    "--output",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=f"Where the page goes; else RESULTS/{PAGE}.",
)
@click.option(
    "--csv",
    "tables",
    type=options.FOLDER,
    metavar="DIR",
    help="Write every table as a CSV file too, with all rows and all students.",
)
@click.option(
    "--compare",
    type=options.FOLDER,
    metavar="OTHER",
    help="Results of another class, such as last year's, to lay beside these.",
)
@click.option(
    "--earlier",
    type=options.FOLDER,
    metavar="OTHER",
    multiple=True,
    help="Results of an earlier class: how many there made the same rare mistakes. Repeatable.",
)
@click.option(
    "--lecture",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write what to teach again on one page that names no student: FILE.html, or FILE.pdf "
    "where there is a Chromium.",
)
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The class list: its column of e-mails is shown beside the ids, to be copied.",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="A column of the roster, such as section: its groups are laid side by side.",
)
@options.language()
@options.course
def command(**given: Any) -> int:
    """Say what a class has not understood, who is stuck, and what the checks are worth.

    RESULTS is what `grader batch` wrote; `results` if it is not named. The page is one file, for
    staff only: it names students and hidden checks. No code is run.
    """
    return run(**given)


def run(
    results: Path,
    *,
    output: Path | None = None,
    tables: Path | None = None,
    compare: Path | None = None,
    earlier: Sequence[Path] = (),
    lecture: Path | None = None,
    roster: Path | None = None,
    by: str | None = None,
    course_folder: Path | None = None,
) -> int:
    """Write the page and the tables, and return 0."""
    output = output or results / PAGE
    if by and roster is None:
        raise click.UsageError(_("--by names a column of the class list: add --roster FILE."))
    with in_words(), _without_search_for_cycles():
        course = find_course(course_folder or Path.cwd())
        speak_of(course.root)
        data = read_class(results, course.rubric)
        other = None if compare is None else read_class(compare, course.rubric)
        lesson = lessons(course)
        listed = NO_LIST if roster is None else class_list(data, roster, by or "")
        before = [read_class(one, course.rubric) for one in earlier]
        picture = pictures_in(results)
        report = class_report(data, lesson, other, listed, earlier=before, picture=picture)
        make_folder(output.parent)
        write_file(output, rendered(report))
        if tables is not None:
            make_folder(tables)
            for name, content in csv_files(report):
                write_file(tables / name, content)
        if lecture is not None:
            page = rendered_lecture(lecture_of(data, lesson))
            make_folder(lecture.parent)
            is_pdf = lecture.suffix.lower() == PDF
            write_file(lecture, printed(page) if is_pdf else page)
    for line, _section in report.summary:
        click.echo(without_commands(one_line(line)))
    click.echo(_("next: open {file}", file=output if lecture is None else f"{output}, {lecture}"))
    return 0


@contextmanager
def _without_search_for_cycles() -> Iterator[None]:
    """Let nobody look for garbage meanwhile.

    A big class is half a million tuples, none of them garbage: to look took half of the time. The
    end of the process would look once more, and need not either: what is here stays until then.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
