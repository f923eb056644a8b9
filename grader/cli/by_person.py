"""Read the points and guides that people bring to a class, and say what is left to grade."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from grader.batch.class_results import POINTS_FILE, ByPerson
from grader.batch.gradebook import Row
from grader.batch.marking import read_codes
from grader.batch.written_points import read_points
from grader.course.course import Course
from grader.course.mark_schemes import with_comments
from grader.report.cleaning import one_line, without_commands


def brought(
    course: Course,
    out: Path,
    files: tuple[Path, ...],
    students: Iterable[str],
    empty_is_zero: bool,
) -> ByPerson:
    """Return the marking guides, and the points in these files or else in the folder.

    Raises WrittenPointsError.
    """
    base = out / POINTS_FILE if (out / POINTS_FILE).is_file() else None
    guides = _guides(course)
    items = {
        slug: replace(item, scheme=with_comments(item.scheme, guides.get(slug, "")))
        for slug, item in course.rubric.written.items()
    }
    given = read_points(base, files, items, students, read_codes(out))
    return ByPerson(guides, given, empty_is_zero)


def _guides(course: Course) -> dict[str, str]:
    """Return the marking guides of the questions that have one."""
    paths = {slug: course.guide(slug) for slug in course.rubric.written}
    return {s: path.read_text(encoding="utf-8") for s, path in paths.items() if path.is_file()}


def print_review(review: Iterable[tuple[str, str]]) -> None:
    """Name the answers that changed since a person gave them points."""
    for id, slug in review:
        changed = f"{one_line(id)}: {slug} was answered anew after a person graded it"
        click.echo(without_commands(changed))


def print_answers(rows: Iterable[Row], by_person: ByPerson) -> int:
    """Say how many answers a person has graded; return how many are left."""
    answers = [
        (row.id, slug) for row in rows for slug, written in row.written.items() if written.digest
    ]
    given = by_person.given
    graded = sum(key in given and given[key].points is not None for key in answers)
    click.echo(f"{len(answers)} written answers, {graded} of them graded by a person")
    return len(answers) - graded
