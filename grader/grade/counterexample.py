"""Hold a smallest counterexample: a tiny input on which an answer is clearly wrong.

Pure data, as small as a person can check with pencil and paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SmallArray:
    """A named array of a few numbers, as they are written."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[str, ...]
    """The entries, row by row: `0.5`, `True`, `nan`."""
    axes: tuple[str, ...] = ()
    """The meaning of each axis in a word, as far as it is known: `query`; empty for none."""

    @property
    def text(self) -> str:
        """Return the array as nested lists.

        >>> SmallArray("x", (1, 2), ("0.5", "1")).text
        '[[0.5, 1]]'
        """
        return nested(self.entries, self.shape)


@dataclass(frozen=True)
class Counterexample:
    """A call of a student's function or module with an answer that is clearly wrong.

    Its input is never one of a hidden check.
    """

    call: str
    """The call as it is typed: `attention_scores(query, key)`."""
    inputs: tuple[SmallArray, ...]
    weights: tuple[SmallArray, ...]
    """The parameters of a module, by the student's own names; empty for a function."""
    expected: SmallArray
    yours: SmallArray | None
    """The student's answer; None if it is no array that could be compared."""
    instead: str
    """What came instead of an array, in words: an exception, a tuple of another length."""
    wrong: int
    """The number of the first wrong entry, counted row by row; -1 if the shapes differ."""
    words: tuple[str, ...]
    """The arithmetic of that entry, a sentence each."""
    snippet: str
    """Code to paste into a notebook after the student's own definitions."""


def nested(entries: Sequence[str], shape: Sequence[int]) -> str:
    """Write entries as nested lists of that shape.

    >>> nested(["1", "2", "3", "4"], (2, 2)), nested(["7"], ()), nested([], (0, 2))
    ('[[1, 2], [3, 4]]', '7', '[]')
    """
    if not shape:
        return entries[0]
    step = len(entries) // shape[0] if shape[0] else 0
    rows = [nested(entries[n * step : (n + 1) * step], shape[1:]) for n in range(shape[0])]
    return f"[{', '.join(rows)}]"
