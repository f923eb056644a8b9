"""`grader stubs`: write `assignments/` from `reference/`, or stubs of any worked solutions."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import options
from grader.cli.faults import in_words
from grader.course.course import find_root
from grader.handouts.generation import convert, removed, write
from grader.handouts.stubs import StubError
from grader.text.typed import here


@click.command("stubs")
@click.argument(
    "sources", metavar="[SOURCE]...", nargs=-1, type=click.Path(path_type=Path, dir_okay=False)
)
@click.option(
    "--out", type=options.FOLDER, metavar="DIR", help="Where the stubs of the SOURCEs go."
)
@options.course_to_edit
def command(sources: tuple[Path, ...], out: Path | None, course_folder: Path | None) -> int:
    """Write assignments/ anew from reference/, or stubs of SOURCEs (for authors).

    A SOURCE is a worked solution, .py or .ipynb, with the markers of grader, nbgrader or otter.
    """
    if bool(sources) != (out is not None):
        raise click.UsageError(
            f"SOURCE and --out go together: {here().command('stubs', 'SOURCE', '--out', 'DIR')}"
        )
    with in_words():
        try:
            if out is not None:
                written, left_out = convert(sources, out)
            else:
                root = find_root(course_folder or Path.cwd())
                written, left_out = write(root), removed(root)
        except StubError as error:
            raise click.ClickException(str(error)) from error
    for path in written:
        click.echo(f"wrote {path}")
    for part in left_out:
        click.echo(f"left out: {part.what} of {part.place}")
    return 0
