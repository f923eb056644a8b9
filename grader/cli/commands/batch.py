"""`grader batch`: grade a class, with a progress bar, into a folder of results."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from grader.batch.attendance import Absences
from grader.batch.class_results import GRADEBOOK_FILE, POINTS_FILE, SHEETS
from grader.batch.discovery import GIT, GRADESCOPE, LAYOUTS, NBGRADER, WITH_FOLDERS, Class
from grader.batch.gradebook import Row
from grader.batch.summary import Summary
from grader.cli import options
from grader.cli.by_person import print_answers, print_review
from grader.cli.class_grading import ClassGrading, ClassRequest, grade_class
from grader.cli.faults import in_words
from grader.cli.open_engine import OpenEngine
from grader.course.attempts import AttemptRule
from grader.course.rubric import Rubric
from grader.engine.engine import Engine
from grader.grade.evidence import Tried
from grader.report.cleaning import encodable, one_line, trimmed, without_commands
from grader.report.tried import tried_in_words
from grader.submission.downloads import CANVAS, MOODLE, PLAIN
from grader.text.counted import counted
from grader.text.language import ENGLISH
from grader.text.points import exact, shown
from grader.text.typed import here

EXIT_CODES = """\b
Exit codes, for those who are graded in this run:
  0    everybody has all points
  1    somebody's points are missing, or somebody handed in nothing
  2    a mistake in the command line or in the course
  3    somebody could not be read or checked, or an error of the grader's own
  130  interrupted; the same command goes on"""
LINES = "json-lines"
_OVERVIEW_MAX = 60
"""The largest class shown on a terminal; a larger one is for a spreadsheet."""


@click.command("batch", epilog=EXIT_CODES)
@click.argument("folder", metavar="DIR", type=options.CLASS)
@click.option("--out", required=True, type=options.FOLDER, help="Where the results go.")
@options.jobs("Submissions graded at a time; else one a core.")
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="CSV of the class: everybody on it has a row, under the name there.",
)
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    help="The system that DIR was downloaded from; else it is recognised by its file names.",
)
@click.option(
    "--attempt",
    type=click.Choice([rule.value for rule in AttemptRule]),
    help="Which of several hand-ins of a student counts; else as rubric.yaml says.",
)
@click.option(
    "--student",
    "students",
    multiple=True,
    metavar="ID",
    help="Only this student, by id or by the name of the folder; may be repeated.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the first N who have no result yet.",
)
@click.option(
    "--shard",
    metavar="I/N",
    help="Only the I-th of N parts of the class, for several machines: then grader merge.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Grade on a Dask cluster, such as dask://HOST:8786, and not on this machine.",
)
@click.option("--quiet", is_flag=True, help="Print problems and the last line, and nothing else.")
@options.format_("text", LINES)
@click.option("--again", is_flag=True, help="Grade everybody anew, even if nothing has changed.")
@options.written_points
@options.empty_is_zero
@options.only
@options.spawn
@options.isolation
@options.language("The language of what is said about submissions.", ENGLISH)
@options.course
def command(**given: Any) -> int:
    """Grade a class: DIR holds one folder or file a student.

    DIR may be the zip in which a system such as Canvas or Moodle gives a class: it is unpacked into
    --out.

    Whoever has results in --out already is graded again only if something has changed since. With
    --student, --limit or --shard, everybody else keeps the results that are there.

    With --format json-lines, the standard output is a JSON object for each submission as soon as it
    is graded, and one for the whole at the end; all words go to the standard error.
    """
    return run(**given)


def run(
    folder: Path,
    out: Path,
    *,
    jobs: int | None,
    only: tuple[str, ...],
    spawn: bool,
    isolation: str | None = None,
    course_folder: Path | None,
    written_points: tuple[Path, ...] = (),
    empty_is_zero: bool = False,
    again: bool = False,
    layout: str | None = None,
    roster: Path | None = None,
    students: tuple[str, ...] = (),
    limit: int | None = None,
    shard: str | None = None,
    cluster: str | None = None,
    attempt: str | None = None,
    quiet: bool = False,
    format_: str = "text",
    open_engine: OpenEngine = Engine,
) -> int:
    """Grade every submission in `folder` into `out` and return the exit code.

    Who was graded into `out` before is not graded again, unless the submission, the course, the
    grader or what it computes with has changed, or `again` is set.

    If `students` or a `limit` are given, only they are graded, or so many without a result; the
    others keep what they had, and the exit code is about those of this run.

    Points for written answers come from `written_points`, else from those entered in `out` before.
    """
    request = ClassRequest(
        folder, out, jobs, only, spawn, isolation, course_folder, written_points, empty_is_zero,
        again, layout, roster, students, limit, quiet, shard, attempt, cluster,
    )  # fmt: skip
    with in_words():
        graded = grade_class(request, open_engine, _print_line if format_ == LINES else None)
    with redirect_stdout(sys.stderr if format_ == LINES else sys.stdout):
        _print_words(graded, request)
    code = exit_code(graded.summary)
    if format_ == LINES:
        click.echo(json.dumps(_whole(graded.summary, out, code), ensure_ascii=False))
    return code


def _print_line(row: Row, most: Fraction) -> None:
    """Print one object for a student: points that are not all known are null, and never 0."""
    known = None if row.unchecked else row.total
    unknown = f"{shown(row.unchecked)} points could not be checked" if row.unchecked else None
    line = {
        "type": "submission",
        "id": row.id,
        "points": None if known is None else exact(known),
        "max": exact(most),
        "problem": row.problem or unknown,
        "seconds": row.seconds,
    }
    click.echo(json.dumps(line, ensure_ascii=False))


def _whole(summary: Summary, out: Path, code: int) -> dict[str, object]:
    return {
        "type": "summary",
        "submissions": len(summary.rows),
        "complete": summary.complete,
        "without_result": len(summary.problems),
        "unchecked": len(summary.unchecked),
        "earlier": summary.earlier,
        "kept": len(summary.kept),
        "not_graded": [row.id for row in summary.waiting],
        "gradebook": str(out / GRADEBOOK_FILE),
        "exit_code": code,
    }


def _print_words(graded: ClassGrading, request: ClassRequest) -> None:
    summary, course = graded.summary, graded.course
    folder, out = request.folder, request.out
    _print_left_out_roster(graded.left_out_roster)
    if request.quiet:
        _print_summary(summary, _everything(course.rubric))
        return
    _print_overview(summary, course.rubric, graded.slugs)
    _print_summary(summary, _everything(course.rubric))
    _print_layout(graded.collected, folder)
    _print_left(summary, folder, out, graded.collected.others)
    _print_absences(graded.absences)
    _print_several(graded)
    _print_without_time(summary)
    _print_tried(summary)
    _print_others(summary, request)
    if summary.earlier:
        click.echo(
            f"{summary.earlier} of {len(summary.rows)} were graded before and nothing has changed "
            "since; --again grades them anew"
        )
    if course.rubric.written_for(graded.slugs):
        print_review(summary.review)
        if print_answers(summary.everybody, graded.by_person) and request.shard is None:
            # Of a shard they are marked where all shards are merged: `merge` takes no points over.
            where = f"read {out / SHEETS}, fill {out / POINTS_FILE}"
            enter = here(request.course_folder).command("gradebook", str(out))
            click.echo(f"to grade answers: {where}, then: {enter}")
    click.echo(f"next: open {out / GRADEBOOK_FILE}")


def _everything(rubric: Rubric) -> str:
    return "all automatic points" if rubric.written else "all points"


def exit_code(summary: Summary) -> int:
    """Return 0 for all points everywhere, 3 if anything could not be read or checked, else 1."""
    if summary.problems or summary.unchecked:
        return 3
    return 0 if summary.complete == len(summary.rows) else 1


def _print_overview(summary: Summary, rubric: Rubric, only: tuple[str, ...]) -> None:
    if len(summary.rows) > _OVERVIEW_MAX:
        return
    from rich.console import Console

    from grader.batch.overview import overview

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(overview(summary.rows, rubric, only, console.width))
    text = without_commands(trimmed(capture.get()))
    console.file.write(encodable(text + "\n", console.encoding))


def _print_summary(summary: Summary, everything: str) -> None:
    nothing = (*summary.problems, *summary.idle)
    for row in (*nothing, *(row for row in summary.unchecked if row not in nothing)):
        unknown = f"{shown(row.unchecked)} points could not be checked"
        reason = row.problem if row in nothing else unknown
        click.echo(without_commands(f"{one_line(row.id)}: {one_line(reason)}"))
    for row in summary.notable:
        for flag in row.flags:
            click.echo(without_commands(f"{one_line(row.id)}: to look into: {one_line(flag)}"))
    click.echo(
        f"{counted(len(summary.rows), 'submission')}, {summary.complete} with {everything}, "
        f"{len(summary.problems)} without a result"
    )


def _print_left(summary: Summary, folder: Path, out: Path, ignored: tuple[str, ...]) -> None:
    """Print names in the folder that are no submissions, and records of students not graded now."""
    if ignored:
        click.echo(without_commands(f"no submission by its name: {_few(ignored)} in {folder}"))
    if summary.stale:
        records = out / "records"
        stale = f"stale, of students who are not in {folder}: {_few(summary.stale)} in {records}"
        click.echo(without_commands(stale))


_SYSTEMS = {
    CANVAS: "a download from Canvas",
    GIT: "what grader collect fetched",
    GRADESCOPE: "an export of Gradescope",
    MOODLE: "a download from Moodle",
    NBGRADER: "a folder of nbgrader",
}


def _print_layout(collected: Class, folder: Path) -> None:
    if collected.layout == PLAIN:
        return
    files = sum(max(1, len(entry.parts)) for entry in collected.entries)
    students, hand_ins = len(collected.entries), len({e.path for e in collected.entries})
    of_folders = collected.layout in WITH_FOLDERS
    things = counted(hand_ins, "folder") if of_folders else counted(files, "file")
    click.echo(
        f"{folder} is {_SYSTEMS[collected.layout]}: {things} of {counted(students, 'student')}. "
        f"If not: --layout {PLAIN}"
    )
    prefix = "not collected" if collected.layout == GIT else "not known when this was handed in"
    for line in collected.unread:
        click.echo(without_commands(f"{prefix}: {line}"))


def _print_absences(absences: Absences) -> None:
    for names, words in (
        (absences.handed_in_nothing, "handed in nothing"),
        (absences.not_on_roster, "not on the roster, and graded"),
    ):
        if names:
            click.echo(without_commands(f"{len(names)} {words}: {_few(names)}"))


def _print_left_out_roster(roster: str) -> None:
    """Say that a class has lost its roster: that costs rows, and what lateness takes."""
    if roster:
        words = (
            "graded without the roster of the run before: who is only on it has no row, and its "
            f"times and extensions do not count. To have it again: --roster {shlex.quote(roster)}"
        )
        click.echo(without_commands(words))


def _print_several(graded: ClassGrading) -> None:
    """Say who handed in more than once, and which hand-in counts or how to say it."""
    if not graded.several:
        return
    names = f"{len(graded.several)} handed in more than once"
    if graded.rule is None:
        words = (
            "each hand-in has a row; to count one, give --attempt best, last or first, or write "
            "attempts into rubric.yaml"
        )
        click.echo(without_commands(f"{names}, and {words}: {_few(graded.several)}"))
        return
    by_rule = {row.id: row.counted.short for row in graded.summary.everybody if row.counted}
    each = [f"{id} ({by_rule[id]})" if id in by_rule else id for id in graded.several]
    click.echo(without_commands(f"{names}, and the {graded.rule} counts: {_few(tuple(each))}"))


def _print_others(summary: Summary, request: ClassRequest) -> None:
    """Say who was not graded in a run of a part of the class, and what to do about it."""
    if summary.kept:
        names = _few(tuple(row.id for row in summary.kept))
        kept = f"{len(summary.kept)} with the row and the record that they had: {names}"
        click.echo(without_commands(kept))
    if summary.waiting:
        given = {"--student": request.students, "--limit": request.limit}
        without = " and ".join(option for option, value in given.items() if value)
        goes_on = f"the same command without {without} goes on"
        if request.shard is not None:
            more = f", once {goes_on}" if without else ""
            goes_on = f"grader merge RESULTS {request.out} … takes all shards together{more}"
        names = _few(tuple(row.id for row in summary.waiting))
        left = f"{len(summary.waiting)} not graded in this run; {goes_on}: {names}"
        click.echo(without_commands(left))


def _print_without_time(summary: Summary) -> None:
    """Name those of whom it is not known when they handed in: it costs them nothing."""
    if names := tuple(row.id for row in summary.notable if row.lacks_time):
        lacking = f"{len(names)} without a time in the roster's column handed_in"
        click.echo(without_commands(f"{lacking}, so lateness takes nothing: {_few(names)}"))


def _print_tried(summary: Summary) -> None:
    """Say what submissions tried that none may do, and was refused, and of whom."""
    for what in Tried:
        if names := tuple(row.id for row in summary.notable if row.tried.get(what)):
            line = f"{len(names)} tried and were refused: {tried_in_words(what)}: {_few(names)}"
            click.echo(without_commands(line))


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(one_line(name) for name in names[:5]) + more
