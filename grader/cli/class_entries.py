"""Find the submissions of a class again: where they lay when it was graded, or where people say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.batch.attempts import entry_of
from grader.batch.attendance import of_roster
from grader.batch.class_archive import class_folder
from grader.batch.discovery import BatchError, Entry, discover
from grader.batch.roster import read_roster
from grader.course.course import Course
from grader.report.counted_hand_in import ATTEMPT
from grader.store.store import Record, Store


def class_entries(
    store: Store,
    folder: Path | None,
    out: Path,
    course: Course,
    why: str,
    roster: Path | None = None,
    records: Iterable[Record] = (),
) -> Mapping[str, Entry]:
    """Return the submissions by student, from where they were graded last or from `folder`.

    Of a student with several hand-ins it is the one that the record in `records` is of. `roster`
    takes the place of the one that the class was graded with. Raises BatchError; `why` says there
    what they are needed for.
    """
    run = store.last_run()
    stems = course.rubric.assignments.values()
    given = folder or (Path(run.folder) if run else None)
    place = None if given is None else class_folder(given, out, stems)
    if place is None or not place.is_dir():
        raise BatchError(
            f"{place or 'the submissions'}: no such folder, and {why}. Say where the "
            "submissions are: --from DIR"
        )
    layout = run.layout if run else None
    entries = discover(place, out, stems, layout).entries
    path = roster or (Path(run.roster) if run and run.roster else None)
    if path:
        entries, _absences = of_roster(entries, read_roster(path))
    by_id = {entry.id: entry for entry in entries}
    counted = {one["submission"]["id"]: entry_of(one, by_id) for one in records if ATTEMPT in one}
    return by_id | {id: entry for id, entry in counted.items() if entry is not None}
