"""Read a CSV file that another system wrote, with the place of every cell in it.

A file can be filled so that nothing else in it changes by a byte: which characters are the cell is
known, and the rest of the text is copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.cells import separator
from grader.export.exported import ExportError
from grader.report.cleaning import one_line

LIMIT_BYTES = 64 << 20
LIMIT_CELL = 1_000_000
"""The most characters of a cell."""
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"')
_AGAIN = "Download it again, and do not change its form."


@dataclass(frozen=True)
class TextCell:
    """A cell, and the characters of the file that it consists of."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class TableRow:
    """The cells of one row, and the line that it begins in."""

    line: int
    cells: tuple[TextCell, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(cell.text for cell in self.cells)

    @property
    def is_blank(self) -> bool:
        return not any(cell.text.strip() for cell in self.cells)


@dataclass(frozen=True)
class DownloadedTable:
    """A file of rows with equally many cells, the first of which names the columns."""

    path: Path
    text: str
    """The whole text without its byte order mark."""
    mark: bytes
    """The byte order mark; empty if there is none."""
    encoding: str
    separator: str
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    """All rows below the header but blank ones."""

    def place(self, row: TableRow) -> str:
        return f"{self.path}:{row.line}"

    def filled(self, cells: Mapping[TextCell, str]) -> bytes:
        """Return the file with other texts in some cells, and every other byte as it was.

        A letter that the encoding lacks becomes a question mark.
        """
        pieces, end = [], 0
        for cell, text in sorted(cells.items(), key=lambda pair: pair[0].start):
            pieces += [self.text[end : cell.start], quoted_cell(text, self.separator)]
            end = cell.end
        pieces.append(self.text[end:])
        return self.mark + "".join(pieces).encode(self.encoding, "replace")

    def lacks(self, text: str) -> bool:
        """Tell whether the encoding lacks a letter of the text."""
        return text.encode(self.encoding, "replace") != text.encode(self.encoding, "ignore")


def quoted_cell(text: str, separator: str = ",") -> str:
    """Return a cell as it is written, in quotation marks where it needs them.

    >>> quoted_cell("3.5"), quoted_cell("a, b")
    ('3.5', '"a, b"')
    """
    if any(sign in text for sign in (separator, '"', "\n", "\r")):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def read_table(path: Path) -> DownloadedTable:
    """Return the table in a file: UTF-8, UTF-16 or Korean CP949, with commas, semicolons or tabs.

    Raises ExportError, with file and line, for anything else.
    """
    mark, encoding, text = _decoded(path, _read(path))
    sign = separator(text)
    rows = [row for row in _rows(path, text, sign) if not row.is_blank]
    if not rows:
        raise ExportError(f"{path}: there is nothing in it. {_AGAIN}")
    header = tuple(cell.text.strip() for cell in rows[0].cells)
    for row in rows[1:]:
        if len(row.cells) != len(header):
            counts = f"{len(row.cells)} cells, and the header has {len(header)}"
            raise ExportError(f"{path}:{row.line}: {counts}. {_AGAIN}")
        if tuple(cell.text.strip() for cell in row.cells) == header:
            raise ExportError(
                f"{path}:{row.line}: the header of line {rows[0].line} once more. "
                "Name one file; do not paste two together."
            )
    return DownloadedTable(path, text, mark, encoding, sign, header, tuple(rows[1:]))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise ExportError(f"{path}: cannot be read ({error.strerror}). Check the path.") from error
    if len(data) > LIMIT_BYTES:
        raise ExportError(f"{path}: larger than {LIMIT_BYTES >> 20} MiB. Is it the right file?")
    return data


def _decoded(path: Path, data: bytes) -> tuple[bytes, str, str]:
    """Return the byte order mark, the encoding and the text of a file."""
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    for encoding in (_MARKS[mark],) if mark else ("utf-8", "cp949"):
        try:
            text = data[len(mark) :].decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.encode(encoding) == data[len(mark) :]:
            return mark, encoding, text
    raise ExportError(f"{path}: saved neither as UTF-8 nor as CP949. Save it as CSV UTF-8.")


def _rows(path: Path, text: str, sign: str) -> Iterator[TableRow]:
    ending = re.compile(rf"[{re.escape(sign)}\r\n]|\Z")
    place, line, cells = 0, 1, list[TextCell]()
    first = 1
    while True:
        cell = _cell(path, text, place, line, ending)
        cells.append(cell)
        line += text.count("\n", cell.start, cell.end)
        place = cell.end
        if text.startswith(sign, place):
            place += 1
            continue
        yield TableRow(first, tuple(cells))
        if place >= len(text):
            return
        place += 2 if text.startswith("\r\n", place) else 1
        if place >= len(text):
            return
        line, cells = line + 1, []
        first = line


def _cell(path: Path, text: str, place: int, line: int, ending: re.Pattern[str]) -> TextCell:
    """Return the cell that begins at a place."""
    if text.startswith('"', place):
        match = _QUOTED.match(text, place)
        if match is None:
            words = "a quotation mark that nothing closes"
            raise ExportError(f"{path}:{line}: {words}. {_AGAIN}")
        end, value = match.end(), match[0][1:-1].replace('""', '"')
        if ending.match(text, end) is None:
            rest = one_line(text[end : end + 20])
            words = f"{rest!r} behind a closing quotation mark"
            raise ExportError(f"{path}:{line}: {words}. {_AGAIN}")
    else:
        stop = ending.search(text, place)
        assert stop is not None  # the end of the text at the latest
        end, value = stop.start(), text[place : stop.start()]
    if len(value) > LIMIT_CELL:
        words = f"a cell of {len(value)} characters; {LIMIT_CELL} are the most"
        raise ExportError(f"{path}:{line}: {words}. Is it the right file?")
    if "\0" in value:
        raise ExportError(f"{path}:{line}: a zero byte, which no table has. {_AGAIN}")
    return TextCell(value, place, end)
