"""Read the folder that `grader new` copies: the files of an example, with `$slug` for its slug."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "example"


@dataclass(frozen=True)
class Templates:
    """The texts of an example, to be filled in."""

    definition: str
    """The target, in the module of its assignment."""
    hidden: str
    public: str
    exercise: Mapping[str, str]
    """The files of the exercise's own folder, by name."""
    course: Mapping[str, str]
    """The files that a course or an assignment begins with, by name."""
    rubric_entry: str


def read_templates(kind: str) -> Templates:
    """Return the example whose target is a `function` or a `class`."""
    files = _files(FOLDER / kind)
    return Templates(
        definition=files["definition.py"],
        hidden=files["hidden.py"],
        public=files["public.py"],
        exercise=_files(FOLDER / kind / "exercise"),
        course=_files(FOLDER / "course"),
        rubric_entry=_files(FOLDER)["rubric_entry.yaml"],
    )


def _files(folder: Path) -> dict[str, str]:
    """Return the texts of a folder by name; `.txt` keeps tools from reading them as Python."""
    return {
        path.name.removesuffix(".txt"): path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
