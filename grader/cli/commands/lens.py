"""`grader lens`: find what a group of students wrote whose mistake has no name yet."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from grader.class_report.data.lens_file import LENS_FILE
from grader.class_report.data.reading import read_class
from grader.cli import options
from grader.cli.completion import exercises
from grader.cli.faults import in_words
from grader.cli.handed_in_texts import HandedInTexts
from grader.course.course import Course, find_course, select
from grader.engine.engine import Options
from grader.engine.lanes import cores
from grader.files.writing import write_file
from grader.report.cleaning import encodable, without_commands
from grader.store.store import STORE_FILE, open_store
from grader.text.language import _, speak_of
from grader.validate.data import read_course
from grader.validate.lens.groups import unnamed_groups
from grader.validate.lens.proposal import NoProposal, Proposal, proposal
from grader.validate.lens.report import Examples, lens_json, lens_text
from grader.validate.lens.search import GroupMatch, matches, smallest_inputs


@click.command("lens")
@click.argument(
    "results", metavar="[RESULTS]", type=options.FOLDER, default=Path("results"), required=False
)
@click.option(
    "--exercise",
    "--only",
    "only",
    multiple=True,
    metavar="SLUG",
    shell_complete=exercises,
    help="Only groups in this exercise or assignment; may be repeated.",
)
@click.option(
    "--groups",
    "most_groups",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Explain at most so many groups, the biggest ones.",
)
@click.option(
    "--pairs",
    "most_pairs",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    metavar="N",
    help="Where no single edit fits a group, try so many pairs of edits.",
)
@click.option(
    "--from",
    "folder",
    type=options.CLASS,
    metavar="DIR",
    help="The submissions; else where they were when the class was graded last.",
)
@click.option(
    "--write",
    is_flag=True,
    help="Add an entry to mistakes.diff for each group explained; its words are left to you.",
)
@options.format_("text", "json")
@options.jobs("Lanes; else cores + 1.")
@options.isolation
@options.language()
@options.course
def command(**given: Any) -> int:
    """Find the edit that students made whose mistake has no name yet (for authors).

    RESULTS is what `grader batch` wrote; `results` if it is not named. Groups are students whose
    code computes the same wrong numbers. Known mistakes, every edit of the reference that a grammar
    of edits makes, and what a student of the group has in place of the reference's lines are graded
    until one computes the same. Exit codes: 0 each group is explained, 1 some are not, 2 a mistake
    in the command line or in the course.
    """
    return run(**given)


def run(
    results: Path,
    *,
    only: tuple[str, ...],
    most_groups: int,
    most_pairs: int,
    folder: Path | None = None,
    write: bool,
    format_: str,
    jobs: int | None,
    isolation: str | None,
    course_folder: Path | None = None,
) -> int:
    """Print what each group wrote; return the exit code."""
    with in_words():
        course = find_course(course_folder or Path.cwd())
        speak_of(course.root)
        data = read_class(results, course.rubric)
        groups = unnamed_groups(results, data, select(course.rubric, only) if only else ())[
            :most_groups
        ]
        settings = Options(workers=jobs or cores() + 1, isolation=isolation)
        with open_store(results / STORE_FILE) as store:
            texts = HandedInTexts(store, folder, results, course)
            every_match = matches(course, groups, settings, most_pairs, texts.of)
            explained = sorted(every_match, key=lambda one: groups.index(one.group))
        examples = smallest_inputs(course, explained, settings)
        report = lens_json(explained, examples)
        text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False)
        write_file(results / LENS_FILE, text + "\n")
        notes = _written(course, explained, examples) if write else []
    shown = text if format_ == "json" else lens_text(explained, examples)
    click.echo(encodable(without_commands(shown), sys.stdout.encoding or "utf-8"))
    for line in notes:
        click.echo(line, err=format_ == "json")
    return 0 if all(match.edits for match in explained) else 1


def _written(course: Course, all_matches: Sequence[GroupMatch], examples: Examples) -> list[str]:
    """Add an entry for each match to the bank; return what was done, a line each."""
    data = read_course(course)
    taken = {each.entry.id for each in data.edited}
    notes = []
    for match in all_matches:
        if not match.edits:
            continue
        example = examples.get(match.edits[0].id)
        try:
            entry = proposal(course, match, data.references, taken, example)
        except NoProposal as none:
            why = _("{slug}: no entry is written: {why}", slug=match.group.slug, why=str(none))
            notes.append(why)
            continue
        taken.add(entry.id)
        notes.append(_append(course, entry))
    return notes


def _append(course: Course, entry: Proposal) -> str:
    text = entry.path.read_text(encoding="utf-8").rstrip("\n")
    write_file(entry.path, f"{text}\n\n{entry.text}")
    return _(
        "{file}: {id} is added. next: write its cause, then: grader validate --only {slug} --write",
        file=course.paths.shown(entry.path),
        id=entry.id,
        slug=entry.slug,
    )
