"""Show on the standard error how far the grading of a class has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from grader.batch.gradebook import Row
from grader.batch.progress import UNSEEN, ProgressCount, Steps
from grader.report.cleaning import one_line, without_commands
from grader.text.points import shown

if TYPE_CHECKING:
    from rich.console import Group

EVERY_S = 30.0
"""The time between two lines on the whole, where there is no terminal."""


@dataclass(frozen=True)
class Listener:
    """The callbacks of a class that is being graded."""

    on_row: Callable[[Row], None]
    steps: Steps = UNSEEN


@contextmanager
def progress(students: int, lanes: int, *, quiet: bool = False) -> Iterator[Listener]:
    """Show a class of so many students that is graded in so many lanes; if `quiet`, nothing of it.

    In a terminal it is a view that is drawn anew, else a line a student, and now and then one on
    the whole.
    """
    count = ProgressCount(students, lanes, time.monotonic)
    if quiet:
        yield Listener(count.finish, count.steps)
    elif sys.stderr.isatty():
        with _view(count) as on_row:
            yield Listener(on_row, count.steps)
    else:
        yield Listener(_lines(count, time.monotonic), count.steps)


def _lines(count: ProgressCount, clock: Callable[[], float]) -> Callable[[Row], None]:
    last = clock()

    def on_row(row: Row) -> None:
        nonlocal last
        count.finish(row)
        now = count.now()
        click.echo(f"[{now.done}/{now.all}] {_result(row)}", err=True)
        if clock() - last >= EVERY_S and now.done < now.all:
            last = clock()
            parts = (f"{now.done} done", now.counts, one_line(now.slowest_at_work))
            click.echo(without_commands(", ".join(filter(None, parts))), err=True)

    return on_row


@contextmanager
def _view(count: ProgressCount) -> Iterator[Callable[[Row], None]]:
    from rich.console import Console
    from rich.live import Live

    last = ""

    def on_row(row: Row) -> None:
        nonlocal last
        count.finish(row)
        last = _result(row)

    with Live(
        console=Console(stderr=True), get_renderable=lambda: view(count, last), refresh_per_second=4
    ):
        yield on_row


def view(count: ProgressCount, last: str) -> Group:
    """Return what a terminal shows: a bar, the counts, the slowest at work, and the last result."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    now = count.now()
    bar = Table.grid(padding=(0, 1))
    bar.add_row("grading", ProgressBar(now.all, now.done, width=30), f"{now.done} of {now.all}")
    texts = (now.counts, one_line(now.slowest_at_work), last)
    return Group(bar, *(Text(text, no_wrap=True, overflow="ellipsis") for text in texts if text))


def _result(row: Row) -> str:
    points = row.problem if row.total is None else f"{shown(row.total)} points"
    return without_commands(one_line(f"{row.id}: {points}", limit=160))
