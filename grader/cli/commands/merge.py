"""`grader merge`: take the results of shards into one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.batch.discovery import BatchError
from grader.cli import options
from grader.cli.faults import in_words
from grader.files.writing import make_folder
from grader.report.cleaning import without_commands
from grader.store.merging import take_over
from grader.store.store import STORE_FILE, ClassRun, open_store
from grader.text.typed import here


@click.command("merge")
@click.argument("out", metavar="RESULTS", type=click.Path(path_type=Path, file_okay=False))
@click.argument("parts", metavar="PART...", type=options.FOLDER, nargs=-1, required=True)
def command(**given: Any) -> int:
    """Take the results of PARTs, each what `grader batch --shard` wrote, into RESULTS.

    No code runs, and nothing that is in RESULTS is lost. The command that it prints then writes
    the gradebook; it grades only what no PART has.
    """
    return run(**given)


def run(out: Path, parts: tuple[Path, ...]) -> int:
    """Take over results, adjustments and appeals, and return 0."""
    with in_words():
        for part in parts:
            if not (part / STORE_FILE).is_file():
                raise BatchError(f"{part}: holds no {STORE_FILE}, so no batch was graded into it.")
            if part.resolve() == out.resolve():
                raise BatchError(f"{part}: is RESULTS itself. Leave it out.")
        make_folder(out)
        last: ClassRun | None = None
        with open_store(out / STORE_FILE) as store:
            for part in parts:
                with open_store(part / STORE_FILE) as other:
                    taken = take_over(store, other)
                    last = other.last_run() or last
                line = f"{part}: {taken.added} results taken over, {taken.known} there already"
                line += f", and appeals: {taken.appeals}" if taken.appeals else ""
                click.echo(without_commands(line))
    folder = last.folder if last else "DIR"
    words = ["--roster", last.roster] if last and last.roster else []
    again = here(None).command("batch", folder, "--out", str(out), *words)
    click.echo(without_commands(f"next, to write the gradebook: {again}"))
    return 0
