"""`grader why`: show the evidence for every point that a student of a class lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from grader.batch.attempts import entry_of
from grader.batch.attendance import of_roster
from grader.batch.discovery import BatchError, discover
from grader.batch.evidence import Loss, LostCheck, checks_by_cause, losses
from grader.batch.regrade import total_of
from grader.batch.roster import read_roster
from grader.batch.time_columns import RosterError
from grader.cli import options
from grader.cli.faults import in_words
from grader.cli.lost_answers import LostAnswer, lost_answers
from grader.cli.student_record import record_of
from grader.report.cleaning import one_line, without_commands
from grader.report.counted_hand_in import ATTEMPT, counted_in
from grader.store.adjusting import KEY
from grader.store.store import STORE_FILE, ClassRun, Kept, Record, open_store
from grader.text.points import shown, signed
from grader.text.problem import did_you_mean
from grader.text.typed import here


@click.command("why")
@click.argument("student", metavar="STUDENT")
@click.argument("slug", metavar="[SLUG]", required=False)
@click.option(
    "--in",
    "out",
    type=options.FOLDER,
    metavar="RESULTS",
    default=Path("results"),
    show_default=True,
    help="What `grader batch` wrote.",
)
@options.format_("text", "json")
@options.course
def command(**given: Any) -> int:
    """Show the evidence for every point that STUDENT lost, in one exercise or in all.

    For staff: it names hidden checks. It ends with the command that grades this submission again.
    """
    return run(**given)


def run(
    student: str,
    slug: str | None,
    *,
    out: Path,
    format_: str = "text",
    course_folder: Path | None = None,
) -> int:
    """Print the evidence and return 0."""
    with in_words():
        record = record_of(out, student)
        if slug and "problem" not in record:
            _require(slug, record, student)
        with open_store(out / STORE_FILE) as store:
            history, place = tuple(store.history(student)), store.last_run()
        answers = () if slug else tuple(lost_answers(record, out, course_folder))
    lost = () if "problem" in record else losses(record, slug)
    if format_ == "json":
        click.echo(json.dumps(_as_json(record, lost, answers), indent=2, ensure_ascii=False))
        return 0
    evidence = (*_causes(lost), *evidence_in_words(lost), *map(str, answers))
    for line in (*_summary(record, slug), *evidence, *_history(history)):
        click.echo(without_commands(line))
    for line in _replay(record, slug, _lies_at(record, place, out), course_folder):
        click.echo(without_commands(line))
    return 0


def _require(slug: str, record: Record, student: str) -> None:
    slugs = [exercise["slug"] for exercise in record["exercises"]]
    if slug not in slugs:
        near = did_you_mean(slug, slugs)
        raise BatchError(f"{one_line(slug)}: not graded for {one_line(student)}{near}")


def _summary(record: Record, slug: str | None) -> Iterator[str]:
    name = one_line(record["submission"]["id"])
    if "problem" in record:
        yield f"{name}: no points: {one_line(record['problem'])}"
        return
    if slug:
        [one] = [each for each in record["exercises"] if each["slug"] == slug]
        points = "unknown" if one["points"] is None else shown(Fraction(one["points"]))
        yield f"{name}  {slug}  {points} of {shown(Fraction(one['max_points']))}"
    else:
        total = total_of(record) or Fraction(0)
        yield f"{name}  {shown(total)} of {shown(Fraction(record['max_points']))}"
    if counted := counted_in(record):
        each = ["not read" if one is None else shown(one) for one in counted.points]
        of_each = f"; points of each: {', '.join(each)}" if each else ""
        yield f"  hand-in {counted.short}, the {counted.rule} counts{of_each}"
    for line in record.get(KEY, ()):
        author = f", {line['author']}" if line["author"] else ""
        yield f"  {signed(Fraction(line['points']))} beside the checks: {line['reason']}{author}"
    for note in record["notes"]:
        yield f"  {note['kind']}: {one_line(note['text'])}"
    for flag in record.get("flags", ()):
        yield f"  to look into: {one_line(flag['text'])}"


def _causes(lost: Iterable[Loss]) -> Iterator[str]:
    """Yield each mistake once, however many checks it fails."""
    by_cause = checks_by_cause(lost)
    if by_cause:
        yield ""
        yield "causes:"
    for cause, criteria in by_cause.items():
        count = f"{len(criteria)} check{'s' if len(criteria) > 1 else ''}"
        names = ", ".join(dict.fromkeys(criteria))
        yield f"  {cause.id}, {count} of {names}: {one_line(cause.text, limit=600)}"


def evidence_in_words(lost: Iterable[Loss]) -> Iterator[str]:
    """Yield each check that lost points; what all checks of a criterion share is said once."""
    for loss in lost:
        points = "unknown" if loss.points is None else shown(loss.points)
        yield ""
        yield f"{loss.name}  {points} of {shown(loss.max_points)}"
        in_all, before = _in_all(loss.checks), ""
        if in_all:
            yield f"  of each of these {len(loss.checks)} checks:"
        yield from (f"      {line}" for line in in_all)
        for check in loss.checks:
            title = "" if check.title == before else f": {one_line(check.title)}"
            yield f"  {check.outcome.in_words}  {check.name}{title}"
            yield from (f"      {line}" for line in _known_of(check) if line not in in_all)
            before = check.title


def _in_all(checks: Sequence[LostCheck]) -> tuple[str, ...]:
    """Return what is known of every one of several checks, to be said once."""
    if len(checks) < 2:
        return ()
    first, *others = (tuple(_known_of(check)) for check in checks)
    return tuple(line for line in first if all(line in other for other in others))


def _known_of(check: LostCheck) -> Iterator[str]:
    for label, text in check.facts:
        yield f"{label}: {one_line(text, limit=600)}"
    for cause in check.causes:
        yield f"cause: {cause.id}, gives these numbers on {cause.fits} of {cause.of}"


def _history(history: Iterable[Kept]) -> Iterator[str]:
    known = tuple(history)
    if len(known) > 1:
        yield ""
        yield "graded:"
    for one in known if len(known) > 1 else ():
        total = total_of(one.record) or Fraction(0)
        yield f"  {one.graded_at}  {shown(total)} points  {one.conditions.libraries}"


def _lies_at(record: Record, run: ClassRun | None, out: Path) -> Path | None:
    """Return the folder of a submission, if it is known and holds nobody else's."""
    if run is None or not Path(run.folder).is_dir():
        return None
    with suppress(BatchError, RosterError):
        entries = discover(Path(run.folder), out, (), run.layout).entries
        if run.roster:
            entries, _absences = of_roster(entries, read_roster(Path(run.roster)))
        entry = entry_of(record, {one.id: one for one in entries})
        if entry is None or len(entry.parts) > 1:
            return None
        return entry.parts[0].path if entry.parts else entry.path
    return None


def _replay(
    record: Record, slug: str | None, folder: Path | None, course_folder: Path | None
) -> Iterator[str]:
    """Yield the command that grades this submission again, if it is known where it lies."""
    if folder is None or not folder.exists() or not record["submission"]["entries"]:
        return
    only = (slug,) if slug else ()
    yield ""
    yield f"to grade it again: {here(course_folder, only).command('check', str(folder))}"


def _as_json(
    record: Record, lost: Iterable[Loss], answers: Iterable[LostAnswer]
) -> dict[str, object]:
    return {
        "format": "grader.why/2",
        "student": record["submission"]["id"],
        "problem": record.get("problem"),
        ATTEMPT: record.get(ATTEMPT),
        "adjustments": list(record.get(KEY, ())),
        "losses": [
            {
                "criterion": loss.name,
                "points": None if loss.points is None else str(loss.points),
                "max_points": str(loss.max_points),
                "checks": [
                    {
                        "check": check.name,
                        "title": check.title,
                        "outcome": check.outcome.value,
                        "facts": [list(fact) for fact in check.facts],
                        "causes": [asdict(cause) for cause in check.causes],
                    }
                    for check in loss.checks
                ],
            }
            for loss in lost
        ],
        "written": [answer.as_json() for answer in answers],
    }
