"""Load the list of notebooks the course was made from, and what each one teaches.

The list is `reference/notebooks.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .misconceptions import MisconceptionError, load_data
from .paths import CoursePaths

FILE = CoursePaths(Path()).notebooks.as_posix()


@dataclass(frozen=True)
class CourseNotebook:
    """One notebook that the course was made from."""

    name: str
    title: str
    teaches: tuple[str, ...]
    """Slugs of exercises and of written items."""


def load_notebooks(root: Path) -> tuple[CourseNotebook, ...]:
    """Load the notebooks of the course at `root`; none if it names none.

    Raises MisconceptionError if the list cannot be read or is empty.
    """
    path = root / FILE
    if not path.is_file():
        return ()
    notebooks = tuple(getattr(load_data(path, FILE), "NOTEBOOKS", ()))
    if not notebooks:
        raise MisconceptionError(f"{FILE}:1: no NOTEBOOKS in here")
    return notebooks
