"""`grader stubs`: write `assignments/` from `reference/`, or stubs of any worked solutions."""

from __future__ import annotations

import json
from pathlib import Path

from grader.course import RUBRIC_FILE
from grader.demos import read_demos
from grader.handout import handouts, written_handout
from grader.markers import Removed, Stub
from grader.rubric import load_rubric
from grader.stub_notebook import notebook_stub
from grader.stubs import StubError, stub_of, stub_source
from grader.translated_handout import in_all_languages


def run(course_root: Path) -> list[Path]:
    """Write the hand-outs of every assignment that has a reference; return what was written.

    Nothing is written when one of them has a mistake. Raises StubError, RubricError.
    """
    rendered = render(course_root)
    folder = course_root / "assignments"
    folder.mkdir(exist_ok=True)
    written = []
    for name, source in rendered.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8", newline="\n")
        written.append(path)
    return written


def render(course_root: Path) -> dict[str, str]:
    """Return name below `assignments/` and content of every hand-out, without writing anything."""
    found: dict[str, str] = {}
    rubric = load_rubric(course_root / RUBRIC_FILE)
    stems, written = rubric.assignments.values(), rubric.written.values()
    for stem in stems:
        path = course_root / "reference" / f"{stem}.py"
        if not path.is_file():
            raise StubError(
                f"{path}:1: no such file, and {RUBRIC_FILE} names it an assignment. "
                "Next: restore it, or take the assignment out"
            )
        stub = stub_source(_text(path), f"reference/{path.name}")
        demos = read_demos(course_root, stem)
        found |= handouts(
            stub,
            stem,
            demos=demos,
            assignments=stems,
            written=written,
            exercises=rubric.exercises.values(),
        )
        _require_valid(found[f"{stem}.ipynb"], f"reference/{path.name}")
    return in_all_languages(course_root, found | written_handout(written))


def removed(course_root: Path) -> tuple[Removed, ...]:
    """What else is marked in the references and not handed out: hidden tests, mark schemes."""
    found: tuple[Removed, ...] = ()
    for stem in load_rubric(course_root / RUBRIC_FILE).assignments.values():
        path = course_root / "reference" / f"{stem}.py"
        found += stub_of(path.read_text(encoding="utf-8"), f"reference/{path.name}").removed
    return found


def convert(sources: tuple[Path, ...], out: Path) -> tuple[list[Path], tuple[Removed, ...]]:
    """Write the student's version of each file, `.py` or `.ipynb`, into a folder.

    Returns what was written, and what else students do not get. Nothing is written when one of
    them has a mistake, and never over a source. Raises StubError.
    """
    stubs: dict[Path, Stub] = {}
    for source in sources:
        target = out / source.name
        if target in stubs or any(target.resolve() == other.resolve() for other in sources):
            raise StubError(f"{source}:1: its stub would be {target}, too. Next: another --out")
        stubs[target] = _stub(source)
    out.mkdir(parents=True, exist_ok=True)
    for target, stub in stubs.items():
        target.write_text(stub.text, encoding="utf-8", newline="\n")
    return list(stubs), tuple(one for stub in stubs.values() for one in stub.removed)


def _stub(source: Path) -> Stub:
    text = _text(source)
    if source.suffix == ".ipynb":
        stub = notebook_stub(text, str(source))
        _require_valid(stub.text, str(source))
        return stub
    if source.suffix != ".py":
        raise StubError(f"{source}:1: neither .py nor .ipynb. Next: give one of these")
    return stub_of(text, str(source))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise StubError(f"{path}:1: cannot be read: {error}") from error


def _require_valid(notebook: str, name: str) -> None:
    import nbformat  # 0.3 s, which only this command may take

    try:
        nbformat.validate(json.loads(notebook))
    except (nbformat.ValidationError, ValueError) as error:
        raise StubError(f"{name}:1: no notebook can be made of it: {error}") from error
