"""Options that several commands have, defined once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.cli.completion import exercises
from grader.text.language import ENGLISH, LANGUAGES, preferred_language, shows, use_language

_Command = TypeVar("_Command", bound=Callable[..., Any])
FOLDER = click.Path(path_type=Path, file_okay=False)
CLASS = click.Path(path_type=Path)
"""A folder with a class in it, or the zip that a system made of one."""

only = click.option(
    "--only",
    multiple=True,
    metavar="SLUG",
    shell_complete=exercises,
    help="Only this exercise (a1.sums) or assignment (a1); may be repeated.",
)
written_points = click.option(
    "--written-points",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Points for written answers, as in written.csv of an earlier run; may be repeated.",
)
empty_is_zero = click.option(
    "--empty-is-zero",
    is_flag=True,
    help="Count a written answer that is empty as 0 where nobody gave it points.",
)
spawn = click.option(
    "--spawn", is_flag=True, help="Start each process anew instead of forking (slower; macOS)."
)
isolation = click.option(
    "--isolation",
    type=click.Choice(["full", "partial", "none"]),
    help="How submissions are confined; else the best this machine has (batch: full).",
)
course = click.option(
    "--course",
    "course_folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The course, a folder or a sealed file; else found upwards from here.",
)
course_to_edit = click.option(
    "--course",
    "course_folder",
    type=FOLDER,
    metavar="DIR",
    help="The course; else found upwards from here.",
)


def jobs(help_: str) -> Callable[[_Command], _Command]:
    """Return the option for how much is done at a time."""
    return click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help=help_)


def format_(*formats: str) -> Callable[[_Command], _Command]:
    """Return the option for the form of what is printed."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help="What to print.",
    )


def language(
    help_: str = "The language of what is said; else as LANGUAGE, LC_ALL or LANG have it.",
    default: str | None = None,
    *,
    exposed: bool = False,
) -> Callable[[_Command], _Command]:
    """Return the option for the language, which is used from the moment it is parsed.

    If it is `exposed`, the command gets it as `language`.
    """
    return click.option(
        "--lang",
        "language",
        type=click.Choice(LANGUAGES),
        default=default,
        callback=_speak,
        expose_value=exposed,
        is_eager=True,
        help=help_,
    )


def _speak(_context: click.Context, option: click.Parameter, value: str | None) -> str:
    """Use this language from here on; English if the terminal lacks the letters."""
    chosen = value or preferred_language()
    use_language(chosen if shows(chosen, sys.stdout.encoding or ENGLISH) else ENGLISH)
    return chosen
