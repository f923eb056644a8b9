"""Read the text of a submission's files, as their author sees it."""

from __future__ import annotations

from grader.submission.notebook import NotebookError, read_cells

Source = tuple[int | None, str]


def sources(file: str, data: bytes) -> list[Source]:
    """Return the code of a file; a notebook's code comes with the numbers of its cells."""
    if not file.lower().endswith(".ipynb"):
        return [(None, data.decode("utf-8", errors="replace"))]
    try:
        return [(cell.number, cell.source) for cell in read_cells(data) if cell.kind == "code"]
    except NotebookError:
        return []
