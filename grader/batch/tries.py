"""Decide whose grading is tried once more: where it failed for a reason of ours, and by chance."""

from __future__ import annotations

from collections.abc import Iterator

from grader.grade.evidence import Outcome
from grader.store.store import Record


class Tries:
    """The records in which something could not be checked, until it is known what becomes of them.

    A check that could be made for somebody else may work the second time: a worker was killed, a
    machine was busy. One that could be made for nobody is the course's fault, and is not tried
    again.
    """

    def __init__(self) -> None:
        self._unchecked: dict[str, Record] = {}
        self._made: set[str] = set()
        """The checks that could be made for somebody."""

    def is_done(self, id: str, record: Record) -> bool:
        """Take note of the first record of a hand-in; return whether it counts as it is."""
        missed = _could_not(record)
        self._made |= _checks(record) - missed
        if missed:
            self._unchecked[id] = record
        return not missed

    def once_more(self) -> tuple[str, ...]:
        """Return the hand-ins to grade a second time."""
        return tuple(id for id, one in self._unchecked.items() if _could_not(one) & self._made)

    def last(self, id: str, record: Record) -> Record:
        """Return the record that counts, the first or this second one: that with more checked."""
        first = self._unchecked.pop(id)
        return record if len(_could_not(record)) <= len(_could_not(first)) else first

    def rest(self) -> Iterator[tuple[str, Record]]:
        """Yield the hand-ins for which there was no second record, with the first one."""
        yield from self._unchecked.items()
        self._unchecked.clear()


def _could_not(record: Record) -> set[str]:
    return {check for check, outcome in _outcomes(record) if outcome == Outcome.COULD_NOT_CHECK}


def _checks(record: Record) -> set[str]:
    return {check for check, _outcome in _outcomes(record)}


def _outcomes(record: Record) -> Iterator[tuple[str, str]]:
    for exercise in record["exercises"]:
        for check in exercise["checks"]:
            yield check["check"], check["outcome"]
