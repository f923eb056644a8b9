"""Read a notebook as blocks, one per code cell, with IPython's own syntax made inert.

The bytes are those of `grader.submission.notebook.reduced`, which has dealt with everything that
can be wrong with a notebook file; a notebook as Jupyter saves it is read as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ....text.language import _
from .magics import without_magics
from .sources import Block, Fault, SourceFile, is_demo_line, spot, tidy

DEMO_TAG = "demo"


def read_notebook(path: str, data: bytes) -> SourceFile:
    """Read the code cells of a notebook; each knows its number among all cells, from 1."""
    try:
        notebook = json.loads(data)
        cells, metadata = notebook["cells"], notebook.get("metadata", {})
        kinds = [cell["cell_type"] for cell in cells]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return _unreadable(_("the notebook cannot be read: save it again from Jupyter"), None)
    if "unreadable" in metadata:
        why = metadata["unreadable"]
        return _unreadable(why["message"], why["line"])
    blocks: list[Block] = []
    faults: list[Fault] = []
    for number, (kind, cell) in enumerate(zip(kinds, cells, strict=True), start=1):
        if kind == "code":
            block, own_faults = _code(path, number, cell)
            blocks.append(block)
            faults += [replace(fault, cell=number) for fault in own_faults]
    return SourceFile(tuple(blocks), tuple(faults))


def _unreadable(message: str, line: int | None) -> SourceFile:
    return SourceFile((), (Fault(message, line, is_whole=True),))


def _code(path: str, number: int, cell: dict[str, Any]) -> tuple[Block, tuple[Fault, ...]]:
    metadata, source = cell.get("metadata", {}), cell.get("source", "")
    original, faults = tidy(source if isinstance(source, str) else "".join(source))
    python = without_magics(original)
    all_faults = [*_stated(metadata), *faults]
    if python.lost:
        all_faults.append(Fault(python.lost, 1, original))
    block = Block(
        python.text,
        spot(path, number, None),
        number,
        demo=DEMO_TAG in metadata.get("tags", ()) or is_demo_cell(original),
        original=original,
    )
    return block, tuple(all_faults)


def _stated(metadata: dict[str, Any]) -> Iterator[Fault]:
    if "unreadable" in metadata:
        yield Fault(metadata["unreadable"], None)


def is_demo_cell(text: str) -> bool:
    """Tell whether a cell says of itself that it is a demonstration."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    return is_demo_line(first.strip())
