"""Say what to mend, each thing once at its place in a file: the worst first, and not too many.

CI systems show a few remarks beside the code and drop the others without a word. So checks that
read alike are one annotation, and the last one that is shown says how many there are besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import PurePosixPath

from grader.export.words import clean
from grader.grade.evidence import Observation, Outcome, Where
from grader.report.cleaning import one_line
from grader.report.content import LOST, ExerciseReport, Report
from grader.report.findings import Alike, findings, tally
from grader.report.words import facts
from grader.text.language import _, joined, ngettext

LIMIT_MESSAGE = 3000
_LIMIT_TITLE = 200


class Level(StrEnum):
    """The levels of GitHub's annotations; `ERROR` is the first thing to mend in an exercise."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True)
class Annotation:
    """A remark beside a submission's code, in clean text."""

    level: Level
    title: str
    message: str
    check: str = ""
    """The exercise and the criterion, `a1.sdpa/outputs`; empty for the submission as a whole."""
    file: str = ""
    """The path from the root of the repository; empty where there is no place to show it at."""
    line: int | None = None
    lost: Fraction = Fraction(0)
    """The points that its criterion lost: the most come first."""


def to_mend(report: Report, folder: PurePosixPath | None) -> tuple[Annotation, ...]:
    """Return all that is to be said, the worst first.

    `folder` is where the submission lies in its repository; None if it is in no repository.
    """
    every = [*_problems(report, folder), *_of_checks(report, folder), *_not_begun(report)]
    return tuple(sorted(every, key=lambda one: (list(Level).index(one.level), -one.lost)))


def limited(every: Iterable[Annotation], most: int) -> Iterator[Annotation]:
    """Yield at most `most` annotations of each level, and say with the last what was left out."""
    all_ = list(every)
    for level in Level:
        of_level = [one for one in all_ if one.level is level]
        yield from of_level[: most - 1]
        rest = of_level[most - 1 :]
        if rest:
            yield rest[0] if len(rest) == 1 else _and_more(rest)


def _and_more(rest: list[Annotation]) -> Annotation:
    more = ngettext(
        "and {count} more like it: the report names it.",
        "and {count} more: the report names them.",
        len(rest) - 1,
    )
    return replace(rest[0], message=f"{rest[0].message}\n{more}")


def _problems(report: Report, folder: PurePosixPath | None) -> Iterator[Annotation]:
    """Yield what is wrong with a file as a whole, which comes before all that follows from it."""
    for note in report.notes:
        if note.kind == "problem":
            yield _placed(
                Annotation(
                    Level.ERROR,
                    _("problem"),
                    clean(note.text, LIMIT_MESSAGE),
                    lost=report.grade.max_points,
                ),
                note.where,
                folder,
            )


def _of_checks(report: Report, folder: PurePosixPath | None) -> Iterator[Annotation]:
    for part in report.exercises:
        if part.is_untouched:
            continue
        groups = findings(part)
        if groups.first is not None and groups.first.outcome in LOST:
            more = sum(group.count for group in groups.echoes)
            first = _of_one(part, Alike(groups.first, 1 + more))
            yield _placed(first, groups.first.where, folder)
        by_place: dict[Where | None, list[Alike]] = {}
        for group in groups.others:
            if group.seen.outcome in LOST:
                by_place.setdefault(group.seen.where, []).append(group)
        for where, at_place in by_place.items():
            yield _placed(_of_several(part, at_place), where, folder)


def _of_one(part: ExerciseReport, group: Alike) -> Annotation:
    seen = group.seen
    slug = part.exercise.slug
    return Annotation(
        Level.ERROR,
        one_line(f"{slug}, {seen.criterion}: {seen.title}", _LIMIT_TITLE),
        clean("\n".join(_lines(group)), LIMIT_MESSAGE),
        check=f"{slug}/{seen.criterion}",
        lost=_lost(part, [seen]),
    )


def _of_several(part: ExerciseReport, groups: list[Alike]) -> Annotation:
    """Return one annotation for the other checks that fail at one place: their titles."""
    if len(groups) == 1:
        return replace(_of_one(part, groups[0]), level=Level.WARNING)
    slug = part.exercise.slug
    titles = (f"- {one.seen.criterion}: {one_line(one.seen.title)}" for one in groups)
    return Annotation(
        Level.WARNING,
        one_line(f"{slug}: {tally(groups)}", _LIMIT_TITLE),
        clean("\n".join(titles), LIMIT_MESSAGE),
        check=f"{slug}/{groups[0].seen.criterion}",
        lost=_lost(part, [one.seen for one in groups]),
    )


def _lines(group: Alike) -> Iterator[str]:
    words = [f"{label}: {text}" for label, text in facts(group.seen)]
    yield from words or [group.seen.outcome.in_words]
    if group.count > 1:
        yield ngettext("{count} check like this", "{count} checks like this", group.count)


def _lost(part: ExerciseReport, seen: Iterable[Observation]) -> Fraction:
    names = {one.criterion for one in seen}
    grades = (one for one in part.grade.criteria if one.criterion in names)
    return sum((one.max_points - (one.points or 0) for one in grades), Fraction(0))


def _placed(
    annotation: Annotation, where: Where | None, folder: PurePosixPath | None
) -> Annotation:
    if where is None or folder is None:
        return annotation
    # A notebook is shown as the text of its file, where the lines of a cell are other lines.
    line = where.line if where.cell is None else None
    return replace(annotation, file=one_line((folder / where.file).as_posix()), line=line)


def _not_begun(report: Report) -> Iterator[Annotation]:
    idle = [part.exercise.slug for part in report.exercises if part.is_untouched]
    if idle:
        yield Annotation(Level.NOTICE, Outcome.NOT_ATTEMPTED.in_words, joined(idle))
