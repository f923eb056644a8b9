"""Split a class into shards that different machines grade."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.batch.discovery import BatchError, Entry

_SHARD = re.compile(r"([1-9]\d{0,4})/([1-9]\d{0,4})")


@dataclass(frozen=True)
class Shard:
    """One of several parts of a class, of about the same size."""

    number: int
    """Counted from 1."""
    of: int

    def holds(self, entry: Entry) -> bool:
        """Return whether a submission is of this shard; its id alone decides."""
        digest = hashlib.sha256(entry.id.encode()).digest()
        return int.from_bytes(digest[:8]) % self.of == self.number - 1


def read_shard(text: str) -> Shard:
    """Return the shard in a text such as `2/4`. Raises BatchError."""
    match = _SHARD.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise BatchError(f"--shard {text}: expected which of how many, such as 1/4 to 4/4.")
    return Shard(int(match[1]), int(match[2]))


def split(
    shard: Shard | None, entries: Iterable[Entry], others: Iterable[Entry]
) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Return the entries of a shard, and all that are left to others."""
    known = tuple(entries)
    if shard is None:
        return known, tuple(others)
    own = tuple(entry for entry in known if shard.holds(entry))
    rest = (entry for entry in known if not shard.holds(entry))
    return own, (*others, *rest)
