"""Write an autograder package of a course: `grader ci --package gradescope OUT`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.faults import in_words
from grader.course.course import course_here, select
from grader.export.ci.gradescope_package import packed
from grader.files.writing import write_file
from grader.text.language import speak_of


def run(out: Path, *, only: tuple[str, ...], course_folder: Path | None) -> int:
    """Write the package to `out` and say what to do with it."""
    if out.suffix.lower() != ".zip":
        raise click.UsageError(f"{out}: Gradescope takes a .zip file. Name one.")
    with in_words():
        course = course_here(course_folder)
        speak_of(course.root)
        select(course.rubric, only)
        data = packed(course.root, only)
        write_file(out, data)
    click.echo(f"{out}: {len(data) / 1e6:.1f} MB, with the reference and the hidden suites in it.")
    click.echo("Give it to nobody but Gradescope: Configure Autograder → Zip file upload.")
    return 0
