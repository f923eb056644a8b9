"""Record the tensors that a student's own lines compute, while a call of theirs runs.

A trace function sees the lines of their files alone. The code could take it away, or change what it
keeps: what is recorded are values that the code claims to have, and never evidence.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from inspect import CO_COROUTINE, CO_GENERATOR
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from ..wire.tensors import is_plain

MAX_ROWS = 256
MAX_NUMBERS = 1 << 13
"""The most numbers of one tensor that is kept."""
MAX_NUMBERS_IN_ALL = 1 << 19
MAX_EVENTS = 20_000
"""Calls and lines after which nothing more is recorded: each costs some microseconds."""
MAX_S = 1.0
"""The processor time of this process after which nothing is recorded: it takes some thousandths."""
FIRST_TIMES = 2
"""The first so many times that a line in a loop gives a name a value; then the last time only."""
RETURNED = "()"
"""The ending of a name that stands for what a function returned; the outermost has no other."""
OF_TORCH = ("torch/functional.py", "torch/nn/functional.py")
"""Files of torch whose functions are its operators as much as those that are not in Python."""

Place = tuple[str, "int | None"]
Trace = Callable[[FrameType, str, Any], Any]


class RecordedRow(NamedTuple):
    """A value that a line of the student's gave to a name, or computed in a part of the line."""

    file: str
    cell: int | None
    line: int
    name: str
    """The name; empty for a part of the line."""
    start: int
    """The byte of the line at which the part begins; -1 for a name."""
    end: int
    value: torch.Tensor


class Recorder:
    """The record of one call: what the lines of some files gave to names, in order."""

    def __init__(self, place: Callable[[str], Place | None]) -> None:
        """Record nothing yet. `place` maps a code file name to a file and cell, or to None."""
        self._place = place
        self._rows: dict[tuple[object, ...], RecordedRow] = {}
        self._times: dict[tuple[CodeType, int, str, tuple[int, int]], int] = {}
        self._events, self._numbers = MAX_EVENTS, MAX_NUMBERS_IN_ALL
        self._until = 0.0
        self.depth = 0
        """How many of the recorded functions are under way."""

    @property
    def rows(self) -> list[RecordedRow]:
        """Return what was recorded so far."""
        return list(self._rows.values())

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is called while this context is open."""
        before, self._until = sys.gettrace(), time.process_time() + MAX_S
        sys.settrace(self._called)
        try:
            with _Parts(self):
                yield
        finally:
            sys.settrace(before)

    def may_go_on(self) -> bool:
        """Count an event; stop for good once there were too many, or the time is over.

        When the time is over nothing is kept: what would be hangs on how busy the machine is.
        """
        self._events -= 1
        if self._events > 0 and self._events % 64 == 0 and time.process_time() > self._until:
            self._events = 0
            self._rows.clear()
        if self._events > 0:
            return True
        sys.settrace(None)
        return False

    def keep_part(self, frame: FrameType | None, value: Any) -> None:
        """Keep what an operator gave, if a line of the student's called it."""
        if frame is not None and frame.f_code.co_filename.endswith(OF_TORCH):
            frame = frame.f_back
        if frame is None or not _is_tensor(value) or not self.may_go_on():
            return
        place, code = self._place(frame.f_code.co_filename), frame.f_code
        if place is None:
            return
        positions = next(islice(code.co_positions(), frame.f_lasti // 2, None))
        line, last_line, start, end = positions
        if line is not None and line == last_line and start is not None and end is not None:
            self.keep(code, place, line, "", value, (start, end))

    def keep(
        self,
        code: CodeType,
        place: Place,
        line: int,
        name: str,
        value: torch.Tensor,
        part: tuple[int, int] = (-1, -1),
    ) -> None:
        """Keep a copy of a value, unless it is none to be compared or there is no room."""
        if not is_plain(value) or value.is_complex() or value.device.type != "cpu":
            return
        if not value.is_floating_point() and name != RETURNED:
            return  # of a mask that is returned, the line is of interest
        count = value.numel()
        if count > MAX_NUMBERS or count > self._numbers or len(self._rows) >= MAX_ROWS:
            return
        what = (code, line, name, part)
        times = self._times[what] = self._times.get(what, -1) + 1
        key = (*what, min(times, FIRST_TIMES))
        self._rows.pop(key, None)  # so that the order stays that of time
        with torch.no_grad():
            copy = value.detach().clone(memory_format=torch.contiguous_format)
        self._rows[key] = RecordedRow(*place, line, name, *part, copy)
        self._numbers -= count

    def _called(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        if not self.may_go_on():
            return None
        place = self._place(frame.f_code.co_filename)
        return None if place is None else _Lines(self, frame, place).traced


class _Lines:
    """The lines of one call of a function, as they run."""

    def __init__(self, recorder: Recorder, frame: FrameType, place: Place) -> None:
        self._recorder, self._place, self._line = recorder, place, frame.f_lineno
        self._outermost = recorder.depth == 0
        recorder.depth += 1
        self._seen = _tensors_of(frame)

    def traced(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        """Take in an event of this call; what goes wrong here never reaches the student's code."""
        try:
            with torch._C.DisableTorchFunction():
                self._take_in(frame, event, arg)
        except Exception:
            return None
        return self.traced if self._recorder.may_go_on() else None

    def _take_in(self, frame: FrameType, event: str, arg: Any) -> None:
        if event in ("line", "return"):
            self._look(frame)
            self._line = frame.f_lineno
        if event == "return":
            self._recorder.depth -= 1
            self._returned(frame, arg)

    def _look(self, frame: FrameType) -> None:
        """Record every name that has another value, or a value that was changed in place."""
        now = _tensors_of(frame)
        for name, (value, version) in now.items():
            before = self._seen.get(name)
            if before is None or before[0] is not value or before[1] != version:
                self._recorder.keep(frame.f_code, self._place, self._line, name, value)
        self._seen = now

    def _returned(self, frame: FrameType, value: Any) -> None:
        code = frame.f_code
        if code.co_flags & (CO_GENERATOR | CO_COROUTINE) or not _is_tensor(value):
            return
        if "<" in code.co_name:
            return  # a lambda or a comprehension
        name = "" if self._outermost else code.co_qualname.replace(".<locals>", "")
        self._recorder.keep(code, self._place, frame.f_lineno, name + RETURNED, value)


class _Parts(TorchFunctionMode):
    """Has the value of every operator kept that a line of the student's calls."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        with suppress(Exception), torch._C.DisableTorchFunction():
            self._recorder.keep_part(sys._getframe(1), result)
        return result


def _tensors_of(frame: FrameType) -> dict[str, tuple[torch.Tensor, int]]:
    """Return the tensors among a call's variables, and how often each was changed in place."""
    values = frame.f_locals.items()
    return {name: (value, _version(value)) for name, value in values if _is_tensor(value)}


def _is_tensor(value: Any) -> bool:
    return type(value) in (torch.Tensor, torch.nn.Parameter)


def _version(value: torch.Tensor) -> int:
    return 0 if value.is_inference() else value._version
