"""Find the exercises that a save can have changed. Compares lines, and parses nothing."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.course.prerequisites import needs
from grader.course.rubric import Rubric
from grader.submission.notebook import NotebookError, read_cells

Files = Mapping[str, bytes]
Pieces = Mapping[str, str]
"""Maps a top-level definition's name to its text, and "" to all the rest of the file."""

_DEFINITION = re.compile(r"(?:async\s+def|def|class)\s+(\w+)")
_CONTINUES = re.compile(r"[\s#)\]}]|$")
_WORD = re.compile(r"\w+")
_REMEMBERED = 64
"""The number of files to remember: between two saves nearly all stay the same."""


@dataclass(frozen=True)
class Affected:
    """Exercises in the order in which to grade them again."""

    changed: tuple[str, ...]
    """Exercises whose own definitions changed."""
    reached: tuple[str, ...]
    """Other exercises that the save may have changed the result of."""


def affected(old: Files, new: Files, entries: Mapping[str, str], rubric: Rubric) -> Affected:
    """Return the exercises to grade again.

    `entries` maps an assignment to the file that was graded for it.
    """
    paths = [path for path in {**old, **new} if old.get(path) != new.get(path)]
    stems = {file: stem for stem, file in entries.items()}
    if any(path not in stems or path not in old or path not in new for path in paths):
        # A file of helpers, a new one, or one that is gone: which file counts may be another now.
        return Affected((), tuple(rubric.exercises))
    known = {path: pieces(path, data) for path, data in new.items() if path in stems}
    changed = {
        (path, name) for path in paths for name in _different(pieces(path, old[path]), known[path])
    }
    names = {name for _, name in changed}
    whole = {stems[path] for path, name in changed if not name}
    reached = _reached(names - {""}, known.values())
    first, rest = list[str](), list[str]()
    for slug, exercise in rubric.exercises.items():
        targets = {*exercise.targets}
        if exercise.assignment in whole or targets & reached:
            (first if targets & names else rest).append(slug)
    rest += _followers({*first, *rest}, rubric)
    return Affected(tuple(first), tuple(rest))


@functools.lru_cache(_REMEMBERED)
def pieces(path: str, data: bytes) -> Pieces:
    """Return the definitions at the top level of a file, as text.

    >>> pieces("a.py", b"import torch\\n\\n@cached\\ndef f(x):\\n    return x\\n\\ny = 1\\n")
    {'': 'import torch\\ny = 1', 'f': '@cached\\ndef f(x):\\n    return x'}
    """
    lines_of: dict[str, list[str]] = {"": []}
    name, above = "", list[str]()
    for line in _code(path, data).split("\n"):
        definition = _DEFINITION.match(line)
        if definition:
            name = definition[1]
            lines_of.setdefault(name, []).extend(above)
            above = []
        elif line.startswith("@"):
            name, above = "", [*above, line]
            continue
        elif not _CONTINUES.match(line):
            name = ""
        if line.strip():
            lines_of[name].append(line)
    return {name: "\n".join(lines) for name, lines in lines_of.items()}


def _code(path: str, data: bytes) -> str:
    if not path.lower().endswith(".ipynb"):
        return data.decode("utf-8", errors="replace")
    try:
        return "\n".join(cell.source for cell in read_cells(data) if cell.kind == "code")
    except NotebookError:
        return data.decode("utf-8", errors="replace")


def _different(old: Pieces, new: Pieces) -> set[str]:
    return {name for name in {**old, **new} if old.get(name) != new.get(name)}


def _reached(names: Iterable[str], files: Iterable[Pieces]) -> set[str]:
    """Return the names, and all definitions whose text mentions one of them, at any distance."""
    words = {
        (number, name): _words(text)
        for number, file in enumerate(files)
        for name, text in file.items()
        if name
    }
    reached, waiting = set[str](), [*names]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [other for (_, other), used in words.items() if name in used]
    return reached


@functools.lru_cache(_REMEMBERED * 16)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _followers(slugs: set[str], rubric: Rubric) -> list[str]:
    """Return further exercises that use the targets of `slugs` or wait for them."""
    following: list[str] = []
    for slug, exercise in rubric.exercises.items():
        if slug not in slugs and needs(exercise) & {*slugs, *following}:
            following.append(slug)
    return following
