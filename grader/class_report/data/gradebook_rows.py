"""Read the rows of `gradebook.csv`: who is in the class, and what counts for each."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.cells import decoded, plain_cell, separator
from grader.batch.class_results import GRADEBOOK_FILE
from grader.batch.records import RecordsError

_AGAIN = "Grade the class again: grader batch"


@dataclass(frozen=True)
class GradebookRow:
    """One student's line."""

    id: str
    cells: Mapping[str, str]

    def number(self, column: str) -> float | None:
        """Return the number in a column; None if the cell is empty or there is no such column."""
        text = self.cells.get(column, "")
        return float(text) if text else None

    @property
    def automatic(self) -> float | None:
        """Return the points without those that a person gives."""
        return self.number("automatic" if "automatic" in self.cells else "total")


def gradebook_rows(out: Path) -> tuple[GradebookRow, ...]:
    """Return the rows of the gradebook in a folder of results. Raises RecordsError."""
    path = out / GRADEBOOK_FILE
    try:
        text = decoded(path.read_bytes())
        lines = csv.reader(text.splitlines(), delimiter=separator(text), strict=True)
        header = next(lines, [])
        rows = [
            GradebookRow(plain_cell(cells[0]), dict(zip(header, cells, strict=True)))
            for cells in lines
            if cells
        ]
        for row in rows:
            row.number("unchecked"), row.automatic
    except FileNotFoundError:
        raise RecordsError(f"{path}: no such file. Grade a class first: grader batch") from None
    except (OSError, ValueError, csv.Error) as error:
        raise RecordsError(f"{path}: cannot be read ({error}). {_AGAIN}") from error
    if header[:1] != ["id"]:
        raise RecordsError(f"{path}: not a gradebook as it was written. {_AGAIN}")
    return tuple(rows)
