"""`grader adjust`: give or take points by hand, with a reason that stays beside them."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from grader.batch.class_results import RECORDS, write_class_results
from grader.batch.discovery import BatchError
from grader.batch.gradebook import row_of
from grader.batch.records import read_class, record_text
from grader.cli import options
from grader.cli.by_person import brought
from grader.cli.faults import in_words
from grader.course.course import find_course
from grader.files.writing import write_file
from grader.report.cleaning import one_line, without_commands
from grader.store.adjusting import adjusted
from grader.store.store import STORE_FILE, Adjustment, open_store
from grader.text.points import shown

_POINTS = re.compile(r"[+-]?\d{1,6}(?:[.,]\d{1,4}|/[1-9]\d{0,5})?")


@click.command("adjust", context_settings={"ignore_unknown_options": True})
@click.argument("out", metavar="RESULTS", type=options.FOLDER)
@click.argument("student", metavar="STUDENT")
@click.argument("points", metavar="POINTS")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays beside the points.")
@click.option("--by", "author", required=True, metavar="NAME", help="Who decided it.")
@click.option(
    "--for",
    "kind",
    default="by hand",
    metavar="WHAT",
    help="A later adjustment for the same thing takes the place of this one.  [default: by hand]",
)
@options.course
def command(**given: Any) -> int:
    """Give a student points beside those of the checks, or take some (+2, -1.5).

    POINTS 0 takes back what was given. The adjustment stays when the class is graded again. If the
    checks give other points then, the gradebook flags it.
    """
    return run(**given)


def run(
    out: Path,
    student: str,
    points: str,
    *,
    reason: str,
    author: str,
    kind: str = "by hand",
    course_folder: Path | None = None,
) -> int:
    """Write the adjustment into the store, the record and the gradebook; return 0."""
    with in_words():
        if not _POINTS.fullmatch(points):
            raise BatchError(f"{points}: expected points, such as +2, -1.5 or 1/3")
        if not reason.strip() or not author.strip():
            raise BatchError("--reason and --by need words: they stand beside the points.")
        course = find_course(course_folder or Path.cwd())
        known = read_class(out, course.rubric, {student})
        if not known.records:
            raise BatchError(f"{student}: nobody of that name in {out}.")
        [before] = known.records
        if "problem" in before:
            raise BatchError(
                f"{student}: has no points to adjust: {before['problem']}. Grade a "
                "submission first."
            )
        automatic = Fraction(before["points"])
        value = Fraction(points.replace(",", "."))
        with open_store(out / STORE_FILE) as store:
            store.adjust(
                Adjustment(student, kind, value, automatic, one_line(reason), one_line(author))
            )
            after = adjusted(before, store.adjustments(student))
        write_file(out / RECORDS / known.names[student], record_text(after))
        rows = [row_of(after) if row.id == student else row for row in known.rows]
        by_person = brought(course, out, (), [row.id for row in rows], False)
        write_class_results(rows, known.names, course.rubric, known.only, by_person, out)
    total = next(row.total for row in rows if row.id == student)
    message = (
        f"{one_line(student)}: {shown(automatic)} by the checks, {shown(total or value)} in all"
    )
    click.echo(without_commands(message))
    return 0
