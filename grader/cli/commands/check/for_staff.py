"""Print what only the staff of a course may read: places in suites, and our own exceptions."""

from __future__ import annotations

import os

import click

from grader.grade.evidence import Outcome
from grader.report.cleaning import one_line, without_commands
from grader.report.content import Report
from grader.text.language import _

LIMIT_LINE = 600


def tell_staff(report: Report) -> None:
    """Say on the error stream why something could not be checked, if GRADER_DEBUG=1 is set.

    If it is not set, say that it can be. A report never gives the reason: students read reports.
    """
    if os.environ.get("GRADER_DEBUG") == "1":
        for observation in report.observations:
            if observation.staff:
                line = one_line(f"{observation.check}: {observation.staff}", limit=LIMIT_LINE)
                click.echo(without_commands(line), err=True)
    elif any(one.outcome is Outcome.COULD_NOT_CHECK for one in report.observations):
        message = _(
            "If this is your own course: to see why something could not be checked, run the same "
            "command with GRADER_DEBUG=1 before it."
        )
        click.echo(message, err=True)
