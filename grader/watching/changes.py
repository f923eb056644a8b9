"""Which exercises a save can have changed. Looks at lines, and parses nothing."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.notebook import NotebookError, read_cells
from grader.prerequisites import needs
from grader.rubric import Rubric

Files = Mapping[str, bytes]
Pieces = Mapping[str, str]
"""Name of a top-level definition -> its text; under the empty name, all the rest of the file."""

_DEFINITION = re.compile(r"(?:async\s+def|def|class)\s+(\w+)")
_CONTINUES = re.compile(r"[\s#)\]}]|$")
_WORD = re.compile(r"\w+")
_REMEMBERED = 64
"""Files: between two saves nearly all are as they were."""


@dataclass(frozen=True)
class Affected:
    """Exercises in the order in which to grade them again."""

    changed: tuple[str, ...]
    """Whose own definitions are other ones now."""
    reached: tuple[str, ...]
    """That may use what was changed."""


def affected(old: Files, new: Files, entries: Mapping[str, str], rubric: Rubric) -> Affected:
    """What to grade again. `entries`: assignment -> the file that was graded for it."""
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
    """The definitions at the top level of a file, as text.

    >>> pieces("a.py", b"import torch\\n\\n@cached\\ndef f(x):\\n    return x\\n\\ny = 1\\n")
    {'': 'import torch\\ny = 1', 'f': '@cached\\ndef f(x):\\n    return x'}
    """
    found: dict[str, list[str]] = {"": []}
    name, above = "", list[str]()
    for line in _code(path, data).split("\n"):
        definition = _DEFINITION.match(line)
        if definition:
            name = definition[1]
            found.setdefault(name, []).extend(above)
            above = []
        elif line.startswith("@"):
            name, above = "", [*above, line]
            continue
        elif not _CONTINUES.match(line):
            name = ""
        if line.strip():
            found[name].append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


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
    """The names, and all definitions whose text mentions one of them, at any distance."""
    words = {
        (number, name): _words(text)
        for number, file in enumerate(files)
        for name, text in file.items()
        if name
    }
    found, waiting = set[str](), [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [other for (_, other), used in words.items() if name in used]
    return found


@functools.lru_cache(_REMEMBERED * 16)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _followers(slugs: set[str], rubric: Rubric) -> list[str]:
    """Exercises, not among them, that use what these ask for or wait for it."""
    found: list[str] = []
    for slug, exercise in rubric.exercises.items():
        if slug not in slugs and needs(exercise) & {*slugs, *found}:
            found.append(slug)
    return found
