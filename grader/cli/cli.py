"""The command line. Imports nothing heavy: each command is imported when it is named."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

import click

from grader import __version__
from grader.cli.suggestion import suggestion
from grader.text.language import _

COMMANDS = {
    "start": "Copy the hand-outs to DIR, to be solved there; nothing is overwritten.",
    "check": "Grade one submission; without PATH, the course's assignments/.",
    "explain": "Say why something is a mistake, or how to look for one, in steps.",
    "dry-run": "Try the checks on last year's submissions, before this year's deadline.",
    "collect": "Fetch what a class has pushed to Git repositories, as of the deadline.",
    "ci": "Grade one submission for a CI system or an autograder, and report as it reads.",
    "prepare": "Run every known mistake once, so that nobody who makes one has to wait for that.",
    "batch": "Grade a class: DIR holds one folder or file a student.",
    "merge": "Take the results of PARTs, each what `grader batch --shard` wrote, into RESULTS.",
    "marking": "Deal written answers to those who mark them, under codes in place of names.",
    "gradebook": "Take points for written answers into the gradebook; nobody is graded again.",
    "regrade": "Grade a class by what the course says now, and show who gains and who loses.",
    "adjust": "Give a student points beside those of the checks, or take some (+2, -1.5).",
    "why": "Show the evidence for every point that STUDENT lost, in one exercise or in all.",
    "appeal": "Run a student's code again to decide a claim on a check, and draft a reply.",
    "report": "Say what a class has not understood, who is stuck, and what the checks are worth.",
    "lens": "Find the edit that students made whose mistake has no name yet (for authors).",
    "export": "Write a class's results for Canvas, Moodle, a spreadsheet, or students.",
    "stubs": "Write assignments/ anew from reference/, or stubs of SOURCEs (for authors).",
    "new": "Add an exercise SLUG, such as f1.blur, that grades at once (for authors).",
    "validate": "Prove the suites on the reference, known mistakes and right ways (for authors).",
    "release": "Write a kit for students, or the course sealed for those who grade (for authors).",
    "doctor": "Say what this machine lacks for grading, and how to get it.",
}
"""The commands and what their help begins with, in the order in which people need them.

Each one is `command` in the module of its name in `grader/cli/commands/`, with `_` for `-`.
"""
EXIT_COURSE_ERROR = 2
EXIT_COULD_NOT_CHECK = 3
EXIT_INTERRUPTED = 130

_EXIT_CODES = """\b
Exit codes:
  0    all points
  1    points are missing
  2    a mistake in the command line or in the course
  3    something could not be checked, or an error of the grader's own
  130  interrupted"""


class LazyGroup(click.Group):
    """A group that imports a command once it is named, and suggests one for a misspelt name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            ctx.fail(f"no command '{name}'{suggestion(name.lower(), self.list_commands(ctx))}")
        listed, command, rest = super().resolve_command(ctx, args)
        return listed, command.imported() if isinstance(command, Listed) else command, rest

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in their own order, not the alphabet's


class Listed(click.Command):
    """A command as `grader --help` and completion list it, with nothing of it imported."""

    def imported(self) -> click.Command:
        """Import the command itself. On Windows raise click's error, which says what to use."""
        if os.name == "nt":
            raise click.ClickException(
                _(
                    "The grader needs Linux or macOS. On Windows use WSL (wsl --install, then get "
                    "the course inside of it), or Google Colab."
                )
            )
        module = str(self.name).replace("-", "_")
        command = importlib.import_module(f"grader.cli.commands.{module}").command
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=LazyGroup,
    commands={name: Listed(name, help=help_) for name, help_ in COMMANDS.items()},
    epilog=_EXIT_CODES,
    context_settings={"help_option_names": ["--help", "-h"]},  # of the commands as well
)
@click.version_option(__version__, prog_name="grader", message="%(prog)s %(version)s")
def cli() -> None:
    """Grade assignments in PyTorch."""


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code.

    Prints errors instead of raising them; with GRADER_DEBUG=1 an error of our own is raised.
    """
    arguments = list(arguments)
    return guarded(lambda: cli.main(arguments, prog_name="grader", standalone_mode=False))


def guarded(work: Callable[[], object]) -> int:
    """Do the work of a command and return its exit code, with errors as `main` prints them."""
    try:
        code = work()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return EXIT_COURSE_ERROR
    except (click.Abort, KeyboardInterrupt) as error:
        # click has made an Abort of the interrupt, which may say how to go on.
        more = str(error.__cause__ or error)
        click.echo("\n" + _("interrupted") + (f": {more}" if more else ""), err=True)
        return EXIT_INTERRUPTED
    except Exception as error:
        if os.environ.get("GRADER_DEBUG") == "1":
            raise
        reason = " ".join(str(error).split())[:200]
        click.echo(
            _(
                "grader: an error of its own, not of the submission: {error}\n"
                "To see where it happened, run the same command with GRADER_DEBUG=1 before it.",
                error=f"{type(error).__name__}: {reason}",
            ),
            err=True,
        )
        return EXIT_COULD_NOT_CHECK


def run() -> NoReturn:
    """Run the `grader` command and exit."""
    sys.exit(main(sys.argv[1:]))
