"""Collect the lines of a course that no student may get: solutions, hidden suites, mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..course.course import Course
from ..handouts.stubs import stub_source

LEAST_CHARACTERS = 20
"""A line with fewer, blanks not counted, is anybody's: `return x`, `B, T = 2, 5`."""
_HIDDEN = ("reference/exercises", "tests/suites")
_DIFF = ("+", "-", " ")
_NAME = re.compile(r"[\"'][\w.]+[\"'],?")
_PLAIN = ("import", "from")
"""First words of lines that everybody writes."""


@dataclass(frozen=True)
class SecretLine:
    """A line that is to stay in the course, and its place there."""

    text: str
    """The line without any white space."""
    place: str
    """`reference/a1_attention.py:31`"""


def secret_lines(course: Course) -> tuple[SecretLine, ...]:
    """Return the secret lines of a course, each once.

    A line that stands in a stub or a public suite is no secret; nor is one of a hidden suite, a
    mistake or a variant that an author has put into a demo or a lecture, such as a form with
    blanks. A line of a solution stays one there.
    """
    stems = course.rubric.assignments.values()
    paths = {f"reference/{stem}.py": course.reference(stem) for stem in stems}
    solutions = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    stubs = (stub_source(text, name) for name, text in solutions.items())
    public = squeezed("\n".join([*stubs, *_texts(course.root.glob("tests/suites/*/public/*.py"))]))
    given = [*course.paths.demos.rglob("*.py"), *course.paths.lectures.rglob("*.md")]
    shown = public + squeezed("\n".join(_texts([*given, *course.root.glob("reference/roles.py")])))
    result: dict[str, SecretLine] = {}
    for one in _lines(solutions):
        if one.text not in public:
            result.setdefault(one.text, one)
    for one in _lines(_hidden_files(course.root)):
        if one.text not in shown:
            result.setdefault(one.text, one)
    return tuple(result.values())


def squeezed(text: str) -> str:
    """Return a text without white space, so that indentation and wrapping hide nothing.

    >>> squeezed("  return x @ y\\n")
    'returnx@y'
    """
    return "".join(text.split())


def _lines(files: Mapping[str, str]) -> Iterator[SecretLine]:
    """Yield the lines that are long enough, with the comments at their ends and without."""
    for name, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            line = line[1:] if name.endswith(".diff") and line.startswith(_DIFF) else line
            for short in {squeezed(line), squeezed(line.partition("  # ")[0])}:
                if len(short) >= LEAST_CHARACTERS and not _is_anybodys(line):
                    yield SecretLine(short, f"{name}:{number}")


def _is_anybodys(line: str) -> bool:
    """Tell whether a line is an import, or a name in quotes and nothing else."""
    return line.split()[0] in _PLAIN or _NAME.fullmatch(line.strip()) is not None


def _texts(paths: Iterable[Path]) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(paths)]


def _hidden_files(root: Path) -> dict[str, str]:
    paths = (path for part in _HIDDEN for path in sorted((root / part).rglob("*")))
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.suffix in (".py", ".diff") and path.parent.name != "public"
    }
