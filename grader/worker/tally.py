"""Share a page of memory between a worker and its judge, in which calls are counted.

A worker only adds to it, and sends no message that somebody could hold back or forge. The judge
reads nothing but numbers from it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
import tempfile
from typing import Any, NamedTuple

SIZE = 4096
MOST = 96
"""Number of things that can be counted."""
ROW = struct.Struct("=4I")
FALSE, MARKS, ROWS = 0, 1, 64
"""Offsets in the page, in bytes: of the flag that asks for wrong answers, of a byte for each event
that happened, and of a row for each thing that is counted."""


class Count(NamedTuple):
    """The runs of one counted thing: how many, and where last. A worker wrote these numbers."""

    times: int
    file: int
    """The file's number in the order in which files are sent, from 1; 0 for none."""
    cell: int
    """The cell's number; 0 for none."""
    line: int


def new_page() -> int:
    """Return a descriptor of a page of zeros that nobody else has."""
    if sys.platform == "linux":
        fd = os.memfd_create("tally", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, SIZE)
    return fd


class Tally:
    """The judge's view of one tally page."""

    def __init__(self, fd: int) -> None:
        self._page = mmap.mmap(fd, SIZE)
        self._seen = bytes(MOST * ROW.size)

    def news(self) -> list[tuple[int, Count]]:
        """Return the counts that changed since the last call, by number."""
        page, before = self._page[ROWS : ROWS + MOST * ROW.size], self._seen
        if page == before:
            return []
        self._seen = page
        rows = zip(ROW.iter_unpack(page), ROW.iter_unpack(before), strict=True)
        return [(n, Count(*now)) for n, (now, then) in enumerate(rows) if now[0] != then[0]]

    def events(self) -> list[int]:
        """Return the numbers of the events that happened."""
        return [n for n, mark in enumerate(self._page[MARKS:ROWS]) if mark]

    def falsify(self, on: bool) -> None:
        """Make what is counted give wrong answers, or right ones again."""
        self._page[FALSE] = on

    def close(self) -> None:
        self._page.close()


def mapped(fd: int) -> Any:
    """Map the page into the worker's memory: an array of bytes that lasts as long as the process.

    The module `mmap` is not used, because it keeps a descriptor: a worker closes those that it was
    given. Raises OSError.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    numbers = (ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *numbers)
    address = libc.mmap(None, SIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return (ctypes.c_ubyte * SIZE).from_address(address)
