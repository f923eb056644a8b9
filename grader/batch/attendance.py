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


def of_roster(entries: Iterable[Entry], roster: Roster) -> tuple[tuple[Entry, ...], Absences]:
    """Name each entry as the roster names the student; return also who is missing where.

    An entry keeps its id if nobody on the roster has it, or if it is one of several of a student.
    """
    known = tuple(entries)
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
