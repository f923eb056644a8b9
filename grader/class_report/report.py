"""Make the report on a class from what was read of it: all sections, and what to look at first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader import __version__
from grader.class_report.data.class_data import ClassData
from grader.class_report.data.class_list import NO_LIST, ClassList, ListedPart
from grader.class_report.data.mistakes import MistakeCounts, mistakes_of
from grader.class_report.outline import ClassReport, Section
from grader.class_report.sections import (
    attempts,
    comparison,
    form,
    graders,
    head,
    integrity,
    items,
    misconceptions,
    parts,
    security,
    suite,
    unknown,
)
from grader.statistics.halves import Sensitivity
from grader.text.language import _, ngettext


@dataclass(frozen=True)
class _Counted:
    """The counts that several sections share."""

    data: ClassData
    mistakes: MistakeCounts
    criteria: items.ItemRows
    ways: tuple[attempts.TryProgress, ...]
    moves: Sensitivity | None


def class_report(
    data: ClassData,
    lesson: misconceptions.Lesson,
    other: ClassData | None = None,
    listed: ClassList = NO_LIST,
) -> ClassReport:
    """Return the report on a class, compared with another one if there is one.

    `listed` is what the class list says besides: parts to lay side by side, and addresses.
    """
    counted = _Counted(
        data,
        mistakes_of(data),
        items.of_criteria(data),
        attempts.progress(data),
        suite.halves(data),
    )
    return ClassReport(
        title=_("Class report: {course}", course=data.course),
        course=data.course,
        people=tuple(one.id for one in data.people),
        summary=tuple(_first(counted)),
        sections=tuple(_sections(counted, lesson, other, listed.parts)),
        ending=(
            (_("students"), str(len(data.people))),
            (_("checks"), str(len(data.checks))),
            (_("grader"), __version__),
        ),
        mails=listed.mails,
    )


def _sections(
    counted: _Counted,
    lesson: misconceptions.Lesson,
    other: ClassData | None,
    all_parts: tuple[ListedPart, ...],
) -> Iterator[Section]:
    data, counts = counted.data, counted.mistakes
    yield head.head(data)
    if not data.graded:
        return
    yield misconceptions.misconceptions(data, counts, lesson)
    yield unknown.unknown(data, counts)
    yield items.items(data, counted.criteria)
    yield items.scatter(data, counted.criteria)
    yield form.form(data)
    yield attempts.attempts(data, counted.ways)
    yield suite.suite(data, counted.moves)
    yield graders.graders(data)
    others = mistakes_of(other) if other is not None and other.graded else None
    yield integrity.integrity(data, counts, others)
    yield security.security(data)
    if all_parts:
        yield parts.parts(data, counts, all_parts)
    if other is not None and others is not None:
        yield comparison.comparison(data, counts, other, others)


def _first(counted: _Counted) -> Iterator[tuple[str, str]]:
    """Yield what to look at first, a line each, with the section that it is from."""
    data, counts = counted.data, counted.mistakes
    if not data.graded:
        yield _("Nobody has a result yet."), head.ID
        return
    if counts.known and len(counts.known[0].rows) > 1:
        top = counts.known[0]
        share = misconceptions.of_class(data, top).share or 0.0
        line = _(
            "Teach again: {sentence} ({count} students, {share})",
            sentence=misconceptions.sentence(data, top.cause),
            count=len(top.rows),
            share=f"{share:.0%}",
        )
        yield line, misconceptions.ID
    yield unknown.coverage_line(counts), unknown.ID
    rows = counted.criteria
    wrong = [rows.names[at] for at in range(len(rows.names)) if rows.is_against_the_rest(at)]
    if wrong:
        line = ngettext(
            "Look at the checks of {names}: students who do well fail it.",
            "Look at the checks of {names}: students who do well fail them.",
            len(wrong),
            names=", ".join(wrong[:3]),
        )
        yield line, items.ID
    if stuck := sum(one.is_stuck for one in counted.ways):
        line = ngettext(
            "{count} student is stuck: write to them.",
            "{count} students are stuck: write to them.",
            stuck,
        )
        yield line, attempts.ID
    if counted.moves is not None:
        yield suite.sensitivity_line(data, counted.moves), suite.ID
