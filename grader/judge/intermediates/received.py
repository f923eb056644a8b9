"""Check what a worker sends of the tensors that a student's lines computed; it is untrusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import torch

from ...grade.evidence import Where
from ...wire.tensors import is_plain
from ...worker.recording import MAX_NUMBERS, MAX_NUMBERS_IN_ALL, MAX_ROWS, RETURNED
from ..calls.client import Client

MAX_NAME = 60
MAX_LINE = 10_000
NO_PART = (-1, -1)
MAX_DIMENSIONS = 8
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class OwnValue:
    """A tensor that a line of the student's computed, as they claim."""

    where: Where
    name: str
    """The name that it got; one that ends in `RETURNED` is that of a function. Empty for a part."""
    part: tuple[int, int]
    """The bytes of the line that computed it, for a part of a line; (-1, -1) for a name."""
    time: int
    """The number of the time that the line gave this name a value."""
    value: torch.Tensor

    @property
    def key(self) -> tuple[Where, str, tuple[int, int], int]:
        """Return what two runs of the same call have in common."""
        return self.where, self.name, self.part, self.time


def own_values(sent: Any, client: Client) -> list[OwnValue]:
    """Return what was sent, as far as it names lines and names that stand in the student's files.

    Anything malformed ends the list: the worker's own code sends nothing of the kind.
    """
    values: list[OwnValue] = []
    times: dict[tuple[Where, str, tuple[int, int]], int] = {}
    room = MAX_NUMBERS_IN_ALL
    for row in sent[:MAX_ROWS] if type(sent) is list else ():
        if type(row) is not tuple or len(row) != 7:
            break
        file, cell, line, name, start, end, value = row
        where, part = client.own_line(file, cell, line), _part(start, end)
        if where is None or part is None or not _is_value(value, room):
            break
        if not value.is_floating_point() and name != RETURNED:
            break
        if not (_is_name(name) if part == NO_PART else name == ""):
            break
        if not all(client.has_written(where.file, word) for word in _words(name)):
            break
        room -= value.numel()
        what = where, name, part
        times[what] = times.get(what, 0) + 1
        values.append(OwnValue(*what, times[what], value.detach()))
    return values


def _part(start: Any, end: Any) -> tuple[int, int] | None:
    """Return the part of a line, NO_PART for none of it; None if it is malformed."""
    if type(start) is not int or type(end) is not int:
        return None
    fits = 0 <= start < end <= MAX_LINE
    return (start, end) if fits or (start, end) == NO_PART else None


def _is_name(name: Any) -> bool:
    if type(name) is not str or len(name) > MAX_NAME:
        return False
    if name.endswith(RETURNED):
        return all(_NAME.fullmatch(word) for word in _words(name))
    return _NAME.fullmatch(name) is not None


def _words(name: str) -> list[str]:
    """Return the names of a class and of its function, or the only name; none for no name."""
    return [word for word in name.removesuffix(RETURNED).split(".") if word]


def _is_value(value: Any, room: int) -> bool:
    if not isinstance(value, torch.Tensor) or not is_plain(value) or value.is_meta:
        return False
    fits = value.dim() <= MAX_DIMENSIONS and value.numel() <= min(MAX_NUMBERS, room)
    return fits and not value.is_complex()
