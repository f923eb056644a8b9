"""Read what a notebook tells beside the text of the hand-out: story, pictures, equations.

`reference/lectures/<assignment>.md` holds sections in Markdown, each under a line such as
`<!-- before: a1.scores -->`; `equations.toml` beside it says how equations are typeset. Both may be
missing.
"""

from __future__ import annotations

import ast
import base64
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.course.paths import CoursePaths
from grader.course.rubric import Exercise
from grader.handouts.prose import plain
from grader.handouts.stubs import StubError

EQUATIONS = "equations.toml"
GOAL, START, END = "goal", "start", "end"
"""Sections under the title, behind the introduction, and after everything else."""
MOST_BYTES = 300_000
_SECTION = re.compile(r"<!-- (?P<place>[\w.]+(?:: [\w.]+)?) -->")
_PLACE = re.compile(r"goal|start|end|(?:before|after): [\w.]+")
_CODE = re.compile(r"(?ms)^```python demo\n(?P<code>.*?)^```$")
_IMAGE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<path>[^():]+\.png)\)")


@dataclass(frozen=True)
class Telling:
    """A stretch of a section: Markdown with the pictures in it, or the code of a demo."""

    text: str
    is_code: bool = False
    pictures: Mapping[str, str] = field(default_factory=dict)
    """The name of each picture, and its bytes in base64."""


@dataclass(frozen=True)
class Lecture:
    """The sections for one notebook by their place, and the equations of the whole course."""

    sections: Mapping[str, tuple[Telling, ...]] = field(default_factory=dict)
    equations: Mapping[str, str] = field(default_factory=dict)


def read_lecture(root: Path, stem: str) -> Lecture:
    """Return what there is to tell in an assignment's notebook; nothing if nobody wrote it.

    Raises StubError, with file and line.
    """
    paths = CoursePaths(root)
    sections: dict[str, tuple[Telling, ...]] = {}
    file = paths.lectures / f"{stem}.md"
    if file.is_file():
        shown = paths.shown(file)
        for line, place, text in _sections(_text(file, shown), shown):
            if place in sections:
                raise StubError(f"{shown}:{line}: a second section '{place}'. Next: join the two")
            sections[place] = tuple(_tellings(text, root, f"{shown}:{line}"))
    return Lecture(sections, read_equations(root))


def read_equations(root: Path) -> dict[str, str]:
    """Return the LaTeX of each equation in the docstrings of a course. Raises StubError."""
    paths = CoursePaths(root)
    file = paths.lectures / EQUATIONS
    if not file.is_file():
        return {}
    shown = paths.shown(file)
    try:
        entries = tomllib.loads(_text(file, shown)).get("equation", [])
        return {
            plain(entry["plain"].strip("\n").split("\n")): entry["latex"].strip()
            for entry in entries
        }
    except (tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError) as error:
        raise StubError(
            f"{shown}:1: not a list of [[equation]] with 'plain' and 'latex': {error}"
        ) from error


def lecture_for(root: Path, stem: str, exercises: Iterable[Exercise]) -> Lecture:
    """Return what an assignment's notebook tells, about exercises that it has. Raises StubError."""
    lecture = read_lecture(root, stem)
    own = [exercise for exercise in exercises if exercise.assignment == stem]
    names = {name for exercise in own for name in (exercise.slug, *exercise.targets)}
    require_places(lecture, stem, frozenset(names))
    return lecture


def require_places(lecture: Lecture, stem: str, names: frozenset[str]) -> None:
    """Raise StubError for a section whose exercise or target the assignment does not have."""
    for place in lecture.sections:
        _, _, name = place.partition(": ")
        if name and name not in names:
            raise StubError(
                f"reference/lectures/{stem}.md:1: '{place}' is about nothing in {stem}. "
                f"Next: one of {', '.join(sorted(names))}"
            )


def _sections(text: str, shown: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, place and text of each section."""
    place, begun, rows = "", 1, list[str]()
    for number, row in enumerate([*text.split("\n"), "<!-- end of file -->"], start=1):
        mark = _SECTION.fullmatch(row)
        if mark is None and row != "<!-- end of file -->":
            rows.append(row)
            continue
        inside = "\n".join(rows).strip("\n")
        if inside and not place:
            raise StubError(f"{shown}:1: a text before the first section. Next: {GOAL} or {START}")
        if place:
            yield begun, place, inside
        if mark is not None and not _PLACE.fullmatch(mark["place"]):
            raise StubError(
                f"{shown}:{number}: no place '{mark['place']}'. Next: goal, start, end, "
                "'before: NAME' or 'after: NAME'"
            )
        place, begun, rows = (mark["place"] if mark else ""), number, []


def _tellings(text: str, root: Path, shown: str) -> Iterator[Telling]:
    at = 0
    for match in _CODE.finditer(text):
        if text[at : match.start()].strip():
            yield _text_with_pictures(text[at : match.start()].strip("\n"), root, shown)
        try:
            ast.parse(match["code"])
        except SyntaxError as error:
            raise StubError(f"{shown}: not valid Python: {error.msg}") from error
        yield Telling(match["code"].rstrip("\n"), is_code=True)
        at = match.end()
    if text[at:].strip():
        yield _text_with_pictures(text[at:].strip("\n"), root, shown)


def _text_with_pictures(text: str, root: Path, shown: str) -> Telling:
    """Return a text that carries its pictures with it: a notebook is copied without a folder."""
    pictures: dict[str, str] = {}

    def attached(image: re.Match[str]) -> str:
        path = (root / image["path"]).resolve()
        if not path.is_relative_to(root.resolve()) or not path.is_file():
            raise StubError(f"{shown}: no picture {image['path']}, counted from the course's root")
        content = path.read_bytes()
        if len(content) > MOST_BYTES:
            raise StubError(
                f"{shown}: {image['path']} has {len(content):,} bytes, more than {MOST_BYTES:,}"
            )
        pictures[path.name] = base64.b64encode(content).decode("ascii")
        return f"![{image['text']}](attachment:{path.name})"

    return Telling(_IMAGE.sub(attached, text), pictures=pictures)


def _text(path: Path, shown: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StubError(f"{shown}:1: cannot be read: {error}") from error
