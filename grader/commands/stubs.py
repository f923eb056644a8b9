"""`grader stubs`: write `assignments/` from `reference/`."""

from __future__ import annotations

from pathlib import Path

from grader.stubs import StubError, stub_source


def run(course_root: Path) -> list[Path]:
    """Write the stub of every assignment that has a reference; return what was written.

    Nothing is written when one of them has a mistake. Raises StubError.
    """
    stubs = render(course_root)
    folder = course_root / "assignments"
    folder.mkdir(exist_ok=True)
    written = []
    for name, source in stubs.items():
        path = folder / name
        path.write_text(source, encoding="utf-8", newline="\n")
        written.append(path)
    return written


def render(course_root: Path) -> dict[str, str]:
    """Return file name and source of every stub, without writing anything."""
    references = sorted((course_root / "reference").glob("a[0-9]*_*.py"))
    if not references:
        raise StubError(f"{course_root / 'reference'}:1: no assignment such as a1_name.py here")
    return {
        path.name: stub_source(path.read_text(encoding="utf-8"), f"reference/{path.name}")
        for path in references
    }
