"""Find a picture of a known mistake: in the record of a student who made it, no code runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from grader.grade.evidence import Picture, Weights
from grader.report.record import observed
from grader.store.store import STORE_FILE, Record, open_store

MOST_RECORDS = 5
"""The students of a mistake whose records are looked through."""
Drawing = Picture | Weights
PictureOf = Callable[[str, Iterable[str]], Drawing | None]
"""Maps a cause and the ids of students who have it to a picture of it, if there is one."""


def no_picture(_cause: str, _students: Iterable[str]) -> None:
    """Return no picture, where no results are at hand."""


def pictures_in(out: Path) -> PictureOf:
    """Return a function that looks for pictures among the results in a folder.

    What it returns raises StoreError.
    """

    def picture(cause: str, students: Iterable[str]) -> Drawing | None:
        with open_store(out / STORE_FILE) as store:
            for student, _place in zip(students, range(MOST_RECORDS), strict=False):
                kept = store.newest(student)
                seen = () if kept is None else tuple(_pictures(kept.record, cause))
                if seen:
                    return seen[0]
        return None

    return picture


def _pictures(record: Record, cause: str) -> Iterator[Drawing]:
    """Yield what was drawn of the checks that fail by a cause, attention weights first."""
    try:
        own = tuple(observed(record, cause))
    except (KeyError, TypeError, ValueError, AttributeError):
        return  # of an older version, which drew nothing
    yield from (one.weights for one in own if one.weights is not None)
    yield from (one.picture for one in own if one.picture is not None)
