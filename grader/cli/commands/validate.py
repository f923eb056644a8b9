"""`grader validate`: prove that a course's suites miss nothing and wrong nobody (for authors)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from grader.cli import options
from grader.cli.completion import exercises
from grader.cli.faults import in_words
from grader.course.course import find_course, select
from grader.engine.engine import Options
from grader.engine.lanes import cores
from grader.report.cleaning import encodable
from grader.text.typed import here
from grader.validate.diagnosis import Diagnosed, diagnose
from grader.validate.diagnosis_report import diagnosis_json, diagnosis_text
from grader.validate.proof import prove
from grader.validate.report import json_report, text_report
from grader.validate.survivors import MutantSurvey, survey_mutants
from grader.validate.survivors_report import survey_json, survey_text


@click.command("validate")
@click.option(
    "--exercise",
    "--only",
    "only",
    multiple=True,
    metavar="SLUG",
    shell_complete=exercises,
    help="Only this exercise or assignment, such as a1.sums or a1; may be repeated.",
)
@options.format_("text", "json")
@click.option(
    "--write",
    is_flag=True,
    help="Write each kill_record.json anew: who fails which check is then as it should be.",
)
@click.option(
    "--diagnosis",
    is_flag=True,
    help="Instead: is every known mistake named, alone and beside another, and nobody wronged?",
)
@click.option(
    "--mutants",
    is_flag=True,
    help="Instead: does a check notice every edit of the reference that a grammar of edits makes?",
)
@options.jobs("Lanes; else cores + 1.")
@options.spawn
@options.isolation
@options.course_to_edit
def command(**given: Any) -> int:
    """Prove the suites on the reference, known mistakes and right ways (for authors).

    Grades the reference, its stub, every misconception and variant of reference/, and answers
    that know nothing. Shows who fails what, which mistakes are covered, what was not checked, and
    every gap with its file, line and next step. Exit codes: 0 no gaps, 1 gaps, 2 the course has
    an error, 3 something could not be checked.
    """
    return run(**given)


def run(
    *,
    only: tuple[str, ...],
    format_: str,
    write: bool,
    diagnosis: bool,
    mutants: bool,
    jobs: int | None,
    spawn: bool,
    isolation: str | None,
    course_folder: Path | None,
) -> int:
    """Print what is proven and every gap; return the exit code."""
    if write and (diagnosis or mutants):
        raise click.UsageError("--diagnosis and --mutants write nothing; run --write by itself")
    with in_words():
        course = find_course(course_folder or Path.cwd())
        # A judge and its worker take turns: one lane more than cores leaves none of these idle.
        options = Options(workers=jobs or cores() + 1, spawn=spawn, isolation=isolation)
        chosen = select(course.rubric, only)
        if diagnosis:
            return _diagnosis(diagnose(course, chosen, options), format_)
        if mutants:
            return _mutants(survey_mutants(course, chosen, options), format_)
        proof = prove(course, chosen, options, write)
    if format_ == "json":
        click.echo(json.dumps(json_report(proof), indent=2, allow_nan=False))
    else:
        click.echo(
            encodable(text_report(proof, here(course_folder)), sys.stdout.encoding or "utf-8")
        )
    return proof.exit_code


def _diagnosis(diagnosed: Diagnosed, format_: str) -> int:
    if format_ == "json":
        click.echo(json.dumps(diagnosis_json(diagnosed), indent=2, allow_nan=False))
    else:
        click.echo(encodable(diagnosis_text(diagnosed), sys.stdout.encoding or "utf-8"))
    return 1 if diagnosed.failures else 0


def _mutants(survey: MutantSurvey, format_: str) -> int:
    if format_ == "json":
        click.echo(json.dumps(survey_json(survey), indent=2, allow_nan=False))
    else:
        click.echo(encodable(survey_text(survey), sys.stdout.encoding or "utf-8"))
    return 1 if survey.gaps else 0
