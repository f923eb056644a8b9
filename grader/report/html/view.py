"""Arrange the content of a page, before any markup."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from grader import __version__
from grader.grade.evidence import Note, Observation, Outcome
from grader.grade.score import CriterionGrade
from grader.report.beside import lines
from grader.report.cleaning import one_line
from grader.report.content import ExerciseReport, PersonMark, Report
from grader.report.counted_hand_in import sentences
from grader.report.findings import Findings, findings, tally, waits
from grader.report.html.excerpt import Excerpt, excerpts
from grader.report.html.finding import STATES, FindingCard, Sign, finding, hints_name, sign_of
from grader.report.html.small_grid import SmallExample, small_example
from grader.report.later import later, later_in_all
from grader.report.marks import criterion_outcome
from grader.report.right_so_far import heading, right_sentences, right_so_far
from grader.report.small_example import why_none
from grader.report.words import next_in_submission, state, total
from grader.submission.written_answers import WrittenAnswer
from grader.text.language import _, language_in_use, ngettext
from grader.text.points import shown

LIMIT_NOTES = 50
_NOTE = 300


@dataclass(frozen=True)
class CriterionRow:
    """A criterion with its points."""

    sign: Sign
    state: str
    name: str
    points: str
    checks: str


@dataclass(frozen=True)
class ExerciseEntry:
    """An exercise in the list of all exercises."""

    slug: str
    points: str
    share: int
    """Percent of the points that can be earned here, rounded down."""
    state: str
    remark: str
    has_part: bool


@dataclass(frozen=True)
class Part:
    """The details of an exercise that has findings or notes."""

    slug: str
    points: str
    caption: str
    rows: tuple[CriterionRow, ...]
    later: str
    first: FindingCard | None
    also: str
    """The other checks that fail for the same likely cause, counted in words."""
    example: SmallExample | None
    """The smallest input on which the exercise is wrong, if one is known."""
    right_title: str
    right: tuple[str, ...]
    """The lines that are right where the answer is wrong, in words; empty if none is known."""
    others: tuple[FindingCard, ...]
    waiting: tuple[str, ...]
    wait: Sign
    notes: tuple[str, ...]
    code: tuple[Excerpt, ...]


@dataclass(frozen=True)
class WrittenRow:
    slug: str
    points: str
    state: str
    comments: tuple[str, ...] = ()
    """What the person who gave the points says to it, in lines."""


@dataclass(frozen=True)
class PageContent:
    """The content of the whole page."""

    language: str
    course: str
    student: str
    points: str
    most: str
    share: int
    by_person: str
    counted: tuple[str, ...]
    """A sentence on which of several hand-ins this is."""
    beside: tuple[str, ...]
    """What the checks earned and each adjustment, a line each; empty if there is none."""
    unchecked: str
    later: str
    next: str
    is_complete: bool
    problems: tuple[str, ...]
    groups: tuple[tuple[str, tuple[ExerciseEntry, ...]], ...]
    """Assignments, each with its exercises."""
    parts: tuple[Part, ...]
    answers: tuple[WrittenRow, ...]
    notes: tuple[str, ...]
    ending: tuple[tuple[str, str], ...]


def view(report: Report) -> PageContent:
    """Arrange a report as a page."""
    grade = report.grade
    problems = [_line(note) for note in report.notes if note.kind == "problem"]
    others = [_line(note) for note in report.notes if note.kind != "problem"]
    parts = tuple(_part(report, part) for part in report.exercises if _has_details(part))
    return PageContent(
        language=language_in_use(),
        course=report.course,
        student=report.submission.id,
        points=shown(report.points),
        most=shown(grade.max_points),
        share=_share(report.points, grade.max_points - grade.later_points),
        by_person=_by_person(report),
        counted=sentences(report.counted),
        beside=lines(grade.points, report.beside),
        unchecked=_unchecked(grade.unchecked_points - grade.later_points),
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
            *_how_to_appeal(report),
        ),
    )


def _how_to_appeal(report: Report) -> Iterator[tuple[str, str]]:
    """Yield how to say that a check is wrong, if a class was graded and something was lost."""
    lost = (
        f"{part.exercise.slug}/{grade.criterion}"
        for part in report.exercises
        for grade in part.grade.criteria
        if grade.points is not None and grade.points < grade.max_points
    )
    check = next(lost, None) if report.can_appeal else None
    if check is not None:
        how = _(
            "Send those who grade a text file with three lines: “student: {student}”, “check: "
            "{check}” or another one, and “claim: ” with your reason. Your code is then run again.",
            # Quoted as YAML does it: an id may look like a number.
            student=json.dumps(report.submission.id, ensure_ascii=False),
            check=check,
        )
        yield _("if a check is wrong"), how


def summary(report: Report) -> str:
    """Return the points in a line, for the title of a page."""
    return f"{report.course}: {total(report)}"


def _line(note: Note) -> str:
    return note.text if note.where is None else f"{note.where}  {note.text}"


def _by_person(report: Report) -> str:
    if not report.written:
        return ""
    most, marks = shown(report.written_points), report.person_marks
    if not all(answer.item.slug in marks for answer in report.written):
        return _("automatic, and up to {points} more by a person", points=most)
    given = (marks[answer.item.slug].points for answer in report.written)
    points = shown(sum(given, Fraction(0)))
    return _("automatic, and {points} of {most} by a person", points=points, most=most)


def _unchecked(points: Fraction) -> str:
    if not points:
        return ""
    return _(
        "{points} points could not be checked: that is not your mistake.", points=shown(points)
    )


def _share(points: Fraction, most: Fraction) -> int:
    # Rounded down, so that only full points fill it.
    return max(0, min(100, int(100 * points / most))) if most else 0


def _has_details(part: ExerciseReport) -> bool:
    return not part.is_untouched and (bool(findings(part)) or bool(_notes(part)))


def _notes(part: ExerciseReport) -> tuple[str, ...]:
    # The notes of a blocked check are its echo of the prerequisite's failure.
    unblocked = (seen for seen in part.observations if seen.outcome is not Outcome.BLOCKED)
    notes = [one_line(note) for seen in unblocked for note in seen.notes]
    return tuple(dict.fromkeys(filter(None, [*notes, why_none(part.observations)])))


def _groups(report: Report) -> tuple[tuple[str, tuple[ExerciseEntry, ...]], ...]:
    groups: dict[str, list[ExerciseEntry]] = {}
    for part in report.exercises:
        groups.setdefault(part.exercise.assignment, []).append(_entry(report, part))
    return tuple((name, tuple(entries)) for name, entries in groups.items())


def _entry(report: Report, part: ExerciseReport) -> ExerciseEntry:
    earned, most = part.grade.points, part.grade.max_points - part.grade.later_points
    remark, kind = "", "bad"
    if part.is_untouched:
        remark, kind = report.idle_because(part), "idle"
    elif part.is_unknown:
        remark, kind = _("could not be checked"), "unknown"
    elif earned == most:
        kind = "good"
    return ExerciseEntry(
        slug=part.exercise.slug,
        points=_points(part),
        share=_share(earned, most),
        state=kind,
        remark=remark,
        has_part=_has_details(part),
    )


def _part(report: Report, part: ExerciseReport) -> Part:
    groups = findings(part)
    right = right_so_far(part.observations)
    failing = [seen for seen in part.observations if STATES[seen.outcome] == "bad"]
    return Part(
        slug=part.exercise.slug,
        points=_points(part),
        caption=_("Criteria of {slug}", slug=part.exercise.slug),
        rows=tuple(map(_row, part.grade.here)) if groups else (),
        later=later(part.grade),
        first=None if groups.first is None else finding(report, groups.first),
        also=tally(groups.echoes) if groups.echoes else "",
        example=small_example(part.observations),
        right_title=heading(),
        right=() if right is None else tuple(right_sentences(right)),
        others=_others(report, groups),
        waiting=tuple(waits(group) for group in groups.waiting),
        wait=sign_of(Outcome.BLOCKED),
        notes=_notes(part),
        code=excerpts(report.submission.files, _first_first(groups.first, failing)),
    )


def _others(report: Report, groups: Findings) -> tuple[FindingCard, ...]:
    known = set() if groups.first is None else {hints_name(report, groups.first)}
    others = []
    for group in groups.others:
        name = hints_name(report, group.seen)
        others.append(finding(report, group.seen, group.count, with_hints=name not in known))
        known.add(name)
    return tuple(others)


def _first_first(first: Observation | None, seen: Iterable[Observation]) -> list[Observation]:
    """Put the check to mend first in front: its words come first beside a line, too."""
    return sorted(seen, key=lambda one: one is not first)


def _row(one: CriterionGrade) -> CriterionRow:
    outcome = criterion_outcome(one)
    return CriterionRow(
        sign=sign_of(outcome),
        state=STATES[outcome],
        name=one.criterion,
        points=f"{'?' if one.points is None else shown(one.points)} / {shown(one.max_points)}",
        checks=_("{passed} of {count}", passed=one.passed, count=one.checks),
    )


def _points(part: ExerciseReport) -> str:
    earned = "?" if part.is_unknown else shown(part.grade.points)
    return f"{earned} / {shown(part.grade.max_points)}"


def _answers(report: Report) -> tuple[WrittenRow, ...]:
    return tuple(
        _written_row(one, report.person_marks.get(one.item.slug)) for one in report.written
    )


def _written_row(answer: WrittenAnswer, mark: PersonMark | None) -> WrittenRow:
    most = shown(answer.item.points)
    if mark is None:
        return WrittenRow(answer.item.slug, _("up to {points}", points=most), state(answer))
    points = f"{shown(mark.points)} / {most}"
    comments = tuple(map(one_line, filter(None, (*mark.remarks, mark.comment))))
    return WrittenRow(answer.item.slug, points, state(answer), comments)


def _few(lines: list[str]) -> tuple[str, ...]:
    more = len(lines) - LIMIT_NOTES
    first = [one_line(line, _NOTE) for line in lines[:LIMIT_NOTES]]
    rest = ngettext("and {count} more", "and {count} more", more)
    return (*first, rest) if more > 0 else tuple(first)
