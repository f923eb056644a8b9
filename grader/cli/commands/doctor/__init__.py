"""`grader doctor`: what this machine lacks for grading, and how it confines submissions."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import options


@click.command("doctor")
@click.option(
    "--isolation",
    is_flag=True,
    help="Try out how submissions are confined here: every property, inside and outside.",
)
@options.course
def command(isolation: bool, course_folder: Path | None) -> int:
    """Say what this machine lacks for grading, and how to get it."""
    if isolation:
        from grader.cli.commands.doctor.isolation import run as run_isolation

        return run_isolation()
    from grader.cli.commands.doctor.course import course
    from grader.cli.commands.doctor.machine import run

    return run(course_folder, course)
