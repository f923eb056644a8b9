"""Describe a problem in a file a person wrote: its place, and words that help to mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from .language import _

Trail = tuple[str | int, ...]
"""The keys and list indices that lead from the root of the file to a place."""

SHOWN_CHARACTERS = 40
LISTED_OPTIONS = 12


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file, and the place to mend it.

    >>> print(Problem("rubric.yaml", 6, 13, "exercises.a1.sdpa", "missing key 'criteria'"))
    rubric.yaml:6:13  exercises.a1.sdpa: missing key 'criteria'
    """

    file: str
    line: int
    """Counted from 1; 0 when the problem is the file itself."""
    column: int
    path: str
    """The dotted path, such as `exercises.a1.sdpa.targets[0]`; empty for the whole file."""
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        what = f"{self.path}: {self.message}" if self.path else self.message
        return f"{where}  {what}"


def dotted(trail: Trail) -> str:
    """Return the trail as people read it.

    >>> dotted(("exercises", "a1.sdpa", "targets", 0))
    'exercises.a1.sdpa.targets[0]'
    """
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in trail).removeprefix(".")


def quoted(text: str) -> str:
    """Return the text in single quotes, on one line and cut to a readable length."""
    line = text.replace("\n", "\\n")
    return f"'{line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + '…'}'"


def closest(word: str, options: Iterable[str]) -> str | None:
    """Return the option that the word is probably a misspelling of, or None.

    >>> closest("Critera", ["targets", "criteria"])
    'criteria'
    """
    by_lower = {option.lower(): option for option in options}
    near = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[near[0]] if near else None


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Return the end of a message: a suggestion, or the options to choose from.

    >>> did_you_mean("critera", ["targets", "criteria"])
    " - did you mean 'criteria'?"
    >>> did_you_mean("zzz", ["targets", "criteria"])
    " - expected one of 'targets', 'criteria'"
    """
    options = tuple(options)
    if near := closest(word, options):
        return _(" - did you mean {name}?", name=quoted(near))
    if not options:
        return ""
    listed = ", ".join(map(quoted, options[:LISTED_OPTIONS]))
    more = ", …" if len(options) > LISTED_OPTIONS else ""
    if len(options) == 1:
        return _(" - expected {option}", option=listed)
    return _(" - expected one of {options}", options=f"{listed}{more}")
