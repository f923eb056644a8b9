"""Read the part of a notebook that is graded: the sources of its cells.

Outputs, attachments and other metadata never become objects and go no further. nbformat is not
used: importing it takes longer than reading fifty megabytes here, and it refuses notebooks that
Jupyter opens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..text.language import _
from .json_scan import Effort, Scan, ScanError

LIMIT_CELL_BYTES = 1 << 20
LIMIT_CODE_BYTES = 8 << 20
LIMIT_METADATA_BYTES = 1 << 16
LIMIT_CELLS = 10_000

_CONFLICT = re.compile(rb"^(?:<<<<<<<|=======|>>>>>>>)", re.MULTILINE)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NotebookError(Exception):
    """A notebook that cannot be read as a whole. `line` is the line of the file, if it has one."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass(frozen=True)
class Cell:
    """One cell. `number` counts from 1 over all cells, text and raw ones included."""

    number: int
    kind: str
    """`code`, `markdown`, `raw`, or whatever the file says."""
    source: str
    tags: tuple[str, ...] = ()
    fault: str = ""
    """The reason why its source could not be read; empty if it could."""


def read_cells(data: bytes, effort: Effort | None = None) -> tuple[Cell, ...]:
    """Return the cells of a notebook of nbformat 3 or 4.

    `effort` is what may be spent on it, and is used up. Raises NotebookError.

    >>> [cell] = read_cells(b'{"cells": [{"cell_type": "code", "source": ["a = 1\\\\n", "a"]}]}')
    >>> cell.number, cell.source
    (1, 'a = 1\\na')
    """
    data = data.removeprefix(_BYTE_ORDER_MARK)
    if data.startswith(_WIDE_MARKS):
        raise NotebookError(_("the notebook is not saved as UTF-8: save it again from Jupyter"))
    if not data.strip():
        raise NotebookError(_("the file is empty: save the notebook again"))
    scan = Scan(data, effort)
    try:
        cells = tuple(_notebook(scan))
        scan.end()
    except ScanError as error:
        conflict = _CONFLICT.search(data)
        if conflict is not None:
            line = data.count(b"\n", 0, conflict.start()) + 1
            why = _("git left conflict marks in the notebook: choose one side, and save it")
            raise NotebookError(why, line) from None
        why = _("the notebook cannot be read: {why}", why=error.message)
        raise NotebookError(why, error.line) from None
    if sum(len(cell.source) for cell in cells if cell.kind == "code") > LIMIT_CODE_BYTES:
        mib = LIMIT_CODE_BYTES >> 20
        raise NotebookError(_("the notebook holds more than {mib} MiB of code", mib=mib))
    return cells


def reduced(data: bytes, effort: Effort | None = None) -> bytes:
    """Return the same notebook as a small one of nbformat 4: code, and the tags of cells.

    Never raises: a notebook that cannot be read becomes one without cells, whose metadata says why
    under `unreadable`.
    """
    try:
        cells, metadata = read_cells(data, effort), {}
    except NotebookError as error:
        cells = ()
        metadata = {"unreadable": {"message": error.message, "line": error.line}}
    notebook = {
        "cells": [_plain(cell) for cell in cells],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    # A lone surrogate, which JSON can spell and UTF-8 cannot, becomes a question mark.
    return json.dumps(notebook, ensure_ascii=False).encode("utf-8", "replace")


def _plain(cell: Cell) -> dict[str, Any]:
    metadata: dict[str, Any] = {"tags": list(cell.tags)} if cell.tags else {}
    if cell.fault:
        metadata["unreadable"] = cell.fault
    source = cell.source if cell.kind == "code" else ""
    return {"cell_type": cell.kind, "metadata": metadata, "source": source}


def _notebook(scan: Scan) -> Iterator[Cell]:
    """Yield the cells of nbformat 4, or those of nbformat 3's worksheets one after the other."""
    cells: list[Cell] | None = None
    for key in scan.members():
        if key == "cells":
            cells = _cells(scan, 0)
        elif key == "worksheets":
            cells = cells or []
            for _place in scan.items():
                for inner in scan.members():
                    if inner == "cells":
                        cells += _cells(scan, len(cells))
                    else:
                        scan.skip()
        elif key == "metadata":
            _require_python(scan.value(LIMIT_METADATA_BYTES))
        else:
            scan.skip()
    if cells is None:
        raise scan.error(_("it has no list of cells"))
    yield from cells


def _require_python(metadata: Any) -> None:
    for part in ("language_info", "kernelspec"):
        entry = metadata.get(part) if type(metadata) is dict else None
        if type(entry) is not dict:
            continue
        language = entry.get("name" if part == "language_info" else "language")
        if type(language) is str and "python" not in language.casefold():
            raise NotebookError(
                _("the notebook is for {language}, not for Python", language=language[:40])
            )


def _cells(scan: Scan, before: int) -> list[Cell]:
    cells = []
    for position in scan.items():
        if position >= LIMIT_CELLS:
            raise scan.error(_("it has more than {count} cells", count=LIMIT_CELLS))
        cells.append(_cell(scan, before + position + 1))
    return cells


def _cell(scan: Scan, number: int) -> Cell:
    kind: Any = ""
    source: Any = ""
    tags: tuple[str, ...] = ()
    for key in scan.members():
        if key == "cell_type":
            kind = scan.value(LIMIT_METADATA_BYTES)
        elif key in ("source", "input"):
            source = scan.value(LIMIT_CELL_BYTES)
        elif key == "metadata":
            tags = _tags(scan.value(LIMIT_METADATA_BYTES))
        else:
            scan.skip()
    text = _text(source)
    if type(kind) is not str:
        kind = ""
    if text is not None:
        return Cell(number, kind, text, tags)
    fault = _(
        "this cell holds more than {mib} MiB of code, or code that is not text",
        mib=LIMIT_CELL_BYTES >> 20,
    )
    return Cell(number, kind, "", tags, fault)


def _tags(metadata: Any) -> tuple[str, ...]:
    tags = metadata.get("tags") if type(metadata) is dict else None
    return tuple(tag for tag in tags if type(tag) is str) if type(tags) is list else ()


def _text(source: Any) -> str | None:
    if type(source) is list and all(type(line) is str for line in source):
        return "".join(source)
    return source if type(source) is str else None
