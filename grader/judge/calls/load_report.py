"""Read a worker's report of what it loaded in the judge's terms. The report is a claim."""

from __future__ import annotations

from ...grade.evidence import Note, Where
from ...submission.file_choice import STATES, Choice
from ...wire.load_report import FileChoice, LoadNote, ModuleReport, TargetReport


def choice(reported: FileChoice, paths: tuple[str, ...]) -> Choice:
    """Return the worker's choice among the files that it was given; ignore all else it says."""
    known = {path: reported.states.get(path, "") for path in paths}
    states = {path: state for path, state in known.items() if state in STATES}
    return Choice(reported.path if reported.path in paths else paths[0], states)


def note(reported: LoadNote) -> Note:
    """Return one problem or remark as a note of the report."""
    place = Where(reported.file, reported.line, reported.cell) if reported.file else None
    return Note(reported.kind, reported.text, place)


def where(module: ModuleReport, target: TargetReport) -> Where:
    """Return the place where a target is defined."""
    return Where(module.file, target.line, target.cell)
