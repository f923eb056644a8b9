"""Show on the standard error how far the grading of a class has come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import click

from grader.batch.discovery import Entry
from grader.batch.gradebook import Row
from grader.report.cleaning import one_line, without_commands
from grader.text.points import shown


@contextmanager
def progress(entries: tuple[Entry, ...]) -> Iterator[Callable[[Row], None]]:
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
