"""`grader check`: its options. Grading is imported while the process tree starts, not before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli import options
from grader.cli.suggestion import suggestion
from grader.text.language import _

if TYPE_CHECKING:
    from grader.engine.process_tree import ProcessTree

FORMATS = ("text", "json", "junit", "markdown", "html")


def _format_and_file(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Path], ...]:
    """Take each `FORMAT=FILE` apart.

    Raises BadParameter for one that is malformed or names no format.
    """
    pairs = []
    for value in values:
        format_, equals, file = value.partition("=")
        if not equals or not file:
            raise click.BadParameter(f"'{value}' is not FORMAT=FILE, such as junit=junit.xml.")
        if format_ not in FORMATS:
            raise click.BadParameter(f"no format '{format_}'{suggestion(format_, FORMATS)}")
        pairs.append((format_, Path(file)))
    return tuple(pairs)


@click.command("check")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@options.only
@options.format_(*FORMATS)
@click.option(
    "--report",
    "files",
    multiple=True,
    metavar="FORMAT=FILE",
    callback=_format_and_file,
    help="Also write the report to FILE, in this format; may be repeated.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Go on, and grade again what changed whenever a file is saved.",
)
@click.option(
    "--causes",
    is_flag=True,
    help="Name the likely causes, also where the course's author wants you to look first.",
)
@click.option(
    "--warm",
    is_flag=True,
    help="Stay ready for ten minutes: the next check with --warm has its answer at once.",
)
@options.spawn
@options.isolation
@options.language()
@options.course
def command(
    format_: str,
    files: tuple[tuple[str, Path], ...],
    watch: bool,
    warm: bool,
    spawn: bool,
    **given: Any,
) -> int:
    """Grade one submission; without PATH, the course's assignments/."""
    if watch and (format_ != "text" or files):
        raise click.UsageError("--watch shows text; leave out --format and --report")
    if warm and watch:
        raise click.UsageError("--watch stays ready by itself; leave out --warm")
    if warm:
        from grader.cli.commands.check.warm.client import ask

        code = ask(format_=format_, files=files, spawn=spawn, **given)
        if code is not None:
            return code
        click.echo(_("nothing could stay ready: graded as without --warm"), err=True)
    # First of all, because it takes longest and needs to know nothing.
    with _under_way(spawn) as begun:
        from grader.cli.commands.check.grading import run

        return run(format_=format_, files=files, watch=watch, spawn=spawn, begun=begun, **given)


def _under_way(spawn: bool) -> ProcessTree:
    from grader.engine.process_tree import TorchMissing, begin

    try:
        return begin(spawn=spawn)
    except TorchMissing as error:
        raise click.ClickException(str(error)) from None
