"""Record which of some functions and modules really run while student code is called.

A profile hook sees them under whatever name the code calls them, and changes nothing that is
computed. It is not called for what C calls (`map(torch.relu, ...)`), and the code could take it
away: what is seen is a hint and never evidence.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch

Row = list[str | int | None]
"""Name of a function that ran; file, cell and line of the student's that led to it."""

MAX_EVENTS = 50_000
"""Python and C calls after which the hook is removed: each costs a microsecond."""


class Operations:
    """A watcher for functions and modules by dotted names, such as `torch.nn.Linear`."""

    def __init__(
        self, names: Sequence[str], place: Callable[[str], tuple[str, int | None] | None]
    ) -> None:
        self._place, self._left = place, MAX_EVENTS
        self._codes: dict[CodeType, str] = {}
        self._builtins: dict[int, tuple[str, object]] = {}
        """By identity, with the object itself so that its number is never used for another
        object."""
        self._rows: dict[str, Row] = {}
        for name in names:
            self._watch(name, named(name))

    def _watch(self, name: str, value: object) -> None:
        if isinstance(value, type) and issubclass(value, torch.nn.Module):
            value = value.forward
        if isinstance(value, FunctionType):
            self._codes[value.__code__] = name
        elif callable(value) and not isinstance(value, type):
            self._builtins[id(value)] = name, value

    @property
    def rows(self) -> list[Row]:
        """Return one row for each name that ran: its first time."""
        return list(self._rows.values())

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch while this context is open, unless another profile hook is set."""
        if sys.getprofile() is not None:
            yield
            return
        sys.setprofile(self._hook)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _hook(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            name = self._codes.get(frame.f_code)
        elif event == "c_call":
            name = self._builtins.get(id(arg), (None, None))[0]
        else:
            return
        self._left -= 1
        if self._left < 0:
            sys.setprofile(None)
        elif name is not None and name not in self._rows:
            self._rows[name] = [name, *self._line(frame)]

    def _line(self, frame: FrameType | None) -> tuple[str | None, int | None, int | None]:
        """Return file, cell and line of the innermost frame that is the student's."""
        while frame is not None:
            place = self._place(frame.f_code.co_filename)
            if place is not None:
                return *place, frame.f_lineno
            frame = frame.f_back
        return None, None, None


def named(name: str) -> object:
    """Return the object of a dotted name; None if it or its imported module is not there."""
    value: object = sys.modules.get(name.partition(".")[0])
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value
