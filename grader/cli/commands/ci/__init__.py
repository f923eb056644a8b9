"""`grader ci`: its options. Grading is imported when it begins, not before."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from grader.cli import options
from grader.export.ci.systems import System

PACKAGES = ("gradescope", "prairielearn")
_EXIT_CODES = """\b
Exit codes:
  0    all points; or, where a system reads the mark from a file, the file holds it
  1    points are missing
  2    the submission cannot be read, or a mistake in the command line or the course
  3    something could not be checked, or an error of the grader's own"""


@click.command("ci", epilog=_EXIT_CODES)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "--system",
    type=click.Choice([str(system) for system in System]),
    help="The system to report to; else it is recognised by what it sets.",
)
@click.option(
    "--out",
    type=options.FOLDER,
    metavar="DIR",
    help="Where the reports go; else where the system looks for them, or grader-report/.",
)
@options.only
@click.option(
    "--package",
    type=click.Choice(PACKAGES),
    help="Grade nothing: write the system's autograder package to PATH, a .zip file.",
)
@click.option(
    "--image",
    metavar="NAME",
    help="With --package prairielearn: the name of the image that you build of its Dockerfile.",
)
@options.spawn
@options.isolation
@options.language()
@options.course
def command(path: Path | None, package: str | None, image: str | None, **given: Any) -> int:
    """Grade one submission for a CI system or an autograder, and report as it reads."""
    if package is not None:
        from grader.cli.commands.ci.packaging import run as write_package

        if path is None:
            raise click.UsageError("--package needs the file to write: grader ci out.zip …")
        return write_package(path, package, image, given["only"], given["course_folder"])
    if image is not None:
        raise click.UsageError("--image goes with --package prairielearn")
    # A log of CI is read by students; with this variable it would say what only staff may read.
    os.environ.pop("GRADER_DEBUG", None)
    from grader.cli.commands.ci.grading import CiRequest, run

    return run(CiRequest(path=path, **given))
