"""Show what people gave: points for written answers, and points beside those of the checks."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import mean, stdev

from grader.batch.ruling import Ruling
from grader.class_report.data.class_data import ClassData, WrittenPoints
from grader.class_report.outline import (
    Column,
    Section,
    Sheet,
    TableCell,
    count,
    number,
    percent,
    text,
)
from grader.class_report.sections.marking import marking
from grader.store.appeal_table import KeptAppeal
from grader.store.store import Adjustment
from grader.text.language import _

ID = "graders"


def graders(data: ClassData) -> Section:
    """Return the section on what people gave, as far as the store knows."""
    given = [one for one in data.written if one.points is not None]
    adjusted = [one for person in data.people for one in person.adjustments]
    title = _("Graded by people")
    if not given and not adjusted and not data.marked:
        nothing = _("Nobody has given points by hand yet: no written answer, and no adjustment.")
        return Section(ID, title, (nothing,), tables=(_appeals(data),) if data.appeals else ())
    lead = _(
        "written.csv does not say who graded an answer; the tables of grader marking do, and "
        "adjustments have their author. How long marking took is known where minutes were noted."
    )
    tables = (_written(data), marking(data), _authors(data), _appeals(data))
    return Section(ID, title, (lead,), tables=tables)


def _written(data: ClassData) -> Sheet:
    by_slug: dict[str, list[WrittenPoints]] = defaultdict(list)
    for one in data.written:
        by_slug[one.slug].append(one)
    columns = (
        Column(_("Question")),
        Column(_("Graded"), is_number=True),
        Column(_("Not yet"), _("Grade these first."), is_number=True),
        Column(_("Mean points"), is_number=True),
        Column(
            _("SD"),
            _("Near 0: everybody gets the same, and the question costs grading time for nothing."),
            is_number=True,
        ),
        Column(
            _("Mean share"),
            _("Much below the exercise it belongs to: who can write the code cannot explain it."),
            is_number=True,
        ),
    )
    rows = tuple(_question(slug, own) for slug, own in by_slug.items())
    return Sheet("written", _("Written answers"), columns, rows, _("No points were entered yet."))


def _question(slug: str, own: list[WrittenPoints]) -> tuple[TableCell, ...]:
    known = [one.points for one in own if one.points is not None]
    most = own[0].max_points
    middle = mean(known) if known else None
    return (
        text(slug),
        count(len(known), [one.person for one in own if one.points is not None]),
        count(len(own) - len(known), [one.person for one in own if one.points is None]),
        number(middle),
        number(stdev(known) if len(known) > 1 else None),
        percent(middle / most if middle is not None and most else None),
    )


def _authors(data: ClassData) -> Sheet:
    by_author: dict[str, list[tuple[int, Adjustment]]] = defaultdict(list)
    for person, who in enumerate(data.people):
        for one in who.adjustments:
            by_author[one.author].append((person, one))
    columns = (
        Column(_("Author"), _("Very different means: agree on what is worth an adjustment.")),
        Column(_("Adjustments"), is_number=True),
        Column(_("Mean points"), is_number=True),
        Column(_("Reasons")),
    )
    rows = tuple(
        (
            text(author),
            count(len(own), [person for person, _one in own]),
            number(mean(float(one.points) for _person, one in own)),
            text("; ".join(dict.fromkeys(one.reason for _person, one in own))),
        )
        for author, own in sorted(by_author.items())
    )
    empty = _("Nobody has points beside those of the checks.")
    return Sheet("adjustments", _("Points beside the checks"), columns, rows, empty)


def _appeals(data: ClassData) -> Sheet:
    """Count what students said of checks, and what `grader appeal` answered."""
    places = {person.id: place for place, person in enumerate(data.people)}
    by_check: dict[str, list[KeptAppeal]] = defaultdict(list)
    for one in data.appeals:
        by_check[one.check_name].append(one)
    columns = (
        Column(_("Check")),
        Column(_("Students"), is_number=True),
        Column(
            _("Stand"),
            _("More than one: look at the check before anything else, then regrade everybody."),
            is_number=True,
        ),
        Column(_("Fall"), is_number=True),
        Column(_("Cannot tell"), _("Read this code yourself, and write."), is_number=True),
    )
    rows = []
    for check, own in sorted(by_check.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        rulings = Counter(one.ruling for one in own)
        who = dict.fromkeys(places[one.student] for one in own if one.student in places)
        numbers = (
            number(rulings[one], 0) for one in (Ruling.STANDS, Ruling.FALLS, Ruling.CANNOT_TELL)
        )
        rows.append((text(check), count(len(who), who), *numbers))
    return Sheet("appeals", _("Appeals"), columns, tuple(rows), _("There were no appeals."))
