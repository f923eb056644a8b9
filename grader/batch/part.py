"""Grade a part of a class, and leave everybody else the row and the record that they had."""

from __future__ import annotations

import difflib
import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.discovery import BatchError, Entry
from grader.batch.gradebook import row_of
from grader.batch.names import shown_id
from grader.batch.records import RecordsError, changed_exercises
from grader.batch.summary import NOT_YET, NOTHING
from grader.course.rubric import Rubric
from grader.report.cleaning import one_line
from grader.store.store import Record

_AGAIN = "Grade everybody, without --student and --limit, or into another folder with --out."
_NEAR = 3
_LISTED = 12


@dataclass(frozen=True)
class ClassPart:
    """The limits of a run that does not grade everybody."""

    others: tuple[Entry, ...] = ()
    """The students who are not to be graded in this run."""
    limit: int | None = None
    """The most submissions whose code runs."""

    @property
    def is_everybody(self) -> bool:
        return not self.others and self.limit is None

    def is_over(self, graded: int) -> bool:
        """Tell whether so many submissions are all that this run grades."""
        return self.limit is not None and graded >= self.limit

    def may_be_left(self, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        """Return those of the class who may keep what they had; `entries` are to be graded."""
        return self.others if self.limit is None else (*entries, *self.others)

    def in_order(self, entries: Iterable[Entry], before: Container[str]) -> tuple[Entry, ...]:
        """Return whom to grade first: under a limit, those who have no result yet."""
        known = tuple(entries)
        return known if self.limit is None else tuple(sorted(known, key=lambda e: e.id in before))


EVERYBODY = ClassPart()


def chosen(
    entries: Iterable[Entry], names: Iterable[str], absent: Iterable[str] = ()
) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Return the entries that are meant by these names, and the others; all if there is no name.

    A name is a student's id, or that of the folder or file that was handed in. Raises BatchError
    for names that nobody has.
    """
    known, wanted = tuple(entries), tuple(names)
    if not wanted:
        return known, ()
    by_key = _by_key(known)
    by_name = {name: _called(name, by_key) for name in wanted}
    unknown = [name for name in wanted if not by_name[name]]
    if unknown:
        raise BatchError("\n".join(_refusals(unknown, known, frozenset(absent))))
    ids = {entry.id for name in wanted for entry in by_name[name]}
    return (
        tuple(entry for entry in known if entry.id in ids),
        tuple(entry for entry in known if entry.id not in ids),
    )


def _by_key(entries: Iterable[Entry]) -> Mapping[str, list[Entry]]:
    """Return the entries by id, and by the name of the folder or file as it is shown."""
    result: dict[str, list[Entry]] = {}
    for entry in entries:
        for key in {entry.id, shown_id(entry.path.name)}:
            result.setdefault(key, []).append(entry)
    return result


def _called(name: str, by_key: Mapping[str, list[Entry]]) -> list[Entry]:
    """Return the entries that a name means: their id as it is, or what stands at the end of it."""
    of_id = [entry for entry in by_key.get(name, ()) if entry.id == name]
    return [*of_id, *by_key.get(shown_id(Path(name).name), ())]


def _refusals(
    unknown: Iterable[str], entries: Iterable[Entry], absent: frozenset[str]
) -> Iterator[str]:
    ids = [entry.id for entry in entries]
    for name in unknown:
        if name in absent:
            yield f"--student {one_line(name)}: on the roster, and handed in nothing."
        else:
            yield f"--student {one_line(name)}: nobody has this id{_near(name, ids)}."


def _near(name: str, ids: Iterable[str]) -> str:
    known = tuple(ids)
    near = difflib.get_close_matches(Path(name).name, known, n=_NEAR)
    more = ", …" if not near and len(known) > _LISTED else ""
    names = ", ".join(one_line(id) for id in near or known[:_LISTED])
    return f"; near it: {names}" if near else f"; there are {names}{more}"


def records_before(
    records: Path, names: Mapping[str, str], rubric: Rubric, only: Iterable[str] = ()
) -> Iterator[tuple[str, Record]]:
    """Yield those who have a result, with their records in the folder.

    `names` maps students to file names. Raises RecordsError for what is no record, or one of other
    exercises or points than the rubric has now: in one gradebook, all rows are out of the same.
    """
    slugs = tuple(only) or tuple(rubric.exercises)
    for id, name in names.items():
        path = records / name
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            row, changed = row_of(record), changed_exercises(record, rubric, slugs)
        except FileNotFoundError:
            continue
        except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordsError(f"{path}: not a record of this grader. {_AGAIN}") from error
        if changed:
            why = f"graded with other exercises or points ({', '.join(changed)})"
            raise RecordsError(f"{path}: {why}, and one gradebook cannot hold both. {_AGAIN}")
        if row.id == id and row.problem not in (NOT_YET, NOTHING):
            yield id, record
