"""Find the files that a course's notebooks read: `grader.data_file("name.txt")`."""

from __future__ import annotations

from pathlib import Path

from grader.course.paths import ASSIGNMENTS, DATA
from grader.text.language import _, preferred_language, use_language


class NoDataFileError(FileNotFoundError):
    """A file that a notebook reads and that lies nowhere near it. Says what to do."""


def data_file(name: str) -> Path:
    """Return where a file of the course's data is: in a folder `data` here, or further up.

    A notebook lies beside that folder, or in a language's folder under it; in Colab Python runs in
    the folder that holds all assignments. Raises NoDataFileError.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        for place in (folder / DATA, folder / ASSIGNMENTS / DATA):
            if (place / name).is_file():
                return place / name
    use_language(preferred_language())
    raise NoDataFileError(
        _(
            "There is no {file} here or further up. Copy the folder {folder} of the course to "
            "where this notebook is, and run the cell again.",
            file=f"{DATA}/{name}",
            folder=f"{ASSIGNMENTS}/{DATA}",
        )
    )
