"""Make the report on a class from what was read of it: all sections, and what to look at first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader import __version__
from grader.class_report.data.class_data import ClassData
from grader.class_report.data.class_list import NO_LIST, ClassList, ListedPart
from grader.class_report.data.mistakes import MistakeCounts, mistakes_of
from grader.class_report.data.pictures import PictureOf, no_picture
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
    lessons: Section
    """The section with what to teach again."""


def class_report(
    data: ClassData,
    lesson: misconceptions.Lesson,
    other: ClassData | None = None,
    listed: ClassList = NO_LIST,
    *,
    earlier: Sequence[ClassData] = (),
    picture: PictureOf = no_picture,
) -> ClassReport:
    """Return the report on a class, compared with another one if there is one.

    `listed` is what the class list says besides: parts to lay side by side, and addresses.
    `earlier` are classes that are asked only how many there made the same rare mistakes, `picture`
    looks for what a mistake does to numbers.
    """
    counts = mistakes_of(data)
    counted = _Counted(
        data,
        counts,
        items.of_criteria(data),
        attempts.progress(data),
        suite.halves(data),
        misconceptions.misconceptions(data, counts, lesson, picture),
    )
    return ClassReport(
        title=_("Class report: {course}", course=data.course),
        course=data.course,
        people=tuple(one.id for one in data.people),
        summary=tuple(_first(counted)),
        sections=tuple(_sections(counted, other, listed.parts, earlier)),
        ending=(
            (_("students"), str(len(data.people))),
            (_("checks"), str(len(data.checks))),
            (_("grader"), __version__),
        ),
        mails=listed.mails,
    )


def _sections(
    counted: _Counted,
    other: ClassData | None,
    all_parts: tuple[ListedPart, ...],
    earlier: Sequence[ClassData],
) -> Iterator[Section]:
    data, counts = counted.data, counted.mistakes
    yield head.head(data)
    if not data.graded:
        return
    yield counted.lessons
    yield unknown.unknown(data, counts)
    yield items.items(data, counted.criteria)
    yield items.scatter(data, counted.criteria)
    yield form.form(data)
    yield attempts.attempts(data, counted.ways)
    yield suite.suite(data, counted.moves)
    yield graders.graders(data)
    others = mistakes_of(other) if other is not None and other.graded else None
    elsewhere = [mistakes_of(one) for one in earlier if one.graded]
    yield integrity.integrity(data, counts, [*([] if others is None else [others]), *elsewhere])
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
    for line in misconceptions.to_teach_again(data, counts):
        yield line, misconceptions.ID
    if counts.unknown and len(counts.unknown[0].rows) > 1:
        yield unknown.biggest_line(data, counts), unknown.ID
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
    yield unknown.coverage_line(counts), unknown.ID
    if counted.moves is not None and suite.is_moving(data, counted.moves):
        yield suite.sensitivity_line(data, counted.moves), suite.ID
