"""Take one of several hand-ins of a student, as the rule of a course says: best, last or first.

A system may know when each came; else the numbers in the names of folders and files decide, as
people count: `a`, `a 2`, `a 10`. Times of files are not asked, since a copy changes them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from grader.batch.discovery import Entry
from grader.batch.names import record_names
from grader.course.attempts import AttemptRule
from grader.report.counted_hand_in import ATTEMPT, CountedHandIn
from grader.store.store import Record
from grader.submission.submission import SubmissionError

_DIGITS = re.compile(r"(\d+)")
_FOLDER = re.compile(r"(?:attempt|시도)[ _-]?(\d{1,4})", re.IGNORECASE)


def with_rule(entries: Iterable[Entry], rule: AttemptRule | None) -> tuple[Entry, ...]:
    """Return one entry for each student, sorted by id; without a rule each hand-in keeps its own.

    Where the best counts, nothing is decided yet: `Entry.attempts` are all to be graded.
    """
    known = tuple(entries)
    if rule is None:
        return known
    by_student: dict[str, list[Entry]] = defaultdict(list)
    for entry in known:
        for one in _in_folders(entry):
            by_student[one.student or one.id].append(one)
    result = []
    for student, own in by_student.items():
        if len(own) == 1:
            result.append(own[0])
            continue
        ordered = in_order(replace(one, student=student, rule=rule) for one in own)
        counted = ordered[0] if rule is AttemptRule.FIRST else ordered[-1]
        result.append(replace(counted, id=student, attempts=ordered))
    records = record_names(entry.id for entry in result)
    named = (replace(entry, record=records[entry.id]) for entry in result)
    return tuple(sorted(named, key=lambda entry: entry.id))


def in_order(attempts: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the hand-ins of a student, the earliest first."""
    known = sorted(attempts, key=_natural)
    if all(one.arrivals for one in known):
        known.sort(key=lambda one: max(arrival.at for arrival in one.arrivals))
    return tuple(known)


def several(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the students who handed in more than once."""
    counted = Counter[str]()
    for entry in entries:
        counted[entry.student or entry.id] += max(1, len(entry.attempts))
    return tuple(student for student, count in counted.items() if count > 1)


def entry_of(record: Record, entries: Mapping[str, Entry]) -> Entry | None:
    """Return the hand-in that a record is of: the one with its number and its content.

    `entries` are all hand-ins of the class, by id. None if it is not there any more; the caller
    finds out itself if the content of one without a number has changed.
    """
    id, attempt = str(record["submission"]["id"]), record.get(ATTEMPT)
    if attempt is None:
        return entries.get(id)
    ruled = with_rule(entries.values(), AttemptRule.LAST)
    entry = next((one for one in ruled if one.id == id), None)
    if entry is None:
        return None
    numbered = list(enumerate(entry.attempts or (entry,), start=1))
    numbered.sort(key=lambda pair: pair[0] != attempt["number"])
    for _number, one in numbered:
        with suppress(SubmissionError):
            if one.read().digest == record["submission"]["digest"]:
                return replace(one, id=id, student=id)
    return entry


def numbered(record: Record, entry: Entry | None) -> Record:
    """Return a record that says which hand-in it is of, if its student has several.

    Where the best counts, whoever has found it says so.
    """
    if entry is None or not entry.attempts or entry.rule is AttemptRule.BEST:
        return record
    return {**record, ATTEMPT: counted_of(entry, entry).values}


def counted_of(
    entry: Entry, counted: Entry, points: tuple[Fraction | None, ...] = ()
) -> CountedHandIn:
    """Return what is known of the hand-in of a student that counts, where there are several."""
    assert entry.rule is not None
    number = [one.path for one in entry.attempts].index(counted.path) + 1
    return CountedHandIn(number, len(entry.attempts), entry.rule, points)


def _in_folders(entry: Entry) -> Iterator[Entry]:
    """Yield a hand-in for each folder of a student's that is called `attempt-1` and so on.

    What is kept in another form is one hand-in.
    """
    path = entry.path
    is_folder = not (entry.parts or entry.arrivals or path.is_symlink()) and path.is_dir()
    inside = [one for one in path.iterdir() if one.name[:1] != "."] if is_folder else []
    if len(inside) < 2 or not all(_FOLDER.fullmatch(_nfc(one.name)) for one in inside):
        yield entry
        return
    for one in inside:
        id = f"{entry.id}~{_nfc(one.name)}"
        yield replace(entry, id=id, path=one, student=entry.student or entry.id)


def _natural(entry: Entry) -> list[tuple[int, str]]:
    """Return a sort key in which numbers are read as numbers, and a name without one is first."""
    folder = _FOLDER.fullmatch(_nfc(entry.path.name))
    if folder:
        return [(int(folder[1]), "")]
    pieces = _DIGITS.split(_nfc(entry.path.name).casefold())
    return [(int(one[:18]), "") if one.isdecimal() else (-1, one) for one in pieces]


def _nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)
