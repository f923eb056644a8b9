"""Turn a judge's answer on live objects into a report that names cells as a notebook does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from grader.course.rubric import Rubric
from grader.engine.result import Result, tier_of
from grader.grade.evidence import Note, Observation, Where
from grader.messages.answers import GradedSubmission
from grader.report.content import Report, report_on
from grader.submission.submission import Submission, digest_of
from grader.worker.live import Kernel


def report_of(
    graded: GradedSubmission,
    kernel: Kernel,
    files: Mapping[str, bytes],
    slugs: tuple[str, ...],
    rubric: Rubric,
    folder: Path,
) -> Report:
    """Return the report on the exercises in `slugs`; `files` holds the texts of all spaces."""
    cells = {
        _cell_name(c.cell): c.text.encode()
        for space in kernel.spaces
        for c in space.cells
        if c.cell
    }
    shown = {**{path: data for path, data in files.items()}, **cells}
    cells_of = tuple(space.path for space in kernel.spaces if space.cells)
    submission = Submission("practice", shown, digest_of(files), str(folder))
    result = Result(
        submission=submission,
        observations=tuple(_seen(one, cells_of) for one in graded.observations),
        loading=tuple(_noted(one, cells_of) for one in graded.notes),
        tier=tier_of(graded),
        isolation=graded.isolation,
        duration_ms=graded.duration_ms,
        entries=dict(kernel.entries),
    )
    return report_on(result, rubric, slugs)


def _cell_name(number: int | None) -> str:
    return f"In[{number}]"


def _placed(where: Where | None, spaces: tuple[str, ...]) -> Where | None:
    """Replace a cell's place by the name that the notebook shows beside the cell."""
    if where is None or where.file not in spaces or where.cell is None:
        return where
    return replace(where, file=_cell_name(where.cell), cell=None)


def _naming_cells(text: str, spaces: tuple[str, ...]) -> str:
    for path in spaces:
        text = re.sub(rf"{re.escape(path)} cell (\d+)", r"In[\1]", text)
    return text


def _seen(one: Observation, spaces: tuple[str, ...]) -> Observation:
    return replace(
        one,
        where=_placed(one.where, spaces),
        observed=_naming_cells(one.observed, spaces),
        notes=tuple(_naming_cells(text, spaces) for text in one.notes),
    )


def _noted(one: Note, spaces: tuple[str, ...]) -> Note:
    return replace(one, where=_placed(one.where, spaces), text=_naming_cells(one.text, spaces))
