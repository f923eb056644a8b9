"""Find the row of another system's file that each student of ours is meant by.

An id of ours is a name of the roster, or the name of a download: `kimminjun_12345` of Canvas,
`Kim Minjun_4711` of Moodle. Points of one student must never reach another: where two rows could be
meant, or number and name disagree, none is filled.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.report.cleaning import one_line
from grader.text.problem import quoted

_DOWNLOAD = re.compile(r"(?P<name>.*)_(?P<number>\d+)")


@dataclass(frozen=True)
class Addressee:
    """A row of the other system's file, and what it calls its student."""

    line: int
    number: str
    """The number that the system puts into the names of downloads."""
    keys: tuple[str, ...] = ()
    """Other names that are only one student's: SIS ids, logins, addresses; the surest first."""
    name: str = ""

    @property
    def shown(self) -> str:
        return one_line(self.name or self.number)


@dataclass(frozen=True)
class Matches:
    """The students that were found in the file, and those who were not."""

    by_line: Mapping[int, str] = field(default_factory=dict)
    """Maps the line of a row to the id of our student."""
    unplaced: tuple[tuple[str, str], ...] = ()
    """Ids of ours without a row, each with the reason."""
    others: tuple[str, ...] = ()
    """Students of the file who are none of ours."""


class _Index:
    """The rows by each of their names."""

    def __init__(self, rows: Sequence[Addressee]) -> None:
        depth = max((len(row.keys) for row in rows), default=0)
        self.by_number = _grouped((_plain(row.number), row) for row in rows)
        self.by_key = [
            _grouped((_plain(row.keys[n]), row) for row in rows if n < len(row.keys))
            for n in range(depth)
        ]
        self.by_name = _grouped((_words(row.name), row) for row in rows)

    def meant(self, id: str) -> list[Addressee] | str:
        """Return the rows that an id can mean, or say why none is taken."""
        for group in (self.by_number, *self.by_key):
            if rows := group.get(_plain(id)):
                return rows
        download = _DOWNLOAD.fullmatch(id)
        if download and (rows := self.by_number.get(_plain(download["number"]))):
            return _agreeing(rows, download["name"])
        return self.by_name.get(_words(id)) or "not in the file"


def match(ids: Iterable[str], rows: Sequence[Addressee]) -> Matches:
    """Return which row is which student's."""
    index = _Index(rows)
    claims: dict[int, list[str]] = defaultdict(list)
    unplaced: dict[str, str] = {}
    for id in ids:
        meant = index.meant(id)
        if isinstance(meant, str):
            unplaced[id] = meant
        elif len(meant) > 1:
            lines = " and ".join(str(row.line) for row in meant[:2])
            unplaced[id] = f"lines {lines} can both be meant"
        else:
            claims[meant[0].line].append(id)
    for line, claimed in claims.items():
        if len(claimed) > 1:
            both = " and ".join(quoted(one_line(id)) for id in claimed[:2])
            unplaced |= dict.fromkeys(claimed, f"line {line} can be meant by {both}")
    by_line = {line: claimed[0] for line, claimed in claims.items() if len(claimed) == 1}
    others = tuple(row.shown for row in rows if row.line not in by_line)
    return Matches(by_line, tuple(sorted(unplaced.items())), others)


def _agreeing(rows: list[Addressee], name: str) -> list[Addressee] | str:
    """Return the rows, unless their name is another one than that of the download."""
    for row in rows:
        if row.name and _letters(name) and _letters(name) != _letters(row.name):
            return f"line {row.line} has that number and the name {quoted(row.shown)}"
    return rows


def _grouped(pairs: Iterable[tuple[str, Addressee]]) -> dict[str, list[Addressee]]:
    groups: dict[str, list[Addressee]] = defaultdict(list)
    for key, row in pairs:
        if key:
            groups[key].append(row)
    return groups


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _words(name: str) -> str:
    """Return the words of a name in an order of their own: `Kim, Min` is `Min Kim`."""
    return " ".join(sorted(re.findall(r"\w+", _plain(name))))


def _letters(name: str) -> str:
    """Return the letters of a name, sorted: in downloads a name has no blanks."""
    return "".join(sorted(filter(str.isalnum, _plain(name))))
