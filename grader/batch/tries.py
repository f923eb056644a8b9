"""Decide whose grading is tried once more: where it failed for a reason of ours, and by chance."""

from __future__ import annotations

from collections.abc import Iterator

from grader.batch.record_file import RecordFile
from grader.grade.evidence import Outcome
from grader.store.store import Record


class Tries:
    """The records in which something could not be checked, until it is known what becomes of them.

    A check that could be made for somebody else may work the second time: a worker was killed, a
    machine was busy. One that could be made for nobody is the course's fault, and is not tried
    again.
    """

    def __init__(self, records: RecordFile) -> None:
        """Keep records in `records`; where a check fails for all, that is everybody's."""
        self._unchecked = records
        self._missed: dict[str, frozenset[str]] = {}
        """By hand-in; many miss the same."""
        self._alike: dict[frozenset[str], frozenset[str]] = {}
        self._made: set[str] = set()
        """The checks that could be made for somebody."""

    def is_done(self, id: str, record: Record) -> bool:
        """Take note of the first record of a hand-in; return whether it counts as it is."""
        missed = _could_not(record)
        self._made |= _checks(record) - missed
        if missed:
            self._unchecked[id] = record
            self._missed[id] = self._alike.setdefault(missed, missed)
        return not missed

    def once_more(self) -> tuple[str, ...]:
        """Return the hand-ins to grade a second time."""
        return tuple(id for id, missed in self._missed.items() if missed & self._made)

    def last(self, id: str, record: Record) -> Record:
        """Return the record that counts, the first or this second one: that with more checked."""
        is_better = len(_could_not(record)) <= len(self._missed.pop(id))
        return record if is_better else self._unchecked[id]

    def rest(self) -> Iterator[tuple[str, Record]]:
        """Yield the hand-ins for which there was no second record, with the first one."""
        for id in self._missed:
            yield id, self._unchecked[id]
        self._missed.clear()


def _could_not(record: Record) -> frozenset[str]:
    ours = Outcome.COULD_NOT_CHECK
    return frozenset(check for check, outcome in _outcomes(record) if outcome == ours)


def _checks(record: Record) -> set[str]:
    return {check for check, _outcome in _outcomes(record)}


def _outcomes(record: Record) -> Iterator[tuple[str, str]]:
    for exercise in record["exercises"]:
        for check in exercise["checks"]:
            yield check["check"], check["outcome"]
