"""Write the hand-outs of a course from its `reference/`, or stubs of any worked solutions."""

from __future__ import annotations

from pathlib import Path

from grader.course.paths import CoursePaths
from grader.course.rubric_file import load_rubric
from grader.course.rubric_place import RUBRIC_FILE
from grader.files.writing import make_folder, write_files
from grader.handouts.demos import read_demos
from grader.handouts.foreign_markers import Removed, Stub
from grader.handouts.handout import handouts, written_handout
from grader.handouts.lectures import lecture_for
from grader.handouts.stub_notebook import notebook_stub, require_valid
from grader.handouts.stubs import StubError, stub_of, stub_source
from grader.handouts.translated_handout import in_all_languages


def write(course_root: Path) -> list[Path]:
    """Write the hand-outs of every assignment that has a reference; return their paths.

    Nothing is written when one of them has a mistake. Raises StubError, RubricError.
    """
    rendered = render(course_root)
    folder = course_root / "assignments"
    contents = {folder / name: source for name, source in rendered.items()}
    for path in contents:
        make_folder(path.parent)
    write_files(contents)
    return list(contents)


def render(course_root: Path) -> dict[str, str]:
    """Return the content of every hand-out by its name below `assignments/`; write nothing."""
    result: dict[str, str] = {}
    rubric = load_rubric(course_root / RUBRIC_FILE)
    stems, written = rubric.assignments.values(), rubric.written.values()
    for stem in stems:
        path = CoursePaths(course_root).solution(stem)
        if not path.is_file():
            raise StubError(
                f"{path}:1: no such file, and {RUBRIC_FILE} names it an assignment. "
                "Next: restore it, or take the assignment out"
            )
        stub = stub_source(_text(path), f"reference/{path.name}")
        demos = read_demos(course_root, stem)
        result |= handouts(
            stub,
            stem,
            demos=demos,
            written=written,
            exercises=rubric.exercises.values(),
            lecture=lecture_for(course_root, stem, rubric.exercises.values()),
        )
        require_valid(result[f"{stem}.ipynb"], f"reference/{path.name}")
    return in_all_languages(course_root, result | written_handout(written))


def removed(course_root: Path) -> tuple[Removed, ...]:
    """Return the marked parts of the references that are in no hand-out.

    These are hidden tests and mark schemes, for example; a solution, which a stub stands for, is
    none of them.
    """
    result: tuple[Removed, ...] = ()
    for stem in load_rubric(course_root / RUBRIC_FILE).assignments.values():
        path = CoursePaths(course_root).solution(stem)
        result += stub_of(path.read_text(encoding="utf-8"), f"reference/{path.name}").removed
    return result


def convert(sources: tuple[Path, ...], out: Path) -> tuple[list[Path], tuple[Removed, ...]]:
    """Write the student's version of each file, `.py` or `.ipynb`, into a folder.

    Returns the paths written, and the other parts that students do not get. Nothing is written when
    a file has a mistake, and never over a source. Raises StubError.
    """
    stubs: dict[Path, Stub] = {}
    for source in sources:
        target = out / source.name
        if target in stubs or any(target.resolve() == other.resolve() for other in sources):
            raise StubError(f"{source}:1: its stub would be {target}, too. Next: another --out")
        stubs[target] = _stub(source)
    make_folder(out)
    write_files({target: stub.text for target, stub in stubs.items()})
    return list(stubs), tuple(one for stub in stubs.values() for one in stub.removed)


def _stub(source: Path) -> Stub:
    text = _text(source)
    if source.suffix == ".ipynb":
        stub = notebook_stub(text, str(source))
        require_valid(stub.text, str(source))
        return stub
    if source.suffix != ".py":
        raise StubError(f"{source}:1: neither .py nor .ipynb. Next: give one of these")
    return stub_of(text, str(source))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise StubError(f"{path}:1: cannot be read: {error}") from error
