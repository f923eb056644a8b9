"""Write reports to files: `--report FORMAT=FILE`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from grader.files.writing import WritingError, make_folder, refuse_detour, write_file
from grader.submission.submission import CODE_SUFFIXES
from grader.text.language import _


def clear(files: Iterable[Path], students_folder: Path | None = None) -> None:
    """Remove old reports: none must be taken for the result of a run that broke.

    Raises click's error for a place that no report can be written to, before any time is spent.
    Such a place is also one that a link in `students_folder`, that of the submission, leads to.
    """
    files = tuple(files)
    try:
        if students_folder is not None:
            for file in files:
                refuse_detour(file, students_folder)
    except WritingError as error:
        raise click.ClickException(str(error)) from error
    places = [_place(file) for file in files]
    for place in places:
        reason = _refusal(place, places)
        if reason:
            raise click.ClickException(f"{place}: {reason}")
    for place in places:
        try:
            make_folder(place.parent)
            write_file(place, "")
            place.unlink()
        except WritingError as error:
            raise click.ClickException(str(error)) from error


def _place(file: Path) -> Path:
    """Return the path to write a report to. A link there may be a student's: it is replaced."""
    return file.parent.resolve() / file.name


def _refusal(place: Path, places: list[Path]) -> str:
    if places.count(place) > 1:
        return _("two reports would go to this file.")
    # `/dev/stdout` is a link, which must not give way to a file.
    is_stream = place.is_symlink() and str(place.readlink()).startswith("/proc/")
    if is_stream or (place.exists() and not place.is_file()):
        return _("not a file. Name one; to print a report use --format.")
    if place.suffix.lower() in CODE_SUFFIXES:
        return _("a report would overwrite code. Name another file.")
    return ""


def write(file: Path, text: str) -> None:
    """Write a report in one piece."""
    try:
        write_file(_place(file), text)
    except WritingError as error:
        raise click.ClickException(str(error)) from error
