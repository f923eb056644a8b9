"""A report as Markdown the way GitHub renders it, for a step summary, a comment or a file.

Everything that a student had a hand in stands in a code span or a fenced block, where neither
HTML nor Markdown nor a mention means anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from grader.evidence import Observation, Outcome
from grader.report.cleaning import one_line, without_commands
from grader.report.content import ExerciseReport, Report
from grader.report.findings import Findings, findings, tally, waits
from grader.report.marks import REMARKS, UNICODE, criterion_outcome
from grader.report.points import shown
from grader.report.words import facts, next_in_submission, noted

LIMIT_BYTES = 1 << 20
"""A step summary above this is refused whole."""
_NOTES_MAX = 50
_SHORT = 300
# Inside a line; no text of ours begins one.
_MARKUP = re.compile(r"([\\`*_\[\]~$])")


def rendered(report: Report) -> str:
    """The report as GitHub-flavoured Markdown, with a line break at its end.

    Where all details together would be too much for a step summary, the folded ones are left out.
    """
    for with_details in (True, False):
        text = without_commands("\n\n".join(_blocks(report, with_details)) + "\n")
        if len(text.encode()) < LIMIT_BYTES:
            break
    return text


def _blocks(report: Report, with_details: bool) -> Iterator[str]:
    grade = report.grade
    yield f"## {_plain(report.course)}: {shown(grade.points)} / {shown(grade.max_points)} points"
    if grade.unchecked_points:
        yield f"{shown(grade.unchecked_points)} points could not be checked: not your mistake."
    if grade.complete:
        yield "Every check passed."
    else:
        yield f"**Next:** {_span(next_in_submission(report))}"
    problems = [line for line in noted(report) if line.startswith("problem:")]
    if problems:
        yield from _listed(problems)
    yield _table(
        ("Exercise", "Points", "To mend"),
        (
            (_span(part.exercise.slug), _points(part), _to_mend(report, part))
            for part in report.exercises
        ),
    )
    for part in report.exercises:
        yield from _exercise(part, with_details)
    others = [line for line in noted(report) if not line.startswith("problem:")]
    if others:
        yield "### Notes"
        yield from _listed(others)
    yield (
        f"Submission {_span(report.submission.id)}, digest {_span(report.submission.digest[:12])}, "
        f"isolation {_span(report.tier)}."
    )


def _exercise(part: ExerciseReport, with_details: bool) -> Iterator[str]:
    found = findings(part)
    if not found or part.is_untouched:
        return
    yield f"### {_span(part.exercise.slug)}: {_points(part)} points"
    yield _criteria(part)
    if found.first is not None:
        yield f"**First:** {_title(found.first)}"
        yield _facts(facts(found.first))
    if with_details:
        yield from _rest(part, found)


def _criteria(part: ExerciseReport) -> str:
    return _table(
        ("Criterion", "Points", "Checks passed"),
        (
            (
                f"{UNICODE.outcome[criterion_outcome(one)]} {_plain(one.criterion)}",
                f"{'?' if one.points is None else shown(one.points)} / {shown(one.max_points)}",
                f"{one.passed} of {one.checks}",
            )
            for one in part.grade.criteria
        ),
    )


def _rest(part: ExerciseReport, found: Findings) -> Iterator[str]:
    """Every other check that did not pass, folded."""
    rest = [
        seen
        for seen in part.observations
        if seen is not found.first and seen.outcome not in (Outcome.PASSED, Outcome.BLOCKED)
    ]
    lines = [f"- {_title(seen)}\n\n{_indented(_in_short(seen))}" for seen in rest]
    lines += [
        f"- {UNICODE.outcome[Outcome.BLOCKED]} {_plain(waits(group))}" for group in found.waiting
    ]
    if not lines:
        return
    summary = tally([*found.echoes, *found.others]) if rest else "waiting"
    yield f"<details>\n<summary>{_html(summary)}</summary>"
    yield from lines
    yield "</details>"


def _in_short(seen: Observation) -> str:
    return _facts((label, one_line(words, _SHORT)) for label, words in facts(seen))


def _facts(found: Iterable[tuple[str, str]]) -> str:
    """Words beside their labels, in a block."""
    pairs = list(found)
    width = max((len(label) for label, _ in pairs), default=0)
    under = "\n" + " " * (width + 2)
    return _fenced(f"{label:{width}}  {words.replace(chr(10), under)}" for label, words in pairs)


def _title(seen: Observation) -> str:
    remarks = ", ".join(filter(None, (seen.criterion, REMARKS.get(seen.outcome, ""))))
    return f"{UNICODE.outcome[seen.outcome]} {_plain(seen.title)} *({_plain(remarks)})*"


def _points(part: ExerciseReport) -> str:
    earned = "?" if part.is_unknown else shown(part.grade.points)
    return f"{earned} / {shown(part.grade.max_points)}"


def _to_mend(report: Report, part: ExerciseReport) -> str:
    if part.is_untouched:
        return _plain(report.idle_because(part))
    short = (one for one in part.grade.criteria if criterion_outcome(one) is not Outcome.PASSED)
    return _plain(", ".join(one.criterion for one in short))


def _listed(lines: list[str]) -> Iterator[str]:
    cut = len(lines) - _NOTES_MAX
    more = [f"and {cut} more"] if cut > 0 else []
    yield _fenced(one_line(line, _SHORT) for line in [*lines[:_NOTES_MAX], *more])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    # A cell ends at a bar even inside a code span, unless the bar is escaped.
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    lines = [head, ("---", "--:", "---"), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fenced(lines: Iterable[str]) -> str:
    text = "\n".join(line.rstrip() for line in lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _indented(block: str) -> str:
    """As part of a list item."""
    return "\n".join(f"  {line}".rstrip() for line in block.split("\n"))


def _span(text: str) -> str:
    """A code span, whatever is in it."""
    text = one_line(text) or " "
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _plain(text: str) -> str:
    """The author's words, with nothing in them that Markdown or HTML would take for its own."""
    return _MARKUP.sub(r"\\\1", _html(text))


def _html(text: str) -> str:
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
