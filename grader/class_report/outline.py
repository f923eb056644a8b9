"""Define the parts of a class report before any format: sections, tables, cells, and pictures.

Whatever has a number has a place to say what to do about it, and the students behind it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import overload

from grader.grade.evidence import Picture, Weights
from grader.statistics.proportion import Proportion

DASH = "–"
"""Stands where there is nothing to say."""


@dataclass(frozen=True)
class TableCell:
    """One value of a table."""

    text: str
    sort: float | str | None = None
    """The value to sort by, if it is not the text."""
    people: tuple[int, ...] | None = None
    """The students behind the number, as places among all people; None if it has none."""
    strip: tuple[float | None, ...] = ()
    """Shares from 0 to 1 to draw, such as those of the fifths of a class."""
    interval: tuple[float, float, float] | None = None
    """A share with the two ends of its interval, to draw."""
    is_warning: bool = False
    name: str = ""
    """The id of the row, for a cell that other places link to."""

    @property
    def plain(self) -> str:
        """Return the text without what only a picture says, for a file."""
        return self.text


Row = tuple[TableCell, ...]


class RowsOnDemand(Sequence[Row]):
    """The rows of a long table, each made when it is looked at: a page shows the first few."""

    def __init__(self, items: Sequence[int], make: Callable[[int], Row]) -> None:
        self._items, self._make = items, make

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        if isinstance(at, slice):
            return tuple(map(self._make, self._items[at]))
        return self._make(self._items[at])


@dataclass(frozen=True)
class Column:
    """The heading of a column, and how to read what is in it."""

    heading: str
    reading: str = ""
    """What the number means and what to do about it; empty if the heading says it all."""
    is_number: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table of the page, and a file of its own."""

    name: str
    """The name of its file, without ending."""
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    empty: str = ""
    """What to say if there is no row."""
    is_folded: bool = False
    """True if a reader has to unfold it: a long table that few need."""
    shown: int | None = None
    """The most rows on the page; the file has all. None for all."""

    @property
    def has_readings(self) -> bool:
        return any(column.reading for column in self.columns)


@dataclass(frozen=True)
class Bars:
    """A histogram: counts side by side."""

    title: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    marks: tuple[tuple[str, float], ...] = ()
    """Values to mark on the axis, from 0 to 1, each with a word."""


@dataclass(frozen=True)
class Dot:
    """A point of a scatter."""

    label: str
    x: float
    y: float
    is_warning: bool = False


@dataclass(frozen=True)
class Scatter:
    """Points over two axes, with the region in which they should lie."""

    title: str
    x_label: str
    y_label: str
    dots: tuple[Dot, ...]
    norms: tuple[float, float, float]
    """From which to which x, and from which y on, a point is as it should be."""


@dataclass(frozen=True)
class Card:
    """A mistake of the class, to be spoken of in a lecture."""

    title: str
    count: TableCell
    lines: tuple[tuple[str, str], ...]
    """Pairs of a label and a sentence."""
    fifths: TableCell | None = None
    """The share of each fifth of the class that has it, lowest marks first."""
    drawing: Picture | Weights | None = None
    """The work of one student who made it, as a picture for the lecture."""


@dataclass(frozen=True)
class Section:
    """A part of the report with a heading."""

    id: str
    title: str
    lead: tuple[str, ...] = ()
    """Sentences that say the most important first."""
    warning: str = ""
    bars: Bars | None = None
    scatter: Scatter | None = None
    cards: tuple[Card, ...] = ()
    tables: tuple[Sheet, ...] = ()


@dataclass(frozen=True)
class ClassReport:
    """Everything that a page and the files of a class report say."""

    title: str
    course: str
    people: tuple[str, ...]
    """The ids of everybody; cells name them by their places."""
    summary: tuple[tuple[str, str], ...]
    """The lines on top: what to look at first, each with the id of its section."""
    sections: tuple[Section, ...] = field(default=())
    ending: tuple[tuple[str, str], ...] = ()
    mails: tuple[str, ...] = ()
    """An address for each of the people, empty where none is known; () if there are none."""


def text(value: str, name: str = "", *, is_warning: bool = False) -> TableCell:
    """Return a cell of words."""
    return TableCell(value, name=name, is_warning=is_warning)


def count(value: int, people: Iterable[int] | None = None) -> TableCell:
    """Return a cell with a count, and the students that it counts."""
    behind = None if people is None else tuple(people)
    return TableCell(str(value), float(value), behind if value else None)


def number(value: float | None, digits: int = 2, *, is_warning: bool = False) -> TableCell:
    """Return a cell with a number; a dash for none."""
    if value is None or not math.isfinite(value):
        return TableCell(DASH, -math.inf)
    rounded = round(value, digits) + 0.0  # no minus before a zero
    return TableCell(f"{rounded:.{digits}f}", value, is_warning=is_warning)


def percent(value: float | None, *, is_warning: bool = False, digits: int = 0) -> TableCell:
    """Return a cell with a share as a percentage; a dash for none."""
    if value is None or not math.isfinite(value):
        return TableCell(DASH, -math.inf)
    return TableCell(f"{value:.{digits}%}", value, is_warning=is_warning)


def proportion(value: Proportion, people: Iterable[int] | None = None) -> TableCell:
    """Return a cell with a share of a class and its interval, to be drawn too."""
    if value.share is None or value.interval is None:
        return TableCell(DASH, -math.inf)
    low, high = value.interval
    behind = None if people is None or not value.count else tuple(people)
    words = f"{value.share:.0%} ({low:.0%}–{high:.0%})"
    return TableCell(words, value.share, behind, interval=(value.share, low, high))


def strip(values: Iterable[float]) -> TableCell:
    """Return a cell with a share for each fifth of a class."""
    known = tuple(None if math.isnan(value) else float(value) for value in values)
    words = " ".join(DASH if value is None else f"{value:.0%}" for value in known)
    first, last = known[0], known[-1]
    rise = -math.inf if first is None or last is None else last - first
    return TableCell(words, rise, strip=known)
