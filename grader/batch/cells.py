"""Write cells of CSV files that no spreadsheet takes for formulas, and read saved ones back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from grader.report.cleaning import one_line

BYTE_ORDER_MARK = "\ufeff"
"""Before the first cell: without it Excel reads UTF-8 as the machine's own code page."""

# What begins a formula, also in the wide, small and raised forms that mean the same to some
# spreadsheets, after the blanks and quotes that they skip.
_STARTS = (
    "-=+@|%"
    "\uff1d\uff0b\uff0d\uff20\uff5c\uff05"
    "\u2212\ufe66\ufe62\ufe63\ufe6b\ufe6a"
    "\u207a\u207b\u207c\u208a\u208b\u208c"
)
_FORMULA = rf"(?=[\s'\"]*[{_STARTS}])"
# Where `;` is the separator, what stands behind one is a cell, quotation marks or not.
_BEGINNING = r"(^|;)"
_DANGEROUS = re.compile(_BEGINNING + _FORMULA)
_MADE_SAFE = re.compile(_BEGINNING + "'" + _FORMULA)
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return a CSV file's text; its cells must be safe already."""
    return "".join(csv_lines(rows))


def csv_lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Yield the pieces of a CSV file's text; its cells must be safe already."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    yield BYTE_ORDER_MARK
    for row in rows:
        writer.writerow(row)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def safe_cell(text: str) -> str:
    """Return one line that no spreadsheet takes for a formula, wherever it begins a cell.

    >>> safe_cell("=1+1"), safe_cell("a;=1+1"), safe_cell("student-001")
    ("'=1+1", "a;'=1+1", 'student-001')
    """
    return _DANGEROUS.sub(r"\1'", one_line(text))


def plain_cell(cell: str) -> str:
    """Return the line from which `safe_cell` made the cell.

    >>> plain_cell("'=1+1"), plain_cell("a;'=1+1"), plain_cell("'quoted'")
    ('=1+1', 'a;=1+1', "'quoted'")
    """
    return _MADE_SAFE.sub(r"\1", cell)


def separator(text: str) -> str:
    """Find the cell separator in the first line: spreadsheets write `;` in half of Europe."""
    first = text.partition("\n")[0]
    return max((",", ";", "\t"), key=first.count)


def decoded(data: bytes) -> str:
    """Return the text of a CSV file as a spreadsheet saved it: UTF-8, UTF-16, or Korean CP949.

    Raises UnicodeDecodeError for anything else.
    """
    if encoding := _MARKS.get(data[:2]):
        return data.decode(encoding)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp949")
