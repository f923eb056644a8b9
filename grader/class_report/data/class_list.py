"""Read from a class list what results do not say: who is in which part of the class, and mails."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.roster import read_roster
from grader.batch.time_columns import RosterError
from grader.class_report.data.class_data import ClassData
from grader.text.language import _
from grader.text.problem import did_you_mean, quoted

MAIL_COLUMNS = ("email", "e-mail", "mail", "email address", "이메일")
MOST_PARTS = 20


@dataclass(frozen=True)
class ListedPart:
    """Those of a class who have the same in a column of its list: a section, or a programme."""

    name: str
    people: tuple[int, ...]


@dataclass(frozen=True)
class ClassList:
    """The entries of a class list that belong to the people of a class."""

    parts: tuple[ListedPart, ...] = ()
    """In the order of their names; those without an entry are in none."""
    mails: tuple[str, ...] = ()
    """An address for each of the people, empty where there is none; () if the list has none."""


NO_LIST = ClassList()


def class_list(data: ClassData, path: Path, by: str = "") -> ClassList:
    """Return what a list says of a class, in parts by the column `by` if it is named.

    Raises RosterError, also for a column that is not there or makes too many parts.
    """
    roster = read_roster(path)
    student_of = roster.matched([one.id for one in data.people])
    nothing: Mapping[str, str] = {}
    cells = [roster.cells.get(student_of.get(one.id, ""), nothing) for one in data.people]
    headings = tuple(next(iter(roster.cells.values())))
    mail = next((one for one in MAIL_COLUMNS if one in headings), "")
    mails = tuple(own.get(mail, "") for own in cells) if mail else ()
    if not by:
        return ClassList((), mails)
    wanted = by.strip().casefold()
    if wanted not in headings:
        hint = did_you_mean(wanted, headings)
        raise RosterError(_("{path}:1: no column {by}{hint}", path=path, by=quoted(by), hint=hint))
    people: dict[str, list[int]] = defaultdict(list)
    for place, own in enumerate(cells):
        if own.get(wanted):
            people[own[wanted]].append(place)
    names = sorted(people, key=lambda name: (len(name) if name.isdecimal() else 0, name))
    parts = tuple(ListedPart(name, tuple(people[name])) for name in names)
    if not 2 <= len(parts) <= MOST_PARTS:
        message = _(
            "{path}: the column {by} makes {count} parts of this class. Name one that makes 2 to "
            "{most}.",
            path=path,
            by=by,
            count=len(parts),
            most=MOST_PARTS,
        )
        raise RosterError(message)
    return ClassList(parts, mails)
