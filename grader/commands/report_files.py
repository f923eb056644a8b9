"""Reports that go to files: `--report FORMAT=FILE`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from grader.batch import write_atomically
from grader.language import _
from grader.submission import CODE_SUFFIXES


def clear(files: Iterable[Path]) -> None:
    """Makes way for the reports: an old one must not be taken for the result of a run that broke.

    Raises click's error for a place that no report can be written to, before any time is spent.
    """
    places = [file.resolve() for file in files]
    for place in places:
        reason = _refusal(place, places)
        if reason:
            raise click.ClickException(f"{place}: {reason}")
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(place, "")
            place.unlink()
        except OSError as error:
            raise _cannot_write(place, error) from error


def _refusal(place: Path, places: list[Path]) -> str:
    if places.count(place) > 1:
        return _("two reports would go to this file.")
    if place.exists() and not place.is_file():
        return _("not a file. Name one; to print a report use --format.")
    if place.suffix.lower() in CODE_SUFFIXES:
        return _("a report would take the place of code. Name another file.")
    return ""


def write(file: Path, text: str) -> None:
    """Writes a report in one piece."""
    try:
        write_atomically(file.resolve(), text)
    except OSError as error:
        raise _cannot_write(file, error) from error


def _cannot_write(file: Path, error: OSError) -> click.ClickException:
    return click.ClickException(
        _(
            "{file}: the report cannot be written ({error}). "
            "Check the folder's permissions and its free space.",
            file=file,
            error=error.strerror,
        )
    )
