"""Remember in which loops calls of a submission hung: a later one is ended there sooner.

What a worker tells of this is not trusted. A lie would only end the student's own calls sooner, or
leave the limits as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...wire.faults import Violation
from ...wire.values import items

MOST_FUNCTIONS = 20

LoopKey = tuple[str, int | None, int, int]
"""File, cell and first line of a function, and the line of a loop in it."""


@dataclass(frozen=True)
class RunningFunction:
    """A function of the student's that a call is in, and the line of the loop that it is in."""

    file: str
    cell: int | None
    line: int
    """The line that it is defined in."""
    loop: int | None = None
    """None if it is in no loop."""

    @property
    def function(self) -> tuple[str, int | None, int]:
        return self.file, self.cell, self.line

    @property
    def key(self) -> LoopKey | None:
        return None if self.loop is None else (*self.function, self.loop)


def running_functions(value: Any) -> tuple[RunningFunction, ...]:
    """Read what a worker tells of a call, the innermost function first. Raises Violation."""
    return tuple(map(_running_function, items(value)[:MOST_FUNCTIONS]))


def _running_function(row: Any) -> RunningFunction:
    match row:
        case [str(), int() | None, int(), int() | None]:
            return RunningFunction(*row)
    raise Violation("running function")


def head_of_loop(text: bytes, line: int) -> int:
    """Return the line of the `for` or `while` that a loop begins with, given one of its first.

    Python keeps no line of a `while True`.

    >>> head_of_loop(b"while True:\\n    # on and on\\n    step()", 3)
    1
    """
    lines = text.split(b"\n")[:line]
    inside = _indentation(lines[-1])
    for number, above in reversed([*enumerate(lines, 1)]):
        is_head = above.split(maxsplit=1)[:1] in ([b"for"], [b"while"], [b"async"])
        if is_head and (number == line or _indentation(above) < inside):
            return number
    return line


def _indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip())


class HangPlaces:
    """The loops in which calls of a submission hung, and those that the call at hand is in."""

    def __init__(self) -> None:
        self._hangs: dict[LoopKey, int] = {}
        self._slow: set[LoopKey] = set()
        """Loops from which an answer came after they had been looked at: they are slow."""
        self._always: tuple[RunningFunction, ...] = ()
        """Where the call at hand was whenever it was looked at, the innermost first."""
        self._seen = False

    def begin(self) -> None:
        """Note that a call begins."""
        self._always, self._seen = (), False

    def see(self, functions: tuple[RunningFunction, ...]) -> int:
        """Note where the call at hand is; return how many calls before it hung there."""
        now = {one.function: one for one in reversed(functions)}
        before = self._always if self._seen else functions
        still = (now[one.function] for one in before if one.function in now)
        self._always, self._seen = tuple(still), True
        return max(map(self._hangs_in, functions), default=0)

    def timed_out(self) -> None:
        """Count the call at hand as one that hung."""
        if self.place is not None and (key := self.place.key) is not None:
            self._hangs[key] = self._hangs.get(key, 0) + 1

    def answered(self) -> None:
        """Note that the call at hand ended by itself."""
        self._slow.update(one.key for one in self._always if one.key is not None)

    @property
    def place(self) -> RunningFunction | None:
        """Return the function that the call at hand stays in.

        That is one in whose loop others hung, if it is in it: looked at a few times only, a call
        may always be in what is called in the loop.
        """
        known = [one for one in self._always if self._hangs_in(one)]
        return next(iter((*known, *self._always)), None)

    @property
    def is_known(self) -> bool:
        """Tell whether a call before this one hung where it is."""
        return any(map(self._hangs_in, self._always))

    def _hangs_in(self, function: RunningFunction) -> int:
        """Count the calls that hung in the loop that a function is in."""
        key = function.key
        return 0 if key is None or key in self._slow else self._hangs.get(key, 0)
