"""`grader regrade`: show what a changed course does to the grades of a class, then let it count."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from grader.batch.arrivals import with_arrivals
from grader.batch.class_results import RECORDS, ByPerson, write_class_results
from grader.batch.discovery import WITH_FOLDERS, BatchError, Entry
from grader.batch.gradebook import row_of
from grader.batch.records import ClassRecords, read_class, record_text
from grader.batch.regrade import (
    Change,
    Earlier,
    Policy,
    Regraded,
    WatchedGrader,
    causes_in,
    change_of,
    settled,
)
from grader.batch.roster import read_roster
from grader.batch.time_columns import NO_ONES_TIMES, TimesById, times_of
from grader.cli import options
from grader.cli.by_person import brought
from grader.cli.class_entries import class_entries
from grader.cli.class_grading import with_way_to_go_on
from grader.cli.class_progress import progress
from grader.cli.course_at import course_at
from grader.cli.faults import in_words
from grader.cli.open_engine import OpenEngine
from grader.cli.written_changes import sums, written_changes
from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.engine.lanes import cores
from grader.files.writing import write_file
from grader.report.cleaning import one_line, without_commands
from grader.store.conditions import conditions_of
from grader.store.results import Results
from grader.store.store import STORE_FILE, Adjustment, Record, Store, open_store
from grader.text.language import ENGLISH
from grader.text.points import exact, shown, signed
from grader.text.problem import did_you_mean
from grader.text.typed import here


@click.command("regrade")
@click.argument("out", metavar="RESULTS", type=options.FOLDER)
@click.option(
    "--what-if/--commit",
    "only_show",
    default=True,
    help="Show what would change, or let it count.  [default: what-if]",
)
@click.option("--never-lower", is_flag=True, help="Nobody loses points by it.")
@click.option(
    "--only-cause",
    "only_causes",
    multiple=True,
    metavar="ID",
    help="Only students with this mistake, by its id in reports; may be repeated.",
)
@click.option(
    "--force",
    "forced",
    multiple=True,
    metavar="STUDENT",
    help="Run this student's code again, and take what comes out; may be repeated.",
)
@click.option("--reason", default="", metavar="TEXT", help="Why; needed with --force.")
@click.option("--by", "author", default="", metavar="NAME", help="Who decided it.")
@click.option(
    "--mark",
    "marks",
    multiple=True,
    type=click.IntRange(1, 100),
    metavar="PERCENT",
    help="Say who reaches or loses this share of the points; may be repeated.",
)
@click.option(
    "--from",
    "folder",
    type=options.CLASS,
    metavar="DIR",
    help="The submissions; else where they were when the class was graded last.",
)
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="The class list that says when students handed in; else that of the last batch.",
)
@click.option(
    "--at",
    default="",
    metavar="COMMIT|TIME",
    help="The course as of this commit of its repository, or as it was at this time.",
)
@options.format_("text", "json")
@options.jobs("Submissions graded at a time; else one a core.")
@options.isolation
@options.language("The language of what is said about submissions.", ENGLISH)
@options.course
def command(**given: Any) -> int:
    """Grade a class by what the course says now, and show who gains and who loses.

    RESULTS is what `grader batch` wrote. Where only points have changed, no code runs. Nothing that
    counts is touched without --commit.
    """
    return run(**given)


def run(
    out: Path,
    *,
    only_show: bool = True,
    never_lower: bool = False,
    only_causes: tuple[str, ...] = (),
    forced: tuple[str, ...] = (),
    reason: str = "",
    author: str = "",
    marks: tuple[int, ...] = (),
    folder: Path | None = None,
    roster: Path | None = None,
    at: str = "",
    format_: str = "text",
    jobs: int | None = None,
    isolation: str | None = None,
    course_folder: Path | None = None,
    open_engine: OpenEngine = Engine,
) -> int:
    """Print what a regrade changes, write it if asked to, and return the exit code."""
    policy = Policy(never_lower, frozenset(only_causes), frozenset(forced), reason, author)
    here_now = find_course(course_folder or Path.cwd())
    with with_way_to_go_on(out), in_words(), course_at(here_now, at) as course:
        known = read_class(out, course.rubric)
        _require(known, policy)
        tier = isolation or "full"
        with open_store(out / STORE_FILE) as store:
            conditions = conditions_of(course, known.only, tier)
            results = Results(store, conditions, course.rubric)
            earlier = Earlier(known.records, results, course.rubric, known.only)

            def entries(why: str = "code has to run again") -> Mapping[str, Entry]:
                return class_entries(store, folder, out, course, why, roster, known.records)

            @contextmanager
            def grader(count: int) -> Iterator[WatchedGrader]:
                workers = min(jobs or cores(), count)
                options = Options(workers, only=known.only, isolation=tier)
                with open_engine(course, options) as engine, progress(count, workers) as listener:
                    part = engine.grade if isinstance(engine, Engine) else None
                    yield WatchedGrader(engine, listener.on_row, listener.steps, part)

            policy = replace(policy, times=_times(store, course, known, entries, roster))
            done = tuple(earlier.regraded(entries, grader, forced))
            decided = [(one, *settled(one, policy, course.rubric)) for one in done]
            by_person = brought(course, out, (), [row.id for row in known.rows], False)
            questions = course.rubric.written_for(known.only)
            by_hand = tuple(written_changes(out, questions, by_person.given))
            if not only_show:
                _commit(decided, known, store, course, by_person, out)
                if roster and (last := store.last_run()):
                    store.note_run(replace(last, roster=str(roster.absolute())))
    changes = [
        change for one, after, _made in decided if (change := change_of(one.before, after, marks))
    ]
    if format_ == "json":
        values = _as_json(changes, done, only_show)
        values["written"] = [each.as_json() for each in by_hand]
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
    else:
        _print(changes, done, ", written answers aside" if by_hand else "")
        for line in (*map(str, by_hand), *sums(by_hand)):
            click.echo(without_commands(line))
        again = (*_typed(policy), *_places(folder, roster, at, isolation))
        _print_next(out, only_show, course_folder, again)
    return 3 if any(one.problem and "problem" not in one.before for one in done) else 0


def _require(known: ClassRecords, policy: Policy) -> None:
    """Refuse names that nobody has, and force without a reason. Raises BatchError."""
    students = {row.id for row in known.rows}
    for student in sorted(policy.forced - students):
        raise BatchError(f"--force {student}: nobody of that name in these results.")
    causes = {id for record in known.records if "problem" not in record for id in causes_in(record)}
    for cause in sorted(policy.only_causes - causes):
        hint = did_you_mean(cause, sorted(causes))
        raise BatchError(f"--only-cause {cause}: nobody in these results made this mistake{hint}.")
    if policy.forced and not policy.reason:
        raise BatchError("--force needs --reason: it stands in the record beside the points.")


def _times(
    store: Store,
    course: Course,
    known: ClassRecords,
    entries: Callable[[str], Mapping[str, Entry]],
    roster: Path | None,
) -> TimesById:
    """Return when students handed in, as roster and class folder say now.

    Raises RosterError and BatchError.
    """
    run = store.last_run()
    if course.rubric.late is None or run is None:
        return NO_ONES_TIMES
    path = roster or (Path(run.roster) if run.roster else None)
    times = _on_roster(path, course, known) if path else NO_ONES_TIMES
    if run.layout not in WITH_FOLDERS:
        return times
    submissions = entries("it says who was late")
    arrivals = {id: entry.arrivals for id, entry in submissions.items()}
    return with_arrivals(times, arrivals, course.rubric, known.only)


def _on_roster(path: Path, course: Course, known: ClassRecords) -> TimesById:
    if not path.is_file():
        raise BatchError(
            f"{path}: not there any more, and it says who was late. Put it back, or grade with "
            "another one: --roster FILE"
        )
    times = times_of(read_roster(path).times, course.rubric, known.only)
    if times and not {row.id for row in known.rows} & times.keys():
        raise BatchError(f"{path}: names nobody of these results. Is it the list of this class?")
    return times


Decided = tuple[Regraded, Record, tuple[Adjustment, ...]]


def _commit(
    decided: Iterable[Decided],
    known: ClassRecords,
    store: Store,
    course: Course,
    by_person: ByPerson,
    out: Path,
) -> None:
    """Let the results of a regrade count: adjustments, then records, then the gradebook."""
    rows = []
    for one, after, made in decided:
        had = {each.kind for each in store.adjustments(one.student)}
        for each in made:
            if each.points or each.kind in had:
                store.adjust(each)
        write_file(out / RECORDS / known.names[one.student], record_text(after))
        rows.append(row_of(after))
    write_class_results(rows, known.names, course.rubric, known.only, by_person, out)


def _print(changes: Iterable[Change], done: Iterable[Regraded], aside: str) -> None:
    known, everybody = tuple(changes), tuple(done)
    width = max((len(one_line(change.student)) for change in known), default=0)
    for change in sorted(known, key=lambda one: (one.difference, one.student)):
        crossed = "".join(f"  {mark}" for mark in change.crossed)
        line = (
            f"{one_line(change.student):{width}}  {_points(change.before):>7} -> "
            f"{_points(change.after):>7}  {signed(change.difference):>7}{crossed}"
        )
        click.echo(without_commands(line))
        for one in change.criteria:
            turned = f"  ({'; '.join(one.checks)})" if one.checks else ""
            what = f"{one.name}: {_points(one.before)} -> {_points(one.after)}{turned}"
            click.echo(without_commands(f"    {one_line(what, limit=400)}"))
        for line in change.beside:
            click.echo(without_commands(f"    {one_line(line, limit=400)}"))
    _print_sums(known)
    for each in everybody:
        if each.problem and "problem" not in each.before:
            message = f"{one_line(each.student)}: not graded again: {one_line(each.problem)}"
            click.echo(without_commands(message))
    ran = sum(each.ran for each in everybody)
    up, down = (sum(sign * each.difference > 0 for each in known) for sign in (1, -1))
    click.echo(
        f"{len(everybody)} students: {up} up, {down} down, {len(everybody) - up - down} with the "
        f"same points{aside}; the code of {ran} ran again"
    )


def _print_sums(changes: Iterable[Change]) -> None:
    """Say for each criterion how many students gain or lose by it."""
    gains: dict[str, list[Fraction]] = defaultdict(list)
    for change in changes:
        for one in change.criteria:
            gains[one.name].append((one.after or Fraction(0)) - (one.before or Fraction(0)))
    for name, differences in sorted(gains.items()):
        up, down = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
        total = signed(sum(differences, Fraction(0)))
        click.echo(f"by {name}: {up} up, {down} down, {total} points in all")


def _typed(policy: Policy) -> Iterator[str]:
    """Yield the options that the policy was made from."""
    if policy.never_lower:
        yield "--never-lower"
    for cause in sorted(policy.only_causes):
        yield from ("--only-cause", cause)
    for student in sorted(policy.forced):
        yield from ("--force", student)
    for option, text in (("--reason", policy.reason), ("--by", policy.author)):
        if text:
            yield from (option, text)


def _places(
    folder: Path | None, roster: Path | None, at: str, isolation: str | None
) -> Iterator[str]:
    """Yield the options that say with what a class is graded again."""
    given = {"--from": folder, "--roster": roster, "--at": at, "--isolation": isolation}
    for option, value in given.items():
        if value:
            yield from (option, str(value))


def _print_next(
    out: Path, only_show: bool, course_folder: Path | None, more: tuple[str, ...]
) -> None:
    if only_show:
        commit = here(course_folder).command("regrade", str(out), *more, "--commit")
        click.echo(f"nothing that counts was changed. To let it count, add --commit: {commit}")
    else:
        click.echo(f"next: open {out / 'gradebook.csv'}")


def _points(points: Fraction | None) -> str:
    return "unknown" if points is None else shown(points)


def _as_json(
    changes: Iterable[Change], done: Iterable[Regraded], only_show: bool
) -> dict[str, object]:
    def exactly(points: Fraction | None) -> str | None:
        return None if points is None else exact(points)

    return {
        "format": "grader.regrade/1",
        "committed": not only_show,
        "changes": [
            {
                "student": change.student,
                "before": exactly(change.before),
                "after": exactly(change.after),
                "crossed": list(change.crossed),
                "adjustments": list(change.beside),
                "criteria": [
                    {
                        "name": one.name,
                        "before": exactly(one.before),
                        "after": exactly(one.after),
                        "checks": list(one.checks),
                    }
                    for one in change.criteria
                ],
            }
            for change in changes
        ],
        "students": [
            {"student": one.student, "ran": one.ran, "problem": one.problem or None} for one in done
        ],
    }
