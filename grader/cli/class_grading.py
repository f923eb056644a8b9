"""Grade a class for a command: read the course and the folder, open the store, run the engine."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from grader.batch.arrivals import with_arrivals
from grader.batch.attempts import several, with_rule
from grader.batch.attendance import Absences, of_roster
from grader.batch.batch import grade_batch
from grader.batch.class_archive import class_folder
from grader.batch.class_results import POINTS_FILE, RECORDS, ByPerson
from grader.batch.discovery import BatchError, Class, discover
from grader.batch.gradebook import Row
from grader.batch.part import ClassPart, chosen
from grader.batch.roster import read_roster
from grader.batch.shard import read_shard, split
from grader.batch.summary import Summary
from grader.batch.time_columns import NO_ONES_TIMES, times_of
from grader.cli.by_person import brought
from grader.cli.class_progress import progress
from grader.cli.open_engine import OpenEngine
from grader.course.attempts import AttemptRule
from grader.course.course import Course, course_here, select
from grader.engine.engine import Options
from grader.engine.lanes import cores
from grader.files.writing import make_folder, refuse_detour, remove_unfinished
from grader.report.content import Grader
from grader.store.conditions import conditions_of
from grader.store.results import Results
from grader.store.store import STORE_FILE, ClassRun, Store, open_store


@dataclass(frozen=True)
class ClassRequest:
    """The options of a command that grades a class."""

    folder: Path
    """The class: a folder, or the zip that a system has made of it."""
    out: Path
    jobs: int | None = None
    only: tuple[str, ...] = ()
    spawn: bool = False
    isolation: str | None = None
    course_folder: Path | None = None
    written_points: tuple[Path, ...] = ()
    empty_is_zero: bool = False
    again: bool = False
    layout: str | None = None
    roster: Path | None = None
    students: tuple[str, ...] = ()
    limit: int | None = None
    quiet: bool = False
    """True if nobody wants to see how far it has come."""
    shard: str | None = None
    """Such as `2/4`: only that part of the class is graded."""
    attempt: str | None = None
    """Which of several hand-ins of a student counts; None is what the rubric says."""
    cluster: str | None = None
    """Such as `dask://HOST:8786`: where submissions are graded, if not on this machine."""


@dataclass(frozen=True)
class ClassGrading:
    """A class that was graded, and what it was graded by."""

    summary: Summary
    course: Course
    slugs: tuple[str, ...]
    collected: Class
    absences: Absences
    by_person: ByPerson
    several: tuple[str, ...] = ()
    """The students who handed in more than once."""
    rule: AttemptRule | None = None
    """Which of several hand-ins counted; None if each has a row."""
    left_out_roster: str = ""
    """The roster of the run before, if this one was given none."""


def grade_class(
    request: ClassRequest,
    open_engine: OpenEngine,
    on_result: Callable[[Row, Fraction], None] | None = None,
) -> ClassGrading:
    """Grade a class into the folder of the request.

    `on_result` is called with the row of each student and the most points that can be had.

    Raises the errors that `grader.cli.faults.in_words` turns into messages.
    """
    out = request.out
    if request.cluster is not None and request.jobs is not None:
        raise BatchError("-j: with --cluster, its workers say how many are graded at a time.")
    refuse_detour(out / POINTS_FILE, request.folder)
    course = course_here(request.course_folder, request.folder)
    slugs, stems = select(course.rubric, request.only), course.rubric.assignments.values()
    folder = class_folder(request.folder, out, stems)
    collected = discover(folder, out, stems, request.layout)
    entries, absences, times = collected.entries, Absences(), NO_ONES_TIMES
    if request.roster is not None:
        known = read_roster(request.roster)
        times = times_of(known.times, course.rubric, slugs)
        entries, absences = of_roster(entries, known)
    rule = AttemptRule(request.attempt) if request.attempt else course.rubric.attempts
    entries = with_rule(entries, rule)
    repeated = several(entries)
    hand_ins = [one for entry in entries for one in entry.to_grade]
    times = {one.id: times[one.whose] for one in hand_ins if one.whose in times}
    arrivals = {one.id: one.arrivals for one in hand_ins if one.arrivals}
    times = with_arrivals(times, arrivals, course.rubric, slugs)
    absent = absences.handed_in_nothing
    everybody = [*(entry.id for entry in entries), *absent]
    by_person = brought(course, out, request.written_points, everybody, request.empty_is_zero)
    shard = None if request.shard is None else read_shard(request.shard)
    entries, others = split(shard, *chosen(entries, request.students, absent))
    options = Options(
        workers=max(1, min(request.jobs or cores(), request.limit or len(entries), len(entries))),
        spawn=request.spawn,
        only=slugs,
        # A class is graded with nothing less unless somebody decided so.
        isolation=request.isolation or "full",
    )
    exercises = course.rubric.exercises
    most = sum((exercises[slug].points for slug in slugs or exercises), Fraction(0))
    part = ClassPart(others, request.limit)
    students = len(entries) + (len(absent) if part.is_everybody else 0)
    conditions = conditions_of(course, slugs, options.isolation or "")
    make_folder(out)
    for place in (out, out / RECORDS):
        remove_unfinished(place)
    with with_way_to_go_on(out), open_store(out / STORE_FILE) as store:
        left_out = _left_out_roster(store, request)
        if left_out and not part.is_everybody:
            raise BatchError(_part_without(left_out))
        with (
            _opened(request, open_engine, course, options) as grader,
            progress(students, options.workers, quiet=request.quiet) as listener,
        ):
            roster = "" if request.roster is None else str(request.roster.resolve())
            store.note_run(ClassRun(str(folder.resolve()), collected.layout, roster))

            def on_row(row: Row) -> None:
                listener.on_row(row)
                if on_result is not None:
                    on_result(row, most)

            summary = grade_batch(
                entries,
                course.rubric,
                grader,
                out,
                on_row,
                slugs,
                by_person,
                Results(store, conditions, course.rubric, request.again),
                absent,
                part,
                listener.steps,
                times,
            )
    return ClassGrading(
        summary, course, slugs, collected, absences, by_person, repeated, rule, left_out
    )


def _left_out_roster(store: Store, request: ClassRequest) -> str:
    """Return the roster of the run before, if this one was given none; "" otherwise."""
    last = store.last_run()
    return last.roster if last is not None and request.roster is None else ""


def _part_without(roster: str) -> str:
    return (
        "this is a part of a class that was graded with a roster. Without it, who is only on the "
        "roster would lose the row, and everybody the times and extensions. "
        f"Add --roster {shlex.quote(roster)}, and run the same command."
    )


@contextmanager
def with_way_to_go_on(out: Path) -> Iterator[None]:
    """Let an interrupt say what becomes of the results so far."""
    try:
        yield
    except KeyboardInterrupt:
        words = f"what is graded is kept in {out}; the same command goes on with the rest"
        raise KeyboardInterrupt(words) from None


def _opened(
    request: ClassRequest, open_engine: OpenEngine, course: Course, options: Options
) -> AbstractContextManager[Grader]:
    """Return what grades: an engine on this machine, or a cluster."""
    if request.cluster is None:
        return open_engine(course, options)
    from grader.batch.cluster.cluster import cluster_grader

    return cluster_grader(request.cluster, course, options)
