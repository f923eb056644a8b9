"""Render a report as Markdown for GitHub: for a step summary, a comment or a file.

All text that a student had a hand in stands in a code span or in `<pre>`, where neither HTML nor
Markdown nor a mention means anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.grade.evidence import Observation, Outcome
from grader.report.cleaning import one_line, without_commands
from grader.report.content import ExerciseReport, Report
from grader.report.findings import Findings, findings, tally, waits
from grader.report.fragments import block, cells, html, plain, span, table
from grader.report.later import later, later_in_all
from grader.report.marks import UNICODE, criterion_outcome, remark
from grader.report.right_so_far import heading, right_sentences, right_so_far
from grader.report.small_example import (
    arithmetic,
    code,
    example_of,
    pasted_as,
    title,
    why_none,
)
from grader.report.words import facts, next_in_submission, noted, state, total, up_to
from grader.text.language import _
from grader.text.points import shown

LIMIT_BYTES = 1 << 20
"""The limit for a step summary: GitHub refuses a longer one as a whole."""
_NOTES_MAX = 50
_SHORT = 300


def rendered(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown, with a line break at its end.

    If it would be too long for a step summary with all details, the folded ones are left out.
    """
    for with_details in (True, False):
        text = without_commands("\n\n".join(_blocks(report, with_details)) + "\n")
        if len(text.encode()) < LIMIT_BYTES:
            break
    return text


def _blocks(report: Report, with_details: bool) -> Iterator[str]:
    grade = report.grade
    yield f"## {plain(report.course)}: {total(report)}"
    if unknown := grade.unchecked_points - grade.later_points:
        yield _("{points} points could not be checked: not your mistake.", points=shown(unknown))
    if grade.later_points:
        yield f"{later_in_all(grade)}."
    if grade.complete:
        yield _("Every check passed.")
    else:
        yield _bold(_("Next:"), span(next_in_submission(report)))
    problems = list(noted(report, problems=True))
    if problems:
        yield from _listed(problems)
    yield table(
        (_("Exercise"), _("Points"), _("To mend")),
        (
            (span(part.exercise.slug), _points(part), _to_mend(report, part))
            for part in report.exercises
        ),
    )
    for part in report.exercises:
        yield from _exercise(part, with_details)
    if report.written:
        yield "### " + _("Written answers, graded by a person")
        yield table(
            (_("Question"), _("Points"), _("Found")),
            ((span(a.item.slug), up_to(a.item.points), plain(state(a))) for a in report.written),
        )
    others = list(noted(report, problems=False))
    if others:
        yield "### " + _("Notes")
        yield from _listed(others)
    yield _(
        "Submission {id}, digest {digest}, isolation {tier}.",
        id=span(report.submission.id),
        digest=span(report.submission.digest[:12]),
        tier=span(report.tier),
    )


def _exercise(part: ExerciseReport, with_details: bool) -> Iterator[str]:
    groups = findings(part)
    if not groups or part.is_untouched:
        return
    exercise = span(part.exercise.slug)
    yield "### " + _("{exercise}: {points} points", exercise=exercise, points=_points(part))
    yield _criteria(part)
    if waiting := later(part.grade):
        yield f"{waiting}."
    if groups.first is not None:
        yield _bold(_("First:"), _title(groups.first))
        yield _facts(facts(groups.first))
    example = example_of(part.observations)
    if example is not None:
        yield _bold(f"{title()}:", span(example.call))
        yield "\n".join(f"- {plain(sentence)}" for sentence in arithmetic(example))
        yield pasted_as()
        yield block(code(example))
    elif sentence := why_none(part.observations):
        yield f"{sentence}."
    if (right := right_so_far(part.observations)) is not None:
        yield _bold(f"{heading()}:", plain(" ".join(right_sentences(right))))
    if with_details:
        yield from _rest(part, groups)


def _bold(label: str, words: str) -> str:
    return f"**{label}** {words}"


def _criteria(part: ExerciseReport) -> str:
    return table(
        (_("Criterion"), _("Points"), _("Checks passed")),
        (
            (
                f"{UNICODE.outcome[criterion_outcome(one)]} {plain(one.criterion)}",
                f"{'?' if one.points is None else shown(one.points)} / {shown(one.max_points)}",
                _("{passed} of {all}", passed=one.passed, all=one.checks),
            )
            for one in part.grade.here
        ),
    )


def _rest(part: ExerciseReport, groups: Findings) -> Iterator[str]:
    """Fold away every other check that did not pass."""
    rest = [
        seen
        for seen in part.observations
        if seen is not groups.first and seen.outcome not in (Outcome.PASSED, Outcome.BLOCKED)
    ]
    lines = [f"- {_title(seen)}\n\n{_indented(_in_short(seen))}" for seen in rest]
    lines += [
        f"- {UNICODE.outcome[Outcome.BLOCKED]} {plain(waits(group))}" for group in groups.waiting
    ]
    if not lines:
        return
    summary = tally([*groups.echoes, *groups.others]) if rest else _("waiting")
    yield f"<details>\n<summary>{html(summary)}</summary>"
    yield from lines
    yield "</details>"


def _in_short(seen: Observation) -> str:
    return _facts((label, one_line(words, _SHORT)) for label, words in facts(seen))


def _facts(labelled: Iterable[tuple[str, str]]) -> str:
    """Put words beside their labels, in a block."""
    pairs = list(labelled)
    width = max((cells(label) for label, _words in pairs), default=0)
    under = "\n" + " " * (width + 2)
    return block(
        f"{label}{' ' * (width - cells(label))}  {words.replace(chr(10), under)}"
        for label, words in pairs
    )


def _title(seen: Observation) -> str:
    remarks = ", ".join(filter(None, (seen.criterion, remark(seen.outcome))))
    return f"{UNICODE.outcome[seen.outcome]} {plain(seen.title)} *({plain(remarks)})*"


def _points(part: ExerciseReport) -> str:
    earned = "?" if part.is_unknown else shown(part.grade.points)
    return f"{earned} / {shown(part.grade.max_points)}"


def _to_mend(report: Report, part: ExerciseReport) -> str:
    if part.is_untouched:
        return plain(report.idle_because(part))
    short = (one for one in part.grade.here if criterion_outcome(one) is not Outcome.PASSED)
    return plain(", ".join(one.criterion for one in short))


def _listed(lines: list[str]) -> Iterator[str]:
    cut = len(lines) - _NOTES_MAX
    more = [_("and {count} more", count=cut)] if cut > 0 else []
    yield block(one_line(line, _SHORT) for line in [*lines[:_NOTES_MAX], *more])


def _indented(text: str) -> str:
    """Indent a text as part of a list item."""
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))
