"""Remember in which functions calls of a submission hung: a later one is ended there sooner.

What a worker tells of this is not trusted. A lie would only end the student's own calls sooner, or
leave the limits as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...wire.faults import Violation
from ...wire.values import items

MOST_FUNCTIONS = 20

FunctionKey = tuple[str, int | None, int]
"""File, cell and first line of a function."""


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
    def key(self) -> FunctionKey:
        return self.file, self.cell, self.line


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
    """The functions in which calls of a submission hung, and those that the call at hand is in."""

    def __init__(self) -> None:
        self._hangs: dict[FunctionKey, int] = {}
        self._first: dict[FunctionKey, RunningFunction] = {}
        self._slow: set[FunctionKey] = set()
        """Functions from which an answer came after they had been looked at: they are slow."""
        self._always: tuple[RunningFunction, ...] = ()
        """Where the call at hand was whenever it was looked at, the innermost first."""
        self._seen = False

    def begin(self) -> None:
        """Note that a call begins."""
        self._always, self._seen = (), False

    def see(self, functions: tuple[RunningFunction, ...]) -> int:
        """Note where the call at hand is; return how many calls before it hung there."""
        now = {one.key: one for one in reversed(functions)}
        before = self._always if self._seen else functions
        self._always, self._seen = tuple(now[one.key] for one in before if one.key in now), True
        return max((self._hangs_in(key) for key in now), default=0)

    def timed_out(self) -> None:
        """Count the call at hand as one that hung."""
        if self.place is not None:
            self._first.setdefault(self.place.key, self.place)
            self._hangs[self.place.key] = self._hangs.get(self.place.key, 0) + 1

    def answered(self) -> None:
        """Note that the call at hand ended by itself."""
        self._slow.update(one.key for one in self._always)

    @property
    def place(self) -> RunningFunction | None:
        """Return the function that the call at hand stays in.

        That is one where others hung, if it is in it: looked at a few times only, a call may always
        be in what is called in the loop.
        """
        known = [self._first[one.key] for one in self._always if self._hangs_in(one.key)]
        return next(iter((*known, *self._always)), None)

    @property
    def is_known(self) -> bool:
        """Tell whether a call before this one hung where it is."""
        return any(self._hangs_in(one.key) for one in self._always)

    def _hangs_in(self, key: FunctionKey) -> int:
        return 0 if key in self._slow else self._hangs.get(key, 0)
