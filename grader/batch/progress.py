"""Keep count of a class while it is graded: done, waiting, at work, and how long it may take."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from grader.batch.gradebook import Row
from grader.batch.summary import NOTHING

LATEST = 256
"""The time that is left goes by so many that ended last."""


def _ignore(_student: str) -> None:
    """Do nothing with the news."""


@dataclass(frozen=True)
class Steps:
    """The callbacks for what happens to a submission before it has a row; each gets its id."""

    on_start: Callable[[str], None] = _ignore
    """It is being graded from now on."""
    on_put_off: Callable[[str], None] = _ignore
    """Something could not be checked: it waits for a second try."""
    on_leave: Callable[[str], None] = _ignore
    """It is not graded in this run."""


UNSEEN = Steps()


@dataclass(frozen=True)
class ClassState:
    """The state of a class at one moment."""

    done: int
    waiting: int
    unchecked: int
    """The number of those done that could not be read, or not wholly checked."""
    at_work: int
    left_s: float | None = None
    """The time that the rest takes if each takes the median; None before any is done."""
    slowest: tuple[str, float] | None = None
    """The submission that has been at work longest, and for how many seconds."""

    @property
    def all(self) -> int:
        return self.done + self.waiting + self.at_work

    @property
    def counts(self) -> str:
        """Return the numbers in words, for one line."""
        words = f"{self.waiting} waiting, {self.unchecked} could not be checked"
        if self.left_s is None or not self.waiting + self.at_work:
            return words
        return f"{words}, {about(self.left_s)} left"

    @property
    def slowest_at_work(self) -> str:
        """Return the submission that has taken longest so far; nothing if none is at work."""
        return (
            f"slowest at work: {self.slowest[0]}, {self.slowest[1]:.0f} s" if self.slowest else ""
        )


def about(seconds: float) -> str:
    """Return a time as people say it, rounded up.

    >>> about(8), about(61), about(3700)
    ('about 10 s', 'about 2 min', 'about 1 h 2 min')
    """
    if seconds <= 50:
        return f"about {max(1, math.ceil(seconds / 10)) * 10} s"
    minutes = math.ceil(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60} h {minutes % 60} min"


class ProgressCount:
    """Counts a class as news of it arrive, and says how far it has come."""

    def __init__(self, waiting: int, lanes: int, clock: Callable[[], float]) -> None:
        self._waiting, self._lanes, self._clock = waiting, lanes, clock
        self._began: dict[str, float] = {}
        self._took: deque[float] = deque(maxlen=LATEST)
        self._done = self._unchecked = 0

    @property
    def steps(self) -> Steps:
        return Steps(self._start, self._put_off, self._leave)

    def finish(self, row: Row) -> None:
        """Count a student who has a row; most were at work before, and some need no work."""
        self._stop(row.id)
        self._waiting -= 1
        self._done += 1
        is_unread = row.total is None and row.problem != NOTHING
        self._unchecked += is_unread or bool(row.unchecked)

    def now(self) -> ClassState:
        """Return the state at this moment; another thread may call it."""
        began, now = dict(self._began), self._clock()
        waiting = max(0, self._waiting - len(began))
        first = min(began, key=lambda id: began[id], default=None)
        slowest = None if first is None else (first, now - began[first])
        left_s = None
        if self._took:
            each = median(list(self._took))  # one step: another thread adds to it
            rest = sum(max(0.0, each - (now - since)) for since in began.values())
            left_s = (each * waiting + rest) / self._lanes
        return ClassState(self._done, waiting, self._unchecked, len(began), left_s, slowest)

    def _start(self, id: str) -> None:
        self._began[id] = self._clock()

    def _stop(self, id: str) -> None:
        if id in self._began:
            self._took.append(self._clock() - self._began.pop(id))

    def _put_off(self, id: str) -> None:
        self._stop(id)

    def _leave(self, _id: str) -> None:
        self._waiting -= 1
