"""`grader prepare`: run every known mistake before a class has made it (for those who grade)."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import options
from grader.cli.faults import in_words
from grader.course.course import find_course, select
from grader.engine.lanes import cores
from grader.engine.preparing import prepare
from grader.text.counted import counted
from grader.text.language import language_in_use


@click.command("prepare")
@options.only
@options.jobs("Processes; else one for each core.")
@options.course_to_edit
@options.language()
def command(only: tuple[str, ...], jobs: int | None, course_folder: Path | None) -> int:
    """Run every known mistake once, so that nobody who makes one has to wait for that.

    Else the first submission with a mistake waits until it has been run: a second or more. What
    checks see of the mistakes is kept beside the course, in reference/__pycache__, until the
    course, the grader, Python or torch changes. Grades and reports are the same without it.
    """
    count = 0
    with in_words():
        course = find_course(course_folder or Path.cwd())
        slugs = select(course.rubric, only) or tuple(course.rubric.exercises)
        click.echo(f"running the known mistakes of {counted(len(slugs), 'exercise')} …", err=True)
        for number, done in enumerate(prepare(course, slugs, jobs or cores()), start=1):
            count += done.mistakes
            mistakes = counted(done.mistakes, "known mistake")
            click.echo(f"[{number}/{len(slugs)}] {done.slug}: {mistakes}", err=True)
    path = course.paths.known_runs(language_in_use())
    mistakes = counted(count, "known mistake")
    click.echo(f"{mistakes} run: {path.stat().st_size / 1e6:.1f} MB in {path}")
    return 0
