"""Send files beside a message: their names and sizes in it, their bytes one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .faults import Violation

Sizes = list[list[Any]]
"""A row for each file: its path and the number of its bytes."""


def sizes_of(files: Mapping[str, bytes]) -> Sizes:
    """Return the rows that describe `files`, whose contents are sent in the same order."""
    return [[name, len(data)] for name, data in files.items()]


def files_of(sizes: Sizes, payload: bytearray) -> dict[str, bytes]:
    """Return the files that `sizes` describes, cut out of a message's payload.

    Raises:
        Violation: the payload is shorter or longer than the files together.
    """
    files, start = {}, 0
    for name, size in sizes:
        files[name] = bytes(payload[start : start + size])
        start += size
    if start != len(payload):
        raise Violation("sizes of files")
    return files
