"""Tell the judge where a call is that computes for long: in which functions, and in which loop.

It is a hint and never evidence: student code could take the timer away, or say something else.
"""

from __future__ import annotations

import dis
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType

from ..wire import frame as messages

AFTER_S = 0.03
"""The processor time, in seconds, after which a call is looked at for the first time."""
EVERY_S = 0.02
"""The processor time between two looks. Python looks for signals where functions and rounds of a
loop begin: it takes many to see that a call is not always in what the loop calls."""
TELL_EVERY = 15
"""So many looks are told at once."""
MOST_FUNCTIONS = 20

Place = Callable[[str], "tuple[str, int | None] | None"]
Row = list[str | int | None]
"""File and cell of a function of the student's, its first line, and the line that its loop is at.

Without a loop the last one is None."""

_SENDING = frozenset(
    value.__code__ for value in vars(messages.Channel).values() if hasattr(value, "__code__")
)
"""What must not be interrupted by another message."""
_BACKWARD = frozenset(
    name for name in dis.opname if name.startswith("JUMP_BACKWARD") or "_BACKWARD_" in name
)


class SlowCall:
    """Looks at a call of the student's code again and again, once it has computed for a while."""

    def __init__(self, tell: Callable[[list[Row]], None], place: Place) -> None:
        """Call `tell` with the functions in which a call always was, the innermost first."""
        self._tell, self._place = tell, place
        self._is_watched = False
        self._looks = 0
        self._always: list[FrameType] = []
        """The runs of functions in which the call was at every look, the innermost first."""

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at what runs meanwhile; a call within a call is looked at already."""
        if self._is_watched or not self._begin():
            yield
            return
        try:
            yield
        finally:
            self._is_watched = False
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            self._always.clear()

    def _begin(self) -> bool:
        try:
            if signal.getsignal(signal.SIGPROF) != self._look:
                signal.signal(signal.SIGPROF, self._look)
        except ValueError:  # not in the main thread
            return False
        self._looks = 0
        self._is_watched = True
        signal.setitimer(signal.ITIMER_PROF, AFTER_S, EVERY_S)
        return True

    def _look(self, _number: int, frame: FrameType | None) -> None:
        if self._is_watched:
            with suppress(Exception):  # no error of ours in the middle of their code
                self._look_at(frame)

    def _look_at(self, frame: FrameType | None) -> None:
        frames = []
        while frame is not None:
            if frame.f_code in _SENDING:
                return
            if self._place(frame.f_code.co_filename) is not None:
                frames.append(frame)
            frame = frame.f_back
        before = {*map(id, self._always if self._looks else frames)}
        self._always = [frame for frame in frames if id(frame) in before]
        if self._looks % TELL_EVERY == 0:
            self._tell([self._row(frame) for frame in self._always[:MOST_FUNCTIONS]])
        self._looks += 1

    def _row(self, frame: FrameType) -> Row:
        file, cell = self._place(frame.f_code.co_filename) or ("", None)
        return [file, cell, frame.f_code.co_firstlineno, _loop(frame)]


def _loop(frame: FrameType) -> int | None:
    """Return the line at which the outermost loop begins that a function is in at the moment.

    >>> import sys
    >>> def count(most):
    ...     number = 0
    ...     while number < most:
    ...         for _ in range(3):
    ...             if number := number + 1:
    ...                 line = _loop(sys._getframe())
    ...     return line
    >>> count(5)
    3
    """
    here, code = frame.f_lasti, frame.f_code
    loops = [(start, line) for start, end, line in _loops(code) if start <= here <= end]
    return min(loops)[1] if loops else None


def _loops(code: CodeType) -> Iterator[tuple[int, int, int]]:
    """Yield of every loop where its instructions begin and end, and the line of its head."""
    steps = list(dis.get_instructions(code))
    places = {step.offset: number for number, step in enumerate(steps)}
    lines = {offset: line for offset, line in dis.findlinestarts(code) if line is not None}
    for step in steps:
        if step.opname not in _BACKWARD or not isinstance(step.argval, int):
            continue
        start = step.argval
        before = steps[places[start] - 1]
        # The test of a `while` stands before its body, and once more at the end of it.
        is_test = "JUMP" in before.opname and (before.argval or 0) > step.offset
        at = before.offset if is_test else start
        yield start, step.offset, lines[max(offset for offset in lines if offset <= at)]
