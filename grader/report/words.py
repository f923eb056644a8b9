"""Words for a check and for a submission that all formats share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from grader.grade.evidence import Cause, Note, Observation
from grader.report.cleaning import one_line, printable
from grader.report.content import Report
from grader.report.next_step import next_step
from grader.submission.written_answers import WrittenAnswer
from grader.text.language import _, ngettext
from grader.text.points import shown
from grader.text.typed import PLAIN


def facts(seen: Observation, where: str | None = None) -> list[tuple[str, str]]:
    """Return label and words of each fact there is: observed, expected, likely cause, where.

    `where` is the place as the reader finds it; without one, it is as in the submission.
    """
    place = str(seen.where) if where is None and seen.where is not None else where
    texts = {
        _("observed"): seen.observed,
        _("expected"): seen.expected,
        _label(seen.cause): _cause(seen.cause),
        _("and"): "\n".join(_further_causes(seen, beside=True)),
        _("or"): "\n".join(_further_causes(seen, beside=False)),
        _place_label(seen): place,
    }
    return [(label, printable(words).strip("\n")) for label, words in texts.items() if words]


def _further_causes(seen: Observation, *, beside: bool) -> Iterator[str]:
    """Yield the words of further causes, each once: several mistakes may be told in the same.

    `beside`: of those that hold together with the first, or of those that may hold in its place.
    """
    further = [cause for cause in seen.also if cause.is_beside is beside]
    texts = dict.fromkeys(cause.text for cause in further if not cause.is_kept_back)
    yield from (text for text in texts if seen.cause is None or text != seen.cause.text)


def noted(report: Report, *, problems: bool | None = None) -> Iterator[str]:
    """Yield the notes on the whole submission, a line each: all, only problems, or only others."""
    for note in report.notes:
        if problems is None or problems == (note.kind == "problem"):
            place = f"{note.where}  " if note.where is not None else ""
            yield f"{kind_of(note)}: {one_line(f'{place}{note.text}')}"


def kind_of(note: Note) -> str:
    """Return the kind of a note in a word."""
    return _("problem") if note.kind == "problem" else _("note")


def total(report: Report) -> str:
    """Say the points; if a person grades as well, say which points are automatic."""
    grade = report.grade
    points, most = shown(report.points), shown(grade.max_points)
    if not report.written:
        return _("{points} / {most} points", points=points, most=most)
    return _(
        "{points} / {most} points automatic, and up to {more} more by a person",
        points=points,
        most=most,
        more=shown(report.written_points),
    )


def up_to(points: Fraction) -> str:
    """Say how many points a person may give."""
    return _("up to {points}", points=shown(points))


def state(answer: WrittenAnswer) -> str:
    """Say how many words and places an answer has, or that it is empty; never quote it."""
    if not answer.text:
        return _("empty")
    words = ngettext("answered, 1 word", "answered, {count} words", answer.words)
    places = len(answer.places)
    if places < 2:
        return words
    return _("{answered} in {places} places, all of which count", answered=words, places=places)


def next_in_submission(report: Report) -> str:
    """Return the next step with the file's path inside the submission, wherever that lies here."""
    submission = replace(report.submission, path="")
    here = replace(report, submission=submission, typed=PLAIN)
    return one_line(next_step(here, Path("/")))


def _label(cause: Cause | None) -> str:
    if cause is not None and cause.is_observation:
        return _("seen")
    return _("likely cause")


def _place_label(seen: Observation) -> str:
    return _("likely at") if seen.where is not None and seen.where.likely else _("where")


def _cause(cause: Cause | None) -> str:
    if cause is None or cause.is_observation:
        return "" if cause is None else cause.text
    if cause.is_kept_back:
        return _(
            "known. Look for it yourself first, with the hints. To read it: grader check --causes, "
            "or in a notebook grader.check(…, causes=True)"
        )
    return with_fit(cause)


def with_fit(cause: Cause) -> str:
    """Say a mistake, and on how many probes it gives the student's numbers.

    Of what one check proves by itself there is nothing to count.
    """
    if cause.of == 1:
        return cause.text
    return _(
        "{cause} (gives your numbers on {fits} of {of} probes)",
        cause=cause.text,
        fits=cause.fits,
        of=cause.of,
    )
