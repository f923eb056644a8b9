"""`grader validate`: prove that a course's suites miss nothing and wrong nobody (for authors)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from grader.commands.faults import in_words
from grader.course import find_course, select
from grader.engine import Options
from grader.processes import cores
from grader.report.cleaning import encodable
from grader.validate.diagnosis import Diagnosed, diagnose
from grader.validate.diagnosis_report import diagnosis_json, diagnosis_text
from grader.validate.proof import prove
from grader.validate.report import json_report, text_report


def run(
    *,
    only: tuple[str, ...],
    format_: str,
    write: bool,
    diagnosis: bool,
    jobs: int | None,
    spawn: bool,
    isolation: str | None,
    course_folder: Path | None,
) -> int:
    """Prints what is proven and every gap; returns the exit code."""
    with in_words():
        course = find_course(course_folder or Path.cwd())
        # A judge and its worker take turns: one lane more than cores leaves none of these idle.
        options = Options(workers=jobs or cores() + 1, spawn=spawn, isolation=isolation)
        chosen = select(course.rubric, only)
        if diagnosis:
            return _diagnosis(diagnose(course, chosen, options), format_)
        proof = prove(course, chosen, options, write)
    if format_ == "json":
        click.echo(json.dumps(json_report(proof), indent=2, allow_nan=False))
    else:
        click.echo(encodable(text_report(proof), sys.stdout.encoding or "utf-8"))
    return proof.exit_code


def _diagnosis(found: Diagnosed, format_: str) -> int:
    if format_ == "json":
        click.echo(json.dumps(diagnosis_json(found), indent=2, allow_nan=False))
    else:
        click.echo(encodable(diagnosis_text(found), sys.stdout.encoding or "utf-8"))
    return 1 if found.failures else 0
