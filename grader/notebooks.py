"""The notebooks that a course was made from, and what came of each: `reference/notebooks.py`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .misconceptions import MisconceptionError, load_data

FILE = "reference/notebooks.py"


@dataclass(frozen=True)
class CourseNotebook:
    """One notebook that the course was made from."""

    name: str
    title: str
    teaches: tuple[str, ...]
    """Slugs of exercises and of written items."""


def load_notebooks(root: Path) -> tuple[CourseNotebook, ...]:
    """The notebooks of the course at `root`, none if it names none. Raises MisconceptionError."""
    path = root / FILE
    if not path.is_file():
        return ()
    notebooks = tuple(getattr(load_data(path, FILE), "NOTEBOOKS", ()))
    if not notebooks:
        raise MisconceptionError(f"{FILE}:1: no NOTEBOOKS in here")
    return notebooks
