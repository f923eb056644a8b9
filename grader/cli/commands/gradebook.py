"""`grader gradebook`: take entered points into a gradebook, without grading anybody again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.batch.class_results import GRADEBOOK_FILE, write_class_results
from grader.batch.records import RecordsError, read_records
from grader.batch.written_points import to_review
from grader.cli import options
from grader.cli.by_person import brought, print_answers, print_review
from grader.cli.faults import in_words
from grader.course.course import find_course
from grader.text.counted import counted
from grader.text.typed import here


@click.command("gradebook")
@click.argument("out", metavar="RESULTS", type=options.FOLDER)
@options.written_points
@options.empty_is_zero
@options.course
def command(**given: Any) -> int:
    """Take points for written answers into the gradebook; nobody is graded again.

    RESULTS is what `grader batch` wrote, with points entered in its written.csv.
    """
    return run(**given)


def run(
    out: Path,
    *,
    written_points: tuple[Path, ...],
    empty_is_zero: bool,
    course_folder: Path | None,
) -> int:
    """Write the gradebook in `out` anew, from the records beside it and the points entered."""
    with in_words():
        course = find_course(course_folder or Path.cwd())
        try:
            records = read_records(out, course.rubric)
        except RecordsError as error:
            again = here(course_folder).ending(str(error), "DIR", "--out", str(out))
            raise RecordsError(again) from error
        students = [row.id for row in records.rows]
        by_person = brought(course, out, written_points, students, empty_is_zero)
        write_class_results(
            records.rows, records.names, course.rubric, records.only, by_person, out
        )
    click.echo(f"{counted(len(records.rows), 'submission')}, none graded again")
    if course.rubric.written_for(records.only):
        print_review(to_review(records.rows, by_person.given))
        print_answers(records.rows, by_person)
    click.echo(f"next: open {out / GRADEBOOK_FILE}")
    return 0
