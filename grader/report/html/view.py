"""What a page shows, in order, before any markup."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from grader import __version__
from grader.evidence import Note, Observation, Outcome
from grader.language import _, language_in_use, ngettext
from grader.report.cleaning import one_line
from grader.report.content import ExerciseReport, Report
from grader.report.findings import Findings, findings, tally, waits
from grader.report.html.excerpt import Excerpt, excerpts
from grader.report.html.finding import STATES, Finding, Sign, finding, hints_name, sign_of
from grader.report.later import later, later_in_all
from grader.report.marks import criterion_outcome
from grader.report.points import shown
from grader.report.words import next_in_submission, state, total
from grader.score import CriterionGrade

LIMIT_NOTES = 50
_NOTE = 300


@dataclass(frozen=True)
class Row:
    """A criterion with its points."""

    sign: Sign
    state: str
    name: str
    points: str
    checks: str


@dataclass(frozen=True)
class Entry:
    """An exercise in the list of all."""

    slug: str
    points: str
    share: int
    """Of 100."""
    state: str
    remark: str
    has_part: bool


@dataclass(frozen=True)
class Part:
    """An exercise of which there is something to say."""

    slug: str
    points: str
    rows: tuple[Row, ...]
    later: str
    first: Finding | None
    also: str
    """In which other checks the first finding shows, in words."""
    others: tuple[Finding, ...]
    waiting: tuple[str, ...]
    wait: Sign
    notes: tuple[str, ...]
    code: tuple[Excerpt, ...]


@dataclass(frozen=True)
class Answer:
    slug: str
    points: str
    found: str


@dataclass(frozen=True)
class View:
    """The whole page."""

    language: str
    course: str
    student: str
    points: str
    most: str
    share: int
    by_person: str
    unchecked: str
    later: str
    next: str
    is_complete: bool
    problems: tuple[str, ...]
    groups: tuple[tuple[str, tuple[Entry, ...]], ...]
    """Assignments, each with its exercises."""
    parts: tuple[Part, ...]
    answers: tuple[Answer, ...]
    notes: tuple[str, ...]
    ending: tuple[tuple[str, str], ...]


def view(report: Report) -> View:
    """A report as what is to be seen of it."""
    grade = report.grade
    problems = [_line(note) for note in report.notes if note.kind == "problem"]
    others = [_line(note) for note in report.notes if note.kind != "problem"]
    parts = tuple(_part(report, part) for part in report.exercises if _is_told(part))
    unknown = grade.unchecked_points - grade.later_points
    unchecked = _("{points} points could not be checked: that is not your mistake.")
    return View(
        language=language_in_use(),
        course=report.course,
        student=report.submission.id,
        points=shown(grade.points),
        most=shown(grade.max_points),
        share=_share(grade.points, grade.max_points - grade.later_points),
        by_person=_by_person(report),
        unchecked=unchecked.format(points=shown(unknown)) if unknown else "",
        later=f"{later_in_all(grade)}." if grade.later_points else "",
        next=next_in_submission(report),
        is_complete=grade.complete or grade.complete_here,
        problems=_few(problems),
        groups=_groups(report),
        parts=parts,
        answers=_answers(report),
        notes=_few(others),
        ending=(
            (_("submission"), report.submission.id),
            (_("digest"), report.submission.digest[:12]),
            (_("isolation"), report.tier),
            (_("grader"), __version__),
        ),
    )


def summary(report: Report) -> str:
    """The points in a line, for the title of a page."""
    return f"{report.course}: {total(report)}"


def _line(note: Note) -> str:
    return note.text if note.where is None else f"{note.where}  {note.text}"


def _by_person(report: Report) -> str:
    if not report.written:
        return ""
    words = _("automatic, and up to {points} more by a person")
    return words.format(points=shown(report.written_points))


def _share(points: Fraction, most: Fraction) -> int:
    # Rounded down, so that only full points fill it.
    return int(100 * points / most) if most else 0


def _is_told(part: ExerciseReport) -> bool:
    return not part.is_untouched and (bool(findings(part)) or bool(_notes(part)))


def _notes(part: ExerciseReport) -> tuple[str, ...]:
    # The notes of a blocked check are its echo of the prerequisite's failure.
    told = (seen for seen in part.observations if seen.outcome is not Outcome.BLOCKED)
    return tuple(dict.fromkeys(one_line(note) for seen in told for note in seen.notes))


def _groups(report: Report) -> tuple[tuple[str, tuple[Entry, ...]], ...]:
    groups: dict[str, list[Entry]] = {}
    for part in report.exercises:
        groups.setdefault(part.exercise.assignment, []).append(_entry(report, part))
    return tuple((name, tuple(entries)) for name, entries in groups.items())


def _entry(report: Report, part: ExerciseReport) -> Entry:
    earned, most = part.grade.points, part.grade.max_points - part.grade.later_points
    remark, found = "", "bad"
    if part.is_untouched:
        remark, found = report.idle_because(part), "idle"
    elif part.is_unknown:
        remark, found = _("could not be checked"), "unknown"
    elif earned == most:
        found = "good"
    return Entry(
        slug=part.exercise.slug,
        points=_points(part),
        share=_share(earned, most),
        state=found,
        remark=remark,
        has_part=_is_told(part),
    )


def _part(report: Report, part: ExerciseReport) -> Part:
    found = findings(part)
    failing = [seen for seen in part.observations if STATES[seen.outcome] == "bad"]
    return Part(
        slug=part.exercise.slug,
        points=_points(part),
        rows=tuple(map(_row, part.grade.here)) if found else (),
        later=later(part.grade),
        first=None if found.first is None else finding(report, found.first),
        also=tally(found.echoes) if found.echoes else "",
        others=_others(report, found),
        waiting=tuple(waits(group) for group in found.waiting),
        wait=sign_of(Outcome.BLOCKED),
        notes=_notes(part),
        code=excerpts(report.submission.files, _first_first(found.first, failing)),
    )


def _others(report: Report, found: Findings) -> tuple[Finding, ...]:
    known = set() if found.first is None else {hints_name(report, found.first)}
    others = []
    for group in found.others:
        name = hints_name(report, group.seen)
        others.append(finding(report, group.seen, group.count, with_hints=name not in known))
        known.add(name)
    return tuple(others)


def _first_first(first: Observation | None, seen: Iterable[Observation]) -> list[Observation]:
    """What is to be mended first in front: its words come first beside a line, too."""
    return sorted(seen, key=lambda one: one is not first)


def _row(one: CriterionGrade) -> Row:
    outcome = criterion_outcome(one)
    return Row(
        sign=sign_of(outcome),
        state=STATES[outcome],
        name=one.criterion,
        points=f"{'?' if one.points is None else shown(one.points)} / {shown(one.max_points)}",
        checks=_("{passed} of {count}", passed=one.passed, count=one.checks),
    )


def _points(part: ExerciseReport) -> str:
    earned = "?" if part.is_unknown else shown(part.grade.points)
    return f"{earned} / {shown(part.grade.max_points)}"


def _answers(report: Report) -> tuple[Answer, ...]:
    words = _("up to {points}")
    return tuple(
        Answer(one.item.slug, words.format(points=shown(one.item.points)), state(one))
        for one in report.written
    )


def _few(lines: list[str]) -> tuple[str, ...]:
    more = len(lines) - LIMIT_NOTES
    said = [one_line(line, _NOTE) for line in lines[:LIMIT_NOTES]]
    rest = ngettext("and {count} more", "and {count} more", more)
    return (*said, rest) if more > 0 else tuple(said)
