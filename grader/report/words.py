"""What every format says of a check and of a submission, in the same words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from grader.evidence import Cause, Observation
from grader.report.cleaning import one_line, printable
from grader.report.content import Report
from grader.report.next_step import next_step
from grader.report.points import shown
from grader.written.answers import WrittenAnswer


def facts(seen: Observation, where: str | None = None) -> list[tuple[str, str]]:
    """Label and words: observed, expected, likely cause, where; only those there are.

    `where` is the place as the reader finds it; without one, it is as in the submission.
    """
    place = str(seen.where) if where is None and seen.where is not None else where
    found = {
        "observed": seen.observed,
        "expected": seen.expected,
        _label(seen.cause): _cause(seen.cause),
        "or": "\n".join(cause.text for cause in seen.also),
        "likely at" if seen.where is not None and seen.where.likely else "where": place,
    }
    return [(label, printable(words).strip("\n")) for label, words in found.items() if words]


def noted(report: Report) -> Iterator[str]:
    """The notes on the submission as a whole, a line each."""
    for note in report.notes:
        place = f"{note.where}  " if note.where is not None else ""
        yield f"{note.kind}: {one_line(f'{place}{note.text}')}"


def total(report: Report) -> str:
    """The points; where a person grades as well, whose they are."""
    grade = report.grade
    automatic = f"{shown(grade.points)} / {shown(grade.max_points)} points"
    if not report.written:
        return automatic
    return f"{automatic} automatic, and up to {shown(report.written_points)} more by a person"


def state(answer: WrittenAnswer) -> str:
    """Whether there is an answer, which is all that is said of it."""
    if not answer.text:
        return "empty"
    words = f"answered, {answer.words} word{'' if answer.words == 1 else 's'}"
    places = len(answer.places)
    return f"{words} in {places} places, all of which count" if places > 1 else words


def next_in_submission(report: Report) -> str:
    """The next step with its path as in the submission, wherever that lies on this machine."""
    here = replace(report, submission=replace(report.submission, path=""))
    return one_line(next_step(here, Path("/")))


def _label(cause: Cause | None) -> str:
    return "seen" if cause is not None and cause.is_observation else "likely cause"


def _cause(cause: Cause | None) -> str:
    if cause is None or cause.is_observation:
        return "" if cause is None else cause.text
    return f"{cause.text} (gives your numbers on {cause.fits} of {cause.of} probes)"
