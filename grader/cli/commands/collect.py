"""`grader collect`: fetch what a class has pushed to Git repositories, as of the deadline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.batch.collected_table import BY_COMMIT, TABLE, CollectedRow
from grader.batch.collecting import CollectedClass, CollectError, CollectPlan, collect, read_pushes
from grader.batch.discovery import BatchError
from grader.batch.roster import read_roster
from grader.batch.student_folders import FolderError
from grader.cli.faults import in_words
from grader.report.cleaning import one_line, without_commands
from grader.text.moments import lacks_offset, read_moment
from grader.text.typed import here


@click.command("collect")
@click.argument(
    "roster", metavar="ROSTER", type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@click.option(
    "--into",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where a folder a student is put, and collected.csv.",
)
@click.option(
    "--from",
    "pattern",
    default="",
    metavar="ADDRESS",
    help="Of a repository, with columns of the roster in braces: "
    "https://HOST/COURSE/a1-{login}.git. The column repository of a student wins.",
)
@click.option(
    "--at",
    metavar="TIME",
    help="Take what was newest then: 2026-11-20T23:59:00+09:00.  [default: the newest]",
)
@click.option(
    "--pushes",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="CSV with the forge's own times: who, commit, pushed_at. Without it the times of "
    "commits count, which whoever commits can set.",
)
@click.option(
    "--each-push",
    is_flag=True,
    help="With --pushes: every push in time is a hand-in, for grader batch --attempt.",
)
def command(**given: Any) -> int:
    """Fetch what a class has pushed to Git repositories, as of the deadline.

    Each student's commit is put into a folder. Nothing of a repository runs, and the same command
    goes on where it was ended. Then: grader batch DIR --roster ROSTER
    """
    return run(**given)


def run(
    roster: Path,
    into: Path,
    pattern: str = "",
    at: str | None = None,
    pushes: Path | None = None,
    each_push: bool = False,
) -> int:
    """Collect and print what came out; return 0, or 3 if something could not be fetched."""
    with in_words():
        if each_push and pushes is None:
            raise BatchError(
                "--each-push: commits are no hand-ins. Give the forge's: --pushes FILE"
            )
        deadline = None
        if at is not None:
            try:
                deadline = read_moment(at)
            except ValueError:
                more = " Add its offset from UTC, such as +09:00." if lacks_offset(at) else ""
                raise BatchError(
                    f"--at {at}: expected a time such as 2026-11-20T23:59:00+09:00.{more}"
                ) from None
        known = read_roster(roster)
        times = read_pushes(pushes, known) if pushes is not None else None
        try:
            collection = collect(
                CollectPlan(known, pattern, deadline, times, each_push), into, _tell
            )
        except (CollectError, FolderError) as error:
            raise BatchError(str(error)) from None
    _print(collection, roster, into)
    return 3 if any(row.problem for row in collection.rows) else 0


def _tell(row: CollectedRow) -> None:
    done = f"{row.commit[:12]}  {row.handed_in}" if row.commit else ""
    parts = [part for part in (row.id, done, row.problem) if part]
    click.echo(without_commands("  ".join(map(one_line, parts))))


def _print(collection: CollectedClass, roster: Path, into: Path) -> None:
    rows = collection.rows
    got = [row for row in rows if row.commit]
    students, having = len({row.id for row in rows}), len({row.id for row in got})
    click.echo(
        f"{having} of {students} students: {len(collection.unchanged)} unchanged, "
        f"{students - having} with nothing; all in {into / TABLE}"
    )
    if any(row.time_of == BY_COMMIT for row in got):
        click.echo(
            "The times are those of the commits, which whoever commits can set: --pushes FILE "
            "takes those of the forge."
        )
    again = here(None).command("batch", str(into), "--roster", str(roster))
    click.echo(f"next: {again}")
