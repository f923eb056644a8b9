"""Turn a worked notebook into the one that students start with: the same cells, no solutions.

Text in, text out. Cells that a source for nbgrader or otter uses as markers are followed too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from grader.handouts.foreign_markers import (
    CODE_STUB,
    TEXT_STUB,
    Dialect,
    MarkerError,
    Removed,
    Stub,
    dialect_of,
    taken_out,
)
from grader.handouts.stubs import StubError, solution_regions, stub_source

_RAW = re.compile(r"#\s*(ASSIGNMENT CONFIG|(?:BEGIN|END) (?:QUESTION|TESTS|SOLUTION|PROMPT))\b")
_FENCE = re.compile(r"#\s*(?:begin|end)[\s_-]*solution", re.IGNORECASE)
_ANSWER_HERE = "_Type your answer here, replacing this text._"

_Cell = dict[str, Any]


def notebook_stub(source: str, file: str) -> Stub:
    """Return the students' version of a notebook; `file` is only used in messages.

    Raises StubError, with file, cell and line: also for a notebook without any marked solution.
    """
    try:
        notebook = json.loads(source)
        cells = [_with_text(cell) for cell in notebook["cells"]]
    except (ValueError, KeyError, TypeError) as error:
        raise StubError(f"{file}:1: no notebook of nbformat 4: {error}") from error
    dialect = _dialect(cells, file)
    removed: list[Removed] = []
    try:
        kept = list(_student_cells(cells, dialect, file, removed))
    except MarkerError as error:
        raise StubError(str(error)) from error
    if kept == cells:
        raise StubError(
            f"{file}:1: no solution is marked. Next: write '# BEGIN SOLUTION' and "
            "'# END SOLUTION' around it"
        )
    notebook["cells"] = [_as_handed_out(cell) for cell in kept]
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return Stub(text, tuple(removed))


def _with_text(cell: _Cell) -> _Cell:
    source = cell["source"]
    return {**cell, "source": source if isinstance(source, str) else "".join(source)}


def _as_handed_out(cell: _Cell) -> _Cell:
    """Return a cell without the outputs that the author's run left in it."""
    plain = {**cell, "source": cell["source"].splitlines(keepends=True)}
    return {**plain, "outputs": [], "execution_count": None} if _is_code(cell) else plain


def _is_code(cell: _Cell) -> bool:
    return cell.get("cell_type") == "code"


def _dialect(cells: list[_Cell], file: str) -> Dialect:
    dialects: dict[Dialect, int] = {}
    for number, cell in enumerate(cells, start=1):
        try:
            dialect = dialect_of(cell["source"], f"{file}:cell {number}")
        except MarkerError as error:
            raise StubError(str(error)) from error
        if cell.get("cell_type") == "raw" and _RAW.match(cell["source"].lstrip()):
            dialect = Dialect.OTTER
        if dialect is Dialect.OWN and _is_nbgrader_solution(cell):
            dialect = Dialect.NBGRADER
        if dialect is not Dialect.OWN:
            dialects.setdefault(dialect, number)
    if len(dialects) == 2:
        raise StubError(
            f"{file}:cell {max(dialects.values())}:1: markers of nbgrader and of otter in one "
            f"notebook (the first one in cell {min(dialects.values())}). Next: use one kind"
        )
    return next(iter(dialects), Dialect.OWN)


def _is_nbgrader_solution(cell: _Cell) -> bool:
    return bool(cell.get("metadata", {}).get("nbgrader", {}).get("solution"))


def _student_cells(
    cells: list[_Cell], dialect: Dialect, file: str, removed: list[Removed]
) -> Iterator[_Cell]:
    if dialect is Dialect.OTTER:
        yield from _otter_cells(cells, file, removed)
        return
    for number, cell in enumerate(cells, start=1):
        place = f"{file}:cell {number}"
        if dialect is Dialect.OWN:
            yield _own_cell(cell, place)
            continue
        stub = taken_out(cell["source"], dialect, place, is_code=_is_code(cell))
        removed += stub.removed
        if _is_nbgrader_solution(cell) and stub.text == cell["source"]:
            # All of it is the solution: nothing in it is marked as one.
            yield {**cell, "source": "\n".join(CODE_STUB if _is_code(cell) else TEXT_STUB)}
        else:
            yield {**cell, "source": stub.text}


def _own_cell(cell: _Cell, place: str) -> _Cell:
    if not _is_code(cell) or not _FENCE.search(cell["source"]):
        return cell  # which may hold magics, and need not be Python
    if not solution_regions(cell["source"], place):
        return cell
    return {**cell, "source": stub_source(cell["source"], place)}


def _otter_cells(cells: list[_Cell], file: str, removed: list[Removed]) -> Iterator[_Cell]:
    """Yield the cells that students get; raw cells that mark regions are not handed out."""
    opened: tuple[str, int] | None = None
    for number, cell in enumerate(cells, start=1):
        place = f"{file}:cell {number}"
        word = _RAW.match(cell["source"].lstrip()) if cell.get("cell_type") == "raw" else None
        if word is not None:
            opened = _after(word[1], opened, number, place)
            continue
        if opened is not None and opened[0] == "TESTS":
            removed.append(Removed("tests", f"{place}:1"))
            continue
        stub = taken_out(cell["source"], Dialect.OTTER, place)
        if opened is not None and stub.text == cell["source"]:
            if _is_code(cell):
                raise MarkerError(
                    f"{place}:1: no line of this solution is marked. Next: end its lines with "
                    "'# SOLUTION', or write '# BEGIN SOLUTION' and '# END SOLUTION' around them"
                )
            yield {**cell, "source": _ANSWER_HERE}
            continue
        yield {**cell, "source": stub.text}
    if opened is not None:
        raise MarkerError(
            f"{file}:cell {opened[1]}:1: 'BEGIN {opened[0]}' is never closed. "
            f"Next: add a raw cell '# END {opened[0]}'"
        )


def _after(
    words: str, opened: tuple[str, int] | None, number: int, place: str
) -> tuple[str, int] | None:
    """Return the region that is open after a raw cell, and the cell that opened it."""
    which, _, what = words.partition(" ")
    if what == "PROMPT":
        raise MarkerError(
            f"{place}:1: a prompt in cells of its own is not read. Next: write it into the "
            'solution\'s cell, between \'""" # BEGIN PROMPT\' and \'""" # END PROMPT\''
        )
    if what not in ("TESTS", "SOLUTION"):
        return opened
    if which == "BEGIN":
        if opened is not None:
            raise MarkerError(
                f"{place}:1: 'BEGIN {what}' inside 'BEGIN {opened[0]}' of cell {opened[1]}. "
                f"Next: add a raw cell '# END {opened[0]}' before it"
            )
        return what, number
    if opened is None or opened[0] != what:
        raise MarkerError(
            f"{place}:1: 'END {what}' without a 'BEGIN {what}' before it. "
            "Next: add that, or delete this cell"
        )
    return None


def require_valid(notebook: str, name: str) -> None:
    """Raise StubError unless the text is a notebook as nbformat defines it."""
    import nbformat  # 0.3 s, which only `grader stubs` may take

    try:
        nbformat.validate(json.loads(notebook))
    except (nbformat.ValidationError, ValueError) as error:
        raise StubError(f"{name}:1: no notebook can be made of it: {error}") from error
