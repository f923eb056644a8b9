"""Decide which lane gets which of the submissions that wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from ..submission.submission import Submission


class Waiting(Protocol):
    """The submissions that no lane has been given yet."""

    def next_for(self, lane: int) -> Submission | None:
        """Take out and return what this lane is to grade; return None if nobody waits."""


class InOrder:
    """Gives every lane whoever comes next. Reads no further ahead than it has to."""

    def __init__(self, submissions: Iterable[Submission]) -> None:
        self._submissions: Iterator[Submission] = iter(submissions)

    def next_for(self, lane: int) -> Submission | None:
        return next(self._submissions, None)


class InGroups:
    """Keeps each group on one lane, as far as that leaves no lane idle.

    A judge remembers what it computed for one submission of a group, and the others need it too.
    """

    def __init__(self, submissions: Iterable[Submission], group_of: Mapping[str, str]) -> None:
        """Take all submissions. `group_of`: a submission's id -> its group."""
        self._groups: dict[str, deque[Submission]] = {}
        for submission in submissions:
            self._groups.setdefault(group_of[submission.id], deque()).append(submission)
        self._lanes: dict[int, str] = {}

    def next_for(self, lane: int) -> Submission | None:
        if not self._groups.get(self._lanes.get(lane, "")):
            group = self._another()
            if group is None:
                return None
            self._lanes[lane] = group
        return self._groups[self._lanes[lane]].popleft()

    def _another(self) -> str | None:
        """Return the longest group that no lane has begun; else the longest of all."""
        left = {group: len(waiting) for group, waiting in self._groups.items() if waiting}
        unbegun = left.keys() - self._lanes.values()
        return max(unbegun or left, key=lambda group: (left[group], group), default=None)
