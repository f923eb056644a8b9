"""`grader marking`: deal written answers to graders, under codes, and compare how they mark."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from grader.batch.discovery import BatchError
from grader.batch.marking import CODES_FILE, FOLDER, Dealing, Marked, deal, table_of
from grader.batch.records import read_records
from grader.cli import options
from grader.cli.by_person import brought
from grader.cli.faults import in_words
from grader.course.course import find_course
from grader.text.typed import here

MOST_GRADERS = 99


@click.command("marking")
@click.argument("out", metavar="RESULTS", type=options.FOLDER)
@click.option(
    "--graders",
    type=click.IntRange(1, MOST_GRADERS),
    default=1,
    show_default=True,
    metavar="N",
    help="How many people mark.",
)
@click.option(
    "--double",
    type=click.IntRange(0, 100),
    default=10,
    show_default=True,
    metavar="PERCENT",
    help="Answers that two people mark, to compare them.",
)
@options.course
def command(**given: Any) -> int:
    """Deal written answers to those who mark them, under codes in place of names.

    RESULTS is what `grader batch` wrote. Each grader gets a table and sheets of their own; the
    same command says how far they are and how they compare, and keeps what they have entered.
    """
    return run(**given)


def run(out: Path, *, graders: int = 1, double: int = 0, course_folder: Path | None = None) -> int:
    """Write the files of `marking/` and print how far the graders are; return 0."""
    with in_words():
        course = find_course(course_folder or Path.cwd())
        records = read_records(out, course.rubric)
        items = course.rubric.written_for(records.only)
        if not items:
            raise BatchError(f"{course.root / 'rubric.yaml'}: asks no question that people mark.")
        by_person = brought(course, out, (), [row.id for row in records.rows], False)
        dealing = Dealing(graders, double)
        marked = deal(records.rows, records.names, items, by_person, dealing, out)
    for one in marked:
        click.echo(_line(one))
    click.echo(f"names: only in {out / FOLDER / CODES_FILE}; do not give it to those who mark")
    words = [w for n in range(1, graders + 1) for w in ("--written-points", str(out / table_of(n)))]
    again = here(course_folder).command("gradebook", str(out), *words)
    click.echo(f"next, once points are entered: {again}")
    return 0


def _line(one: Marked) -> str:
    line = f"grader-{one.grader}  {one.slug}  {len(one.points)} of {one.dealt} marked"
    if one.points:
        line += f", {_mean(one.points):.2f} points on average"
    if one.more_than_others:
        mean, count = _mean(one.more_than_others), len(one.more_than_others)
        line += f", {mean:+.2f} against others on the same {count}"
    return line


def _mean(points: tuple[Fraction, ...]) -> float:
    return float(sum(points, Fraction(0)) / len(points))
