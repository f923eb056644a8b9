"""Compare a class with its roster: who is missing, and who is there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from grader.batch.discovery import Entry
from grader.batch.names import record_names
from grader.batch.roster import Roster


@dataclass(frozen=True)
class Absences:
    """The differences between a roster and what was handed in, each as names."""

    handed_in_nothing: tuple[str, ...] = ()
    not_on_roster: tuple[str, ...] = ()
    handed_in_twice: tuple[str, ...] = ()
    """Students with more than one submission; each of these has a row."""


def _of_members(entries: Iterable[Entry], roster: Roster) -> tuple[Entry, ...]:
    """Give what a team handed in to each of its students, as a hand-in of their own.

    A team's is what has its name, or what the only one of its students who handed in has.
    """
    known = {entry.id: entry for entry in entries}
    names = {entry.student or entry.id for entry in known.values()}
    students = roster.matched(names)
    of_teams = roster.matched_teams(names - students.keys())
    by_student: dict[str, list[Entry]] = {}
    for entry in list(known.values()):
        name = entry.student or entry.id
        if name in of_teams:
            del known[entry.id]
            known |= _copies(entry, of_teams[name])
        elif name in students:
            by_student.setdefault(students[name], []).append(entry)
    for members in roster.teams.values():
        with_own = [one for one in members if one in by_student]
        if len(with_own) == 1 and not any(members == one for one in of_teams.values()):
            others = tuple(one for one in members if one != with_own[0])
            for entry in by_student[with_own[0]]:
                known |= _copies(entry, others)
    return tuple(known.values())


def _copies(entry: Entry, students: Iterable[str]) -> dict[str, Entry]:
    """Return a hand-in once for each student, by the id of each."""
    ids = ((f"{one}~{entry.id}", one) for one in students)
    return {id: replace(entry, id=id, student=one) for id, one in ids}


def of_roster(entries: Iterable[Entry], roster: Roster) -> tuple[tuple[Entry, ...], Absences]:
    """Name each entry as the roster names the student; return also who is missing where.

    An entry keeps its id if nobody on the roster has it, or if it is one of several of a student.
    What a team handed in is there once for each of its students.
    """
    known = _of_members(entries, roster)
    matched = roster.matched({entry.student or entry.id for entry in known})
    students = {e.id: matched[e.student or e.id] for e in known if (e.student or e.id) in matched}
    times = Counter(students.values())
    ids = {e.id: students[e.id] for e in known if times[students.get(e.id, "")] == 1}
    records = record_names(ids.get(entry.id, entry.id) for entry in known)
    named = [
        replace(
            entry,
            id=(id := ids.get(entry.id, entry.id)),
            record=records[id],
            student=students.get(entry.id, entry.student),
        )
        for entry in known
    ]
    absences = Absences(
        handed_in_nothing=tuple(s for s in roster.students if s not in times),
        not_on_roster=tuple(entry.id for entry in known if entry.id not in students),
        handed_in_twice=tuple(student for student, count in times.items() if count > 1),
    )
    return tuple(sorted(named, key=lambda entry: entry.id)), absences
