"""`grader appeal`: decide a student's claim on a check by running the code again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from grader.batch.appeal_file import Appeal, read_appeal
from grader.batch.discovery import BatchError
from grader.batch.replays import NOT_THERE, ReplayedCheck, lost_checks, replayed, ruling_of
from grader.batch.ruling import Ruling
from grader.cli import options
from grader.cli.class_entries import class_entries
from grader.cli.faults import in_words
from grader.cli.open_engine import OpenEngine
from grader.cli.student_record import record_of
from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.export.appeal_reply import drafted_reply
from grader.grade.evidence import Outcome
from grader.report.cleaning import one_line, without_commands
from grader.report.content import Graded, report_on
from grader.report.json import as_dict
from grader.store.appeal_table import KeptAppeal
from grader.store.conditions import conditions_of
from grader.store.store import STORE_FILE, Record, Store, open_store
from grader.submission.submission import Submission
from grader.text.language import language_in_use, use_language
from grader.text.typed import here

MOST_TIMES = 20


@click.command("appeal")
@click.argument(
    "file",
    metavar="[FILE]",
    required=False,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
)
@click.option(
    "--in",
    "out",
    type=options.FOLDER,
    metavar="RESULTS",
    default=Path("results"),
    show_default=True,
    help="What `grader batch` wrote.",
)
@click.option("--list", "only_list", is_flag=True, help="Count the appeals so far; nothing runs.")
@click.option(
    "--times",
    type=click.IntRange(1, MOST_TIMES),
    default=3,
    show_default=True,
    metavar="N",
    help="How often the code is run.",
)
@click.option(
    "--from",
    "folder",
    type=options.CLASS,
    metavar="DIR",
    help="The submissions; else where they were when the class was graded last.",
)
@options.isolation
@options.course
def command(**given: Any) -> int:
    """Run a student's code again to decide a claim on a check, and draft a reply.

    FILE has three lines, as the student's page says: student, check and claim. Nothing is sent, and
    no points change.
    """
    return run(**given)


@dataclass(frozen=True)
class _Case:
    """An appeal with all that it is decided from, before anything runs."""

    appeal: Appeal
    record: Record
    submission: Submission
    only: tuple[str, ...]
    tier: str
    is_as_graded: bool
    """True if the course, the grader and its libraries are those that the record was made with."""


def run(
    file: Path | None,
    *,
    out: Path = Path("results"),
    only_list: bool = False,
    times: int = 3,
    folder: Path | None = None,
    isolation: str | None = None,
    course_folder: Path | None = None,
    open_engine: OpenEngine = Engine,
) -> int:
    """Print the ruling and a reply, keep both, and return the exit code."""
    if only_list == (file is not None):
        raise click.UsageError("Name the FILE of an appeal, or give --list.")
    with in_words():
        if not (out / STORE_FILE).is_file():
            raise BatchError(f"{out}: holds no results. Name the folder with --in RESULTS.")
        with open_store(out / STORE_FILE) as store:
            if file is None:
                _print_list(store.appeals())
                return 0
            course = find_course(course_folder or Path.cwd())
            case = _case(read_appeal(file), store, out, folder, course, isolation or "full")
            lost = lost_checks(case.appeal, case.record)
            before = [one for one in store.appeals() if one.student == case.appeal.student]
            checks, reply = _decided(case, lost, course, times, open_engine)
            ruling, about = ruling_of(checks), case.appeal
            evidence = "\n".join(_evidence(checks, case, before))
            kept = KeptAppeal(
                about.student, about.check, about.claim, ruling.value, evidence, reply
            )
            store.keep_appeal(kept)
    _print(kept)
    click.echo(f"next: {_next(about, ruling, out, course_folder)}")
    return 3 if ruling is Ruling.CANNOT_TELL else 0


def _case(
    appeal: Appeal, store: Store, out: Path, folder: Path | None, course: Course, tier: str
) -> _Case:
    """Bring together what an appeal is decided from.

    Raises BatchError, RecordsError and SubmissionError.
    """
    record = record_of(out, appeal.student)
    if "problem" in record:
        raise BatchError(f"{one_line(appeal.student)}: {one_line(record['problem'])}")
    entries = class_entries(
        store, folder, out, course, "the code has to run again", records=[record]
    )
    if appeal.student not in entries:
        raise BatchError(f"{one_line(appeal.student)}: the submission is not there any more")
    submission = entries[appeal.student].read()
    if submission.digest != record["submission"]["digest"]:
        raise BatchError(
            f"{one_line(appeal.student)}: the submission has changed since it was graded. Put the "
            "old one back, or grade this one first: grader batch"
        )
    slugs = tuple(exercise["slug"] for exercise in record["exercises"])
    only = () if set(slugs) == set(course.rubric.exercises) else slugs
    kept = store.newest_of(record)
    now = conditions_of(course, only, tier)
    # The language of the reply decides no outcome.
    then = replace(kept.conditions, language=now.language) if kept else None
    same = then is not None and then.digest_of_run == now.digest_of_run
    return _Case(appeal, record, submission, only, tier, same)


def _decided(
    case: _Case, lost: Mapping[str, str], course: Course, times: int, open_engine: OpenEngine
) -> tuple[tuple[ReplayedCheck, ...], str]:
    """Return the checks as they came out each time, and the reply in the student's language."""
    rubric, before = course.rubric, language_in_use()
    use_language(case.appeal.language, course.root)
    try:
        graded = tuple(_again(case, course, times, open_engine))
        records = [
            as_dict(report_on(one, rubric, case.only, for_staff=True), for_staff=True)
            if one is not None
            else {}
            for one in graded
        ]
        checks = replayed(lost, records)
        seen = next((one for one in reversed(graded) if one is not None), None)
        # Not the report for staff: a reply says what the student may read.
        report = None if seen is None else report_on(seen, rubric, case.only)
        return checks, drafted_reply(case.appeal, ruling_of(checks), times, report)
    finally:
        use_language(before, course.root)


def _again(
    case: _Case, course: Course, times: int, open_engine: OpenEngine
) -> Iterator[Graded | None]:
    """Yield what came of each run, each in an engine of its own; None if nothing did."""
    for _number in range(times):
        with open_engine(course, Options(1, only=case.only, isolation=case.tier)) as grader:
            yield next(iter(grader.grade([case.submission])), None)


def _evidence(
    checks: Iterable[ReplayedCheck], case: _Case, earlier: Iterable[KeptAppeal]
) -> Iterator[str]:
    for one in checks:
        again = ", ".join(f"{count} x {_words(name)}" for name, count in Counter(one.again).items())
        yield f"{one.check}: was {_words(one.before)}; again: {again}"
    if not case.is_as_graded:
        yield "the course, the grader or a library is not as it was when this was graded"
    for each in earlier:
        if each.check_name == case.appeal.check:
            yield f"appealed before, {each.made_at}: {each.ruling}"


def _words(outcome: str) -> str:
    return outcome if outcome == NOT_THERE else Outcome(outcome).in_words


def _print(kept: KeptAppeal) -> None:
    lines = [f"{one_line(kept.student)}  {kept.check_name}: {kept.ruling}"]
    lines += [f"  {one_line(line)}" for line in kept.evidence.splitlines()]
    lines += [f"claim: {one_line(kept.claim, limit=2000)}", "", "reply, to be read by you first:"]
    lines += ["", *(f"    {line}".rstrip() for line in kept.reply.splitlines()), ""]
    for line in lines:
        click.echo(without_commands(line))


def _next(appeal: Appeal, ruling: Ruling, out: Path, course_folder: Path | None) -> str:
    typed = here(course_folder)
    if ruling is Ruling.STANDS:
        why = f"appeal on {appeal.check}"
        force = ("--force", appeal.student, "--reason", why)
        return typed.command("regrade", str(out), *force, "--commit")
    return typed.command("why", appeal.student, appeal.slug, "--in", str(out))


def _print_list(appeals: Iterable[KeptAppeal]) -> None:
    """Say of each check how many appeals there were, with what ruling; the most first."""
    by_check: dict[str, list[KeptAppeal]] = defaultdict(list)
    for one in appeals:
        by_check[one.check_name].append(one)
    for check, known in sorted(by_check.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        counts = Counter(one.ruling for one in known)
        rulings = ", ".join(f"{counts[one]} {one}" for one in Ruling if counts[one])
        click.echo(f"{check}  {len(known)} appeal{'s' if len(known) > 1 else ''}: {rulings}")
        for one in known:
            click.echo(
                without_commands(f"    {one.made_at}  {one_line(one.student)}  {one.ruling}")
            )
    if not by_check:
        click.echo("no appeals so far")
