"""Say what this class has not understood: its known mistakes, the most frequent first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from grader.class_report.data.class_data import ClassData
from grader.class_report.data.mistakes import ClassMistake, MistakeCounts
from grader.class_report.data.pictures import PictureOf, no_picture
from grader.class_report.outline import (
    DASH,
    Card,
    Column,
    Section,
    Sheet,
    TableCell,
    count,
    number,
    proportion,
    strip,
    text,
)
from grader.statistics.items import strip as fifths
from grader.statistics.proportion import Proportion
from grader.text.language import _, course_text, ngettext

ID = "mistakes"
CARDS = 6
"""The most mistakes that are laid out for a lecture."""
FIRST = 3
"""The most mistakes that are named on top of the page: as many as fit in the first ten minutes."""
_TOGETHER = 3

Lesson = Callable[[str], tuple[str, str]]
"""Maps a cause to a sentence on why it is wrong and an equation; each may be empty."""


def misconceptions(
    data: ClassData,
    counts: MistakeCounts,
    lesson: Lesson,
    picture: PictureOf = no_picture,
) -> Section:
    """Return the section with the known mistakes of the class."""
    frequent = [one for one in counts.known if len(one.rows) > 1][:CARDS]
    return Section(
        ID,
        _("What this class has not understood"),
        lead=(
            _(
                "Known mistakes that reproduce what students' code computes. Teach again from the "
                "top; what only one or two have is for office hours."
            ),
        ),
        cards=tuple(_card(data, one, lesson, picture) for one in frequent),
        tables=(_all(data, counts),),
    )


def sentence(data: ClassData, cause: str) -> str:
    """Return a cause in a sentence, in the reader's language."""
    return course_text(data.causes.get(cause, cause))


def to_teach_again(data: ClassData, counts: MistakeCounts) -> Iterator[str]:
    """Yield a line for each of the most frequent mistakes that more than one student made."""
    for one in counts.known[:FIRST]:
        if len(one.rows) > 1:
            yield _(
                "Teach again: {sentence} ({count} students, {share})",
                sentence=sentence(data, one.cause),
                count=len(one.rows),
                share=f"{of_class(data, one).share or 0.0:.0%}",
            )


def of_class(data: ClassData, mistake: ClassMistake) -> Proportion:
    """Return the share of the graded students who have a mistake."""
    return Proportion(len(mistake.rows), len(data.graded))


def _card(data: ClassData, one: ClassMistake, lesson: Lesson, picture: PictureOf) -> Card:
    why, equation = lesson(one.cause)
    sample = data.people[data.graded[one.sample].person].id
    who = (data.people[place].id for place in data.people_of(one.rows))
    drawing = picture(one.cause, dict.fromkeys((sample, *who)))
    lines = (
        (_("Say in the lecture"), why),
        (_("Write on the board"), equation),
        (_("Costs"), _costs(data, one)),
        (_("Comes with"), _together(one)),
        (_("To look at"), f"grader why {sample} {one.slugs[0]}"),
    )
    return Card(
        sentence(data, one.cause),
        _how_many(data, one),
        tuple(line for line in lines if line[1]),
        _who(data, one),
        drawing,
    )


def _how_many(data: ClassData, one: ClassMistake) -> TableCell:
    """Return the count of who has a mistake, with its share and interval behind it."""
    cell = proportion(of_class(data, one), data.people_of(one.rows))
    words = ngettext(
        "{count} student, {share}", "{count} students, {share}", len(one.rows), share=cell.text
    )
    return replace(cell, text=words)


def _costs(data: ClassData, one: ClassMistake) -> str:
    line = _(
        "{points} points each on average, first in {slug}",
        points=f"{one.mean_lost:.1f}",
        slug=one.slugs[0],
    )
    if not one.carried:
        return line
    return _(
        "{line}; {count} have it once more in {where}, where it costs nothing",
        line=line,
        count=len(one.carried),
        where=", ".join(one.carried_in),
    )


def _who(data: ClassData, one: ClassMistake) -> TableCell:
    """Return the share of each fifth of the class that has a mistake, lowest marks first."""
    has = np.zeros((len(data.graded), 1))
    has[list(one.rows)] = 1.0
    return strip(fifths(has, data.totals)[:, 0])


def _all(data: ClassData, counts: MistakeCounts) -> Sheet:
    columns = (
        Column(_("Mistake")),
        Column(
            _("Students"),
            _("Who has it. More than a tenth: a sentence in the lecture."),
            is_number=True,
        ),
        Column(
            _("Share"),
            _("Of all with a result, with Wilson's 95 % interval."),
            is_number=True,
        ),
        Column(
            _("Points lost"),
            _("The mean of what it cost each of them. Much for a slip: let it cost less."),
            is_number=True,
        ),
        Column(_("First in"), _("The first exercise in which it shows: teach it there.")),
        Column(
            _("Carried"),
            _("Came up again where it cost nothing."),
            is_number=True,
        ),
        Column(_("Carried in"), _("Where: these exercises use the code of the first.")),
        Column(_("Together with"), _("Often together: perhaps one idea behind both.")),
        Column(_("Example"), _("Somebody with few other mistakes: read their code.")),
        Column(_("In words")),
    )
    rows = tuple(
        (
            text(one.cause),
            count(len(one.rows), data.people_of(one.rows)),
            proportion(of_class(data, one)),
            number(one.mean_lost),
            text(one.slugs[0]),
            count(len(one.carried), data.people_of(one.carried)),
            text(", ".join(one.carried_in) or DASH),
            text(_together(one) or DASH),
            text(data.people[data.graded[one.sample].person].id),
            text(sentence(data, one.cause)),
        )
        for one in counts.known
    )
    empty = _("No known mistake was named in this class.")
    return Sheet("mistakes", _("All known mistakes"), columns, rows, empty, is_folded=True)


def _together(one: ClassMistake) -> str:
    return ", ".join(f"{cause} ({many})" for cause, many in one.together[:_TOGETHER])
