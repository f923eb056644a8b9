"""`grader export`: results of a class for other systems, and for its students. Runs no code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.batch.class_archive import class_folder
from grader.batch.discovery import discover
from grader.batch.records import RecordsError, read_records
from grader.cli import options
from grader.cli.by_person import brought
from grader.cli.faults import in_words
from grader.course.course import Course, find_course
from grader.export.exported import Choices, Exported, ExportError
from grader.export.formats import FORMATS, ExportFormat, maker
from grader.export.graded_class import GradedClass, graded_class
from grader.files.writing import make_folder, write_file
from grader.report.cleaning import one_line, without_commands
from grader.submission.submission import Submission, SubmissionError
from grader.text.language import ENGLISH, speak_of
from grader.text.typed import here

if TYPE_CHECKING:  # what most formats can do without
    from grader.course.explanations import Explanations

_FILE = click.Path(path_type=Path, dir_okay=False)
_FEW = 5
"""So many students with the same reason have a line each."""
_FOLDER = "exports"
"""The folder in the results that exports go to if nobody names another place."""


@click.command("export")
@click.argument("results", metavar="RESULTS", type=options.FOLDER)
@click.option("--as", "format_", type=click.Choice([*FORMATS]), required=True, help="The format.")
@click.option(
    "--fill",
    type=_FILE,
    metavar="FILE",
    help="The gradebook exported from Canvas, or the grading worksheet of Moodle.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where the file or folder goes; else into RESULTS/exports.",
)
@click.option("--column", default="", metavar="NAME", help="The column of FILE to fill.")
@click.option("--scale", is_flag=True, help="Convert points to the maximum that FILE gives.")
@click.option(
    "--absent-is-zero", is_flag=True, help="Count who handed in nothing as 0; else as unknown."
)
@click.option("--cause", default="", metavar="ID", help="mail-merge: only who has this cause.")
@click.option(
    "--submissions",
    type=options.CLASS,
    metavar="DIR",
    help="What was graded: pages then show the code that they speak of.",
)
@options.written_points
@options.empty_is_zero
@options.language("The language of what students read; best as when the class was graded.", ENGLISH)
@options.course
def command(**given: Any) -> int:
    """Write a class's results for Canvas, Moodle, a spreadsheet, or students.

    RESULTS is what `grader batch` wrote. Nobody is graded again, no code is run, nothing is sent.
    """
    return run(**given)


def run(
    results: Path,
    *,
    format_: str,
    fill: Path | None,
    out: Path | None,
    column: str,
    scale: bool,
    absent_is_zero: bool,
    cause: str,
    submissions: Path | None,
    written_points: tuple[Path, ...],
    empty_is_zero: bool,
    course_folder: Path | None,
) -> int:
    """Write one export and return the exit code: 1 if somebody's points are not in it."""
    form = FORMATS[format_]
    out = out or results / _FOLDER / form.out
    _check_usage(form, fill, out, column=column, scale=scale, cause=cause, pages=submissions)
    with in_words():
        course = find_course(course_folder or Path.cwd())
        speak_of(course.root)
        graded = _class(
            course, results, written_points, course_folder, empty_is_zero, absent_is_zero
        )
        choices = Choices(
            fill=fill,
            column=column,
            cause=cause,
            scale=scale,
            sources=_sources(course, submissions, results),
            explanations=_explanations(course) if form.has_pages else None,
        )
        exported = maker(format_)(graded, choices)
        files = _write(exported, out, form)
    _tell(exported, out, form, files)
    return 1 if exported.left_out else 0


def _check_usage(
    form: ExportFormat,
    fill: Path | None,
    out: Path,
    *,
    column: str,
    scale: bool,
    cause: str,
    pages: Path | None,
) -> None:
    """Raise UsageError for options that the format does not know, and for one that it lacks."""
    if form.needs_file and fill is None:
        what = "the gradebook exported from Canvas"
        what = what if form.name == "canvas" else "the grading worksheet downloaded from Moodle"
        raise click.UsageError(f"--as {form.name} fills {what}. Name it: --fill FILE")
    idle = {
        "--fill": fill is not None and not form.takes_file,
        "--column": bool(column) and not form.takes_file,
        "--scale": scale and not form.needs_file,
        "--cause": bool(cause) and form.name != "mail-merge",
        "--submissions": pages is not None and not form.has_pages,
    }
    for option, is_idle in idle.items():
        if is_idle:
            raise click.UsageError(f"{option} says nothing to --as {form.name}. Leave it out.")
    if fill is not None and out.exists() and fill.exists() and out.samefile(fill):
        raise click.UsageError(f"--out is the file to fill, {fill}, which stays. Name another one.")


def _class(
    course: Course,
    results: Path,
    written_points: tuple[Path, ...],
    course_folder: Path | None,
    empty_is_zero: bool,
    absent_is_zero: bool,
) -> GradedClass:
    try:
        records = read_records(results, course.rubric)
    except RecordsError as error:
        again = here(course_folder).ending(str(error), "DIR", "--out", str(results))
        raise RecordsError(again) from error
    students = [row.id for row in records.rows]
    by_person = brought(course, results, written_points, students, empty_is_zero)
    return graded_class(results, records, course.rubric, by_person, absent_is_zero=absent_is_zero)


def _sources(
    course: Course, folder: Path | None, results: Path
) -> Mapping[str, Callable[[], Submission]]:
    """Map the digests of the submissions in a folder to functions that read them once more."""
    if folder is None:
        return {}
    sources = {}
    stems = course.rubric.assignments.values()
    place = class_folder(folder, results, stems)
    for entry in discover(place, results, stems).entries:
        try:
            sources[entry.read().digest] = entry.read
        except SubmissionError:
            continue  # nothing was graded of it
    return sources


def _explanations(course: Course) -> Explanations | None:
    """Return the source of the hints; None if this copy of the course has none."""
    from grader.course.explanations import ExplanationError, has_explanations, load_explanations

    if not has_explanations(course.paths):
        return None
    try:
        return load_explanations(course.root, course.rubric)
    except ExplanationError as error:
        raise ExportError(one_line(str(error))) from error


def _write(exported: Exported, out: Path, form: ExportFormat) -> frozenset[Path]:
    """Write the files; return their paths."""
    make_folder(out if form.is_folder else out.parent)
    paths = set()
    for name, content in exported.files:
        path = out / name if name else out
        make_folder(path.parent)
        write_file(path, content)
        paths.add(path)
    return frozenset(paths)


def _tell(exported: Exported, out: Path, form: ExportFormat, files: frozenset[Path]) -> None:
    remarks = list(exported.remarks)
    if form.is_folder:
        stale = sorted(p.relative_to(out) for p in out.rglob("*") if p.is_file() and p not in files)
        if stale:
            more = f" and {len(stale) - 1} more" if len(stale) > 1 else ""
            remarks.append(f"of an earlier export, and not of this one: {stale[0]}{more}")
    for remark in remarks:
        click.echo(without_commands(one_line(remark)), err=True)
    others = list(exported.others)
    for name in others if len(others) <= _FEW else [f"{len(others)}: {'; '.join(others)}"]:
        click.echo(without_commands(f"not in this class, left as it is: {name}"), err=True)
    for line in left_out_in_words(exported.left_out):
        click.echo(without_commands(f"without {form.gives}: {line}"), err=True)
    count = len(exported.left_out)
    left_out = f", {count} without" if count else ""
    click.echo(f"{exported.written} students with {form.gives}{left_out}")
    click.echo(f"next: open {out}")


def left_out_in_words(left_out: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a line a student; those who share a reason with several others share the line."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for id, reason in left_out:
        by_reason[one_line(reason, 300)].append(one_line(id))
    for reason, ids in by_reason.items():
        if len(ids) > _FEW:
            yield f"{len(ids)} students, {reason}: {', '.join(ids)}"
        else:
            yield from (f"{id}: {reason}" for id in ids)
