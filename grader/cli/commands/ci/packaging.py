"""Write an autograder package of a course: `grader ci --package SYSTEM OUT`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.faults import in_words
from grader.course.course import course_here, select
from grader.export.ci import gradescope_package, prairielearn_package
from grader.export.ci.systems import System
from grader.files.writing import write_file
from grader.text.language import speak_of

_NAMES = {System.GRADESCOPE: "Gradescope", System.PRAIRIELEARN: "PrairieLearn"}
_THEN = {
    System.GRADESCOPE: "Configure Autograder → Zip file upload.",
    System.PRAIRIELEARN: "unpack it at the root of your course there, build the image in "
    "serverFilesCourse/grader/image, and sync.",
}


def run(
    out: Path, package: str, image: str | None, only: tuple[str, ...], course_folder: Path | None
) -> int:
    """Write the package to `out` and say what to do with it."""
    system = System(package)
    if out.suffix.lower() != ".zip":
        raise click.UsageError(f"{out}: {_NAMES[system]} takes a .zip file. Name one.")
    if image is not None and system is not System.PRAIRIELEARN:
        raise click.UsageError("--image goes with --package prairielearn")
    with in_words():
        course = course_here(course_folder)
        speak_of(course.root)
        slugs = select(course.rubric, only)
        if system is System.PRAIRIELEARN:
            data = prairielearn_package.packed(course, slugs, image or prairielearn_package.IMAGE)
        else:
            data = gradescope_package.packed(course.root, only)
        write_file(out, data)
    click.echo(f"{out}: {len(data) / 1e6:.1f} MB, with the reference and the hidden suites in it.")
    click.echo(f"Give it to nobody but {_NAMES[system]}: {_THEN[system]}")
    return 0
