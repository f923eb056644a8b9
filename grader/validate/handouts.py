"""Whether what students get is what the reference makes of itself today."""

from __future__ import annotations

from collections.abc import Iterator

from ..stubs import StubError, stub_source
from .data import CourseData
from .gap import Gap, gap_of

NEXT = "grader stubs"


def handout_gaps(data: CourseData) -> Iterator[Gap]:
    """Hand-outs that are missing or not fresh, and references that none can be made of."""
    from ..demos import read_demos
    from ..handout import notebook_handout, python_handout

    names = data.course.rubric.assignments.values()
    for stem, source in data.references.items():
        try:
            stub = stub_source(source, f"reference/{stem}.py")
            demos = read_demos(data.course.root, stem)
        except StubError as error:
            yield gap_of(error, "mend the fences of the reference")
            continue
        wanted = {".py": python_handout(stub), ".ipynb": notebook_handout(stub, demos, names)}
        for suffix, text in wanted.items():
            shown = f"assignments/{stem}{suffix}"
            path = data.course.root / shown
            if not path.is_file():
                yield Gap(shown, 1, "this hand-out is missing", NEXT)
                continue
            found = path.read_text(encoding="utf-8")
            if found != text:
                message = "not what the reference makes: solved here, or the reference changed"
                yield Gap(shown, _first_difference(found, text), message, NEXT)


def _first_difference(one: str, other: str) -> int:
    rows = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((n for n, (a, b) in enumerate(rows, 1) if a != b), 1)
