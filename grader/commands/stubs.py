"""`grader stubs`: write `assignments/` from `reference/`."""

from __future__ import annotations

import json
from pathlib import Path

from grader.course import RUBRIC_FILE
from grader.handout import notebook_handout, python_handout
from grader.rubric import load_rubric
from grader.stubs import StubError, stub_source


def run(course_root: Path) -> list[Path]:
    """Write the hand-outs of every assignment that has a reference; return what was written.

    Nothing is written when one of them has a mistake. Raises StubError, RubricError.
    """
    handouts = render(course_root)
    folder = course_root / "assignments"
    folder.mkdir(exist_ok=True)
    written = []
    for name, source in handouts.items():
        path = folder / name
        path.write_text(source, encoding="utf-8", newline="\n")
        written.append(path)
    return written


def render(course_root: Path) -> dict[str, str]:
    """Return file name and content of every hand-out, without writing anything."""
    handouts = {}
    for stem in load_rubric(course_root / RUBRIC_FILE).assignments.values():
        path = course_root / "reference" / f"{stem}.py"
        if not path.is_file():
            raise StubError(f"{path}:1: no such file, and {RUBRIC_FILE} names it an assignment")
        stub = stub_source(path.read_text(encoding="utf-8"), f"reference/{path.name}")
        handouts[path.name] = python_handout(stub)
        handouts[f"{path.stem}.ipynb"] = _valid(notebook_handout(stub), path.name)
    return handouts


def _valid(notebook: str, name: str) -> str:
    import nbformat  # 0.3 s, which only this command may take

    try:
        nbformat.validate(json.loads(notebook))
    except (nbformat.ValidationError, ValueError) as error:
        raise StubError(f"reference/{name}:1: no notebook can be made of it: {error}") from error
    return notebook
