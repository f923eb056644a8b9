"""Describe known wrong and known right ways to write an exercise, as changes of the reference.

A mistake changes lines of a definition; a right way is a whole definition to stand in its place.
"""

from __future__ import annotations

import ast
import functools
import textwrap
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ..sealed.imports import module_of
from .edit import Edit
from .rubric import Rubric

ALL = "all"


class MisconceptionError(Exception):
    """An entry that does not fit its reference. The message starts with file:line."""


@dataclass(frozen=True)
class Misconception:
    """A mistake that people make in an exercise."""

    id: str
    """`mha.scale_by_width`: the exercise in short, then the mistake."""
    mistakes: tuple[str, ...]
    """Ids in the course's list of mistakes; empty if it is not in there."""
    target: str
    """The definition with the mistake: `MultiHeadAttention`, or `ViT.forward` for one method."""
    edits: tuple[Edit, ...]
    """Ways to write the change, for references that are written in different ways: one fits."""
    fails: tuple[str, ...]
    """Criteria that lose points, in the words that `criteria_named` reads."""
    cause: str = ""
    """The mistake in words, to the student."""
    unnamed: str = ""
    """The reason why diagnosis never names it, if so: for `grader validate --diagnosis`."""


@dataclass(frozen=True)
class Variant:
    """Another right way to write a definition."""

    id: str
    target: str
    source: str
    """The target's new definition, and whatever else it needs before it."""
    earns: str | tuple[str, ...] = ALL
    """The criteria it earns in full: `"all"` of its exercise, or as in `Misconception.fails`."""
    mistakes: tuple[str, ...] = ()
    """Ids in the course's list of mistakes that turned out to be none."""


@dataclass(frozen=True)
class BlankAnswer:
    """An answer without any understanding, beyond those made for every exercise.

    It must earn nothing, except in the criteria in the course's `MAY_EARN` and its own.
    """

    id: str
    target: str
    source: str
    may_earn: tuple[str, ...] = ()
    """`outputs`, or `a1.sdpa/outputs`."""


Entry = Misconception | Variant | BlankAnswer


@dataclass(frozen=True)
class Origin:
    """A file of entries and the line of each, for messages."""

    path: str
    lines: Mapping[str, int]

    def place(self, entry: Entry) -> str:
        return f"{self.path}:{self.lines.get(entry.id, 1)}"


def apply_misconception(reference: str, entry: Misconception, origin: Origin) -> str:
    """Return the reference with the mistake in it.

    Raises MisconceptionError if the edit does not fit.
    """
    start, end = _span(reference, entry, origin)
    result = [each for edit in entry.edits for each in edit.applied(reference[start:end])]
    if len(result) != 1:
        times = f"fits {len(result)} times" if result else "does not fit"
        old = " or ".join(repr(edit.old) for edit in entry.edits)
        raise MisconceptionError(
            f"{origin.place(entry)}: {entry.id}: the edit {times} in {entry.target} of the"
            f" reference, and must fit exactly once: it changes {old}"
        )
    _require_python(result[0], entry, origin)
    return reference[:start] + result[0] + reference[end:]


def apply_variant(reference: str, entry: Variant | BlankAnswer, origin: Origin) -> str:
    """Return the reference written another way.

    Raises MisconceptionError if the entry does not fit.
    """
    start, end = _span(reference, entry, origin)
    old = reference[start:end]
    inside = textwrap.indent(entry.source.strip("\n"), old[: len(old) - len(old.lstrip())])
    _require_python(inside, entry, origin)
    return reference[:start] + inside + reference[end:]


def load_data(path: Path, shown: str) -> ModuleType:
    """Load a module of course data.

    Raises MisconceptionError if there is none or it can't run.
    """
    if not path.is_file():
        raise MisconceptionError(f"{shown}:1: there is no such module")
    try:
        return module_of(f"course_data_{path.stem}", path)
    except SyntaxError as error:
        raise MisconceptionError(
            f"{shown}:{error.lineno or 1}: not valid Python: {error.msg}"
        ) from error
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == str(path)), 1)
        raise MisconceptionError(f"{shown}:{line}: {type(error).__name__}: {error}") from error


def criteria_named(
    names: str | tuple[str, ...], entry: Entry, rubric: Rubric, origin: Origin
) -> tuple[tuple[str, str], ...]:
    """Return the criteria that an entry names, as (slug, criterion).

    A name is a criterion of the target's exercise (`outputs`), one of another (`a4.vit/outputs`),
    or a whole exercise (`a4.vit`); `"all"` is the whole exercise of the target.

    Raises MisconceptionError for a name that the rubric does not know.
    """
    definition = entry.target.partition(".")[0]
    own = next((e.slug for e in rubric.exercises.values() if definition in e.targets), "")
    result: list[tuple[str, str]] = []
    for name in (own,) if names == ALL else names:
        whole = rubric.exercises.get(name)
        slug, _, criterion = name.rpartition("/")
        exercise = rubric.exercises.get(slug or own)
        if whole is not None:
            result += [(name, each) for each in whole.criteria]
        elif exercise is not None and criterion in exercise.criteria:
            result.append((exercise.slug, criterion))
        else:
            raise MisconceptionError(
                f"{origin.place(entry)}: {entry.id}: the rubric has no {name or definition!r}"
            )
    return tuple(result)


@functools.lru_cache(maxsize=16)
def _body(reference: str) -> list[ast.stmt]:
    """Parse a reference once for all its entries; nobody changes the tree."""
    return ast.parse(reference).body


def _span(reference: str, entry: Entry, origin: Origin) -> tuple[int, int]:
    """Return where the target's definition starts and ends in the text, decorators included."""
    body = _body(reference)
    result: ast.stmt | None = None
    for name in entry.target.split("."):
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        result = next((n for n in body if isinstance(n, definitions) and n.name == name), None)
        if result is None:
            raise MisconceptionError(
                f"{origin.place(entry)}: {entry.id}: the reference defines no {entry.target}"
            )
        body = list(ast.iter_child_nodes(result))  # type: ignore[arg-type]
    assert isinstance(result, definitions)
    first = min([result.lineno, *(node.lineno for node in result.decorator_list)])
    lines = reference.splitlines(keepends=True)
    start = sum(map(len, lines[: first - 1]))
    length = sum(map(len, lines[first - 1 : result.end_lineno]))
    return start, start + length - (lines[(result.end_lineno or 1) - 1].endswith("\n"))


def _require_python(definition: str, entry: Entry, origin: Origin) -> None:
    """Raise MisconceptionError if the edited definition is not valid Python.

    Only the definition is parsed: a course has hundreds of entries, in files of some length.
    """
    try:
        ast.parse(f"class Holder:\n{definition}" if definition[:1].isspace() else definition)
    except SyntaxError as error:
        raise MisconceptionError(
            f"{origin.place(entry)}: {entry.id}: not valid Python after the edit: {error.msg}"
        ) from error
