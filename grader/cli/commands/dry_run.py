"""`grader dry-run`: grade earlier submissions, and say what that says about the checks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from grader.batch.discovery import LAYOUTS
from grader.batch.dry_run import ENOUGH, DryRun, dry_run
from grader.batch.records import read_class
from grader.cli import options
from grader.cli.class_grading import ClassRequest, grade_class
from grader.cli.faults import in_words
from grader.cli.open_engine import OpenEngine
from grader.engine.engine import Engine
from grader.report.cleaning import one_line, without_commands
from grader.submission.submission import name_of
from grader.text.language import ENGLISH
from grader.text.typed import Typed, here

FORMAT = "grader.dry-run/1"
_FEW = 5
"""The most students that are named."""


@click.command("dry-run")
@click.argument("folder", metavar="DIR", type=options.CLASS)
@click.option("--out", type=options.FOLDER, help="Where the results go; else DIR-dry-run, here.")
@options.format_("text", "json")
@options.jobs("Submissions graded at a time; else one a core.")
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    help="The system that DIR was downloaded from; else it is recognised by its file names.",
)
@click.option("--again", is_flag=True, help="Grade everybody anew, even if nothing has changed.")
@options.only
@options.spawn
@options.isolation
@options.language("The language of what is said about submissions.", ENGLISH)
@options.course
def command(**given: Any) -> int:
    """Try the checks on last year's submissions, before this year's deadline.

    DIR is a class as `grader batch` takes it, and is graded as there. Then it says which checks
    nearly everybody or nobody fails, which verdicts rest on one check, and what is slow.
    """
    return run(**given)


def run(
    folder: Path,
    out: Path | None = None,
    *,
    format_: str = "text",
    jobs: int | None = None,
    layout: str | None = None,
    again: bool = False,
    only: tuple[str, ...] = (),
    spawn: bool = False,
    isolation: str | None = None,
    course_folder: Path | None = None,
    open_engine: OpenEngine = Engine,
) -> int:
    """Grade a class, print what it says about the checks, and return the exit code.

    It is 3 if something could not be read or checked, else 0: points are not the question.
    """
    out = out or Path(f"{name_of(folder.resolve())}-dry-run")
    request = ClassRequest(
        folder, out, jobs, only, spawn, isolation, course_folder, again=again, layout=layout
    )
    with in_words():
        graded = grade_class(request, open_engine)
        result = dry_run(read_class(out, graded.course.rubric).records)
    if format_ == "json":
        click.echo(json.dumps(_as_json(result, out), indent=2, ensure_ascii=False))
    else:
        for line in _lines(result, out, here(course_folder)):
            click.echo(without_commands(line))
    return 3 if graded.summary.problems or graded.summary.unchecked else 0


def _as_json(result: DryRun, out: Path) -> dict[str, object]:
    return {
        "format": FORMAT,
        "results": str(out),
        "enough": result.is_enough,
        "least": ENOUGH,
        **asdict(result),
    }


def _lines(result: DryRun, out: Path, typed: Typed) -> Iterator[str]:
    if not result.is_enough:
        yield (
            f"{result.graded} of {result.submissions} submissions were graded. Fewer than {ENOUGH} "
            "say nothing about checks: give more of them."
        )
    else:
        yield f"{result.graded} of {result.submissions} submissions were graded"
        sections = (_hard(result, out, typed), _idle(result, typed), _sole(result), _slow(result))
        for section in (*sections, _unknown(result, out, typed), _unnamed(result, out, typed)):
            yield ""
            yield from section
        yield from _rare(result)
    yield ""
    yield f"records and gradebook of this run: {out}"


def _hard(result: DryRun, out: Path, typed: Typed) -> Iterator[str]:
    yield f"Checks that 90 % or more fail: {len(result.nearly_all_fail)}"
    for one in result.nearly_all_fail:
        yield f"  {one.check}  {one.failed} of {one.of}: {one_line(one.title)}"
    if result.nearly_all_fail:
        slug = result.nearly_all_fail[0].check.partition("/")[0]
        why = typed.command("why", "STUDENT", slug, "--in", str(out))
        yield (
            "  Does the hand-out say what such a check asks for? If not, say it there, or ask for "
            f"less. Read what somebody got: {why}"
        )


def _idle(result: DryRun, typed: Typed) -> Iterator[str]:
    yield f"Checks that nobody fails: {len(result.nobody_fails)} of {result.checks}"
    for one in result.nobody_fails:
        yield f"  {one.check}  0 of {one.of}: {one_line(one.title)}"
    if result.nobody_fails:
        slug = result.nobody_fails[0].check.partition("/")[0]
        prove = typed.command("validate", "--only", slug)
        yield (
            "  Not wrong, if a known mistake fails there: see whether one does, for instance with: "
            f"{prove}"
        )


def _sole(result: DryRun) -> Iterator[str]:
    yield f"Verdicts that rest on one check (90 % or more of those who lose it): {len(result.sole)}"
    for one in result.sole:
        which = "the only check" if one.checks == 1 else f"one of {one.checks} checks"
        yield f"  {one.check}  {one.alone} of {one.of}, {which} of its criterion"
    if result.sole:
        yield (
            "  If this check is wrong, all these points are: read it once more, and give the "
            "criterion another one that sees the same mistake from another side."
        )


def _slow(result: DryRun) -> Iterator[str]:
    yield "Checks that took most time:"
    for one in result.slowest:
        yield f"  {one.check}  {one.share:.0%} of all, median {one.median_ms:.0f} ms of {one.of}"
    if result.slowest:
        yield "  If one takes a large part, let it ask for smaller inputs or fewer calls."


def _unknown(result: DryRun, out: Path, typed: Typed) -> Iterator[str]:
    yield f"Submissions that could not be read: {_count(result.unread, result.submissions)}"
    unchecked = _count(result.unchecked, result.graded)
    yield f"Submissions with a check that could not be made: {unchecked}"
    if result.unchecked:
        why = typed.command("why", result.unchecked[0], "--in", str(out))
        yield f"  This is no student's fault. The reason stands under `for staff`: {why}"


def _unnamed(result: DryRun, out: Path, typed: Typed) -> Iterator[str]:
    yield (
        "Submissions with wrong answers in which no mistake was named: "
        f"{_count(result.unnamed, result.wrong)}"
    )
    if result.unnamed:
        why = typed.command("why", result.unnamed[0], "--in", str(out))
        yield f"  Look for one mistake that several made, and add it to mistakes.diff: {why}"


def _rare(result: DryRun) -> Iterator[str]:
    parts = []
    if result.rare_checks:
        parts.append(f"{result.rare_checks} checks that fewer than {ENOUGH} submissions reached")
    if result.rare_losses:
        parts.append(f"{result.rare_losses} criteria that fewer than {ENOUGH} lost")
    if parts:
        yield ""
        yield f"Nothing is said about {' and about '.join(parts)}."


def _count(names: Iterable[str], of: int) -> str:
    known = [one_line(name) for name in names]
    more = f" and {len(known) - _FEW} more" if len(known) > _FEW else ""
    listed = f" ({', '.join(known[:_FEW])}{more})" if known else ""
    return f"{len(known)} of {of}{listed}"
