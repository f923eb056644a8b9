"""`grader doctor`: what this machine lacks for grading, and how it confines submissions."""

from __future__ import annotations

import click


@click.command("doctor")
@click.option(
    "--isolation",
    is_flag=True,
    help="Try out how submissions are confined here: every property, inside and outside.",
)
def command(isolation: bool) -> int:
    """Say what this machine lacks for grading, and how to get it."""
    if isolation:
        from grader.cli.commands.doctor.isolation import run as run_isolation

        return run_isolation()
    from grader.cli.commands.doctor.machine import run

    return run()
