"""Known wrong and known right ways to write an exercise, as data: edits of the reference.

An edit names a definition of the reference and a text in it, and what to write instead. The text
must occur exactly once, so that an edit never silently stops meaning what it meant.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import get_args

from .rubric import Rubric

ALL = "all"


class MisconceptionError(Exception):
    """An entry that does not fit its reference. The message starts with file:line."""


@dataclass(frozen=True)
class Misconception:
    """A mistake that people make."""

    id: str
    """`mha.scale_by_width`: the exercise in short, then the mistake."""
    mistakes: tuple[int, ...]
    """Numbers in the course's list of mistakes; empty if it is not in there."""
    target: str
    """The definition it stands in: `MultiHeadAttention`, or `ViT.forward` for a single method."""
    replace: str
    by: str
    fails: tuple[str, ...]
    """Criteria that lose points, in the words that `criteria_named` reads."""
    cause: str = ""
    """The mistake in words, to the student."""
    unnamed: str = ""
    """Why diagnosis never names it, if it does not: for `grader validate --diagnosis`."""


@dataclass(frozen=True)
class Variant:
    """Another right way to write it: by edits, or as a whole new definition."""

    id: str
    target: str
    edits: tuple[tuple[str, str], ...] = ()
    """Pairs of a text in the target and what to write instead."""
    source: str = ""
    """The target's new definition, and whatever else it needs before it."""
    earns: str | tuple[str, ...] = ALL
    """What it earns in full: `"all"` of the target's exercise, or as in `Misconception.fails`."""
    mistakes: tuple[int, ...] = ()
    """Numbers in the course's list of mistakes that turned out to be none."""


@dataclass(frozen=True)
class BlankAnswer:
    """An answer in which nobody understood anything, beyond those made for every exercise.

    It must earn nothing, but for the criteria in the course's `MAY_EARN` and its own.
    """

    id: str
    target: str
    edits: tuple[tuple[str, str], ...] = ()
    source: str = ""
    may_earn: tuple[str, ...] = ()
    """`outputs`, or `a1.sdpa/outputs`."""


Entry = Misconception | Variant | BlankAnswer


@dataclass(frozen=True)
class Origin:
    """A file of entries, for messages: where each one stands."""

    path: str
    lines: Mapping[str, int]

    def place(self, entry: Entry) -> str:
        return f"{self.path}:{self.lines.get(entry.id, 1)}"


def apply_misconception(reference: str, entry: Misconception, origin: Origin) -> str:
    """The reference with the mistake in it. Raises MisconceptionError if it does not fit."""
    start, end = _span(reference, entry, origin)
    inside = _replace(reference[start:end], entry.replace, entry.by, entry, origin)
    _require_python(inside, entry, origin)
    return reference[:start] + inside + reference[end:]


def apply_variant(reference: str, entry: Variant | BlankAnswer, origin: Origin) -> str:
    """The reference written another way. Raises MisconceptionError if it does not fit."""
    if bool(entry.source) == bool(entry.edits):
        raise MisconceptionError(
            f"{origin.place(entry)}: {entry.id}: give either a source or edits, one of the two"
        )
    start, end = _span(reference, entry, origin)
    inside = entry.source.strip("\n") or reference[start:end]
    for replace, by in entry.edits:
        inside = _replace(inside, replace, by, entry, origin)
    _require_python(inside, entry, origin)
    return reference[:start] + inside + reference[end:]


def load_entries(path: Path, shown: str = "") -> tuple[tuple[Entry, ...], Origin]:
    """The entries of a module, its tuples MISCONCEPTIONS, VARIANTS and BLANK_ANSWERS, in order.

    `shown` is the path for messages. Raises MisconceptionError for a module without entries, or
    with the same id twice.
    """
    shown = shown or str(path)
    module = load_data(path, shown)
    names = ("MISCONCEPTIONS", "VARIANTS", "BLANK_ANSWERS")
    entries: tuple[Entry, ...] = sum((getattr(module, name, ()) for name in names), ())
    origin = Origin(shown, entry_lines(path.read_text(encoding="utf-8")))
    if not entries:
        raise MisconceptionError(f"{shown}:1: neither MISCONCEPTIONS nor VARIANTS in here")
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            raise MisconceptionError(f"{origin.place(entry)}: {entry.id} is there twice")
        seen.add(entry.id)
    return entries, origin


def load_data(path: Path, shown: str) -> ModuleType:
    """A module of course data. Raises MisconceptionError if there is none or it can't run."""
    spec = importlib.util.spec_from_file_location(f"course_data_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise MisconceptionError(f"{shown}:1: there is no such module")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise MisconceptionError(
            f"{shown}:{error.lineno or 1}: not valid Python: {error.msg}"
        ) from error
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == str(path)), 1)
        raise MisconceptionError(f"{shown}:{line}: {type(error).__name__}: {error}") from error
    return module


def entry_lines(source: str) -> dict[str, int]:
    """The line on which each entry of a module starts.

    >>> entry_lines('MISCONCEPTIONS = (\\n    Misconception(id="sdpa.unscaled"),\\n)\\n')
    {'sdpa.unscaled': 2}
    """
    kinds = {kind.__name__ for kind in get_args(Entry)}
    return {
        value.value: node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds
        for value in [*node.args[:1], *(k.value for k in node.keywords if k.arg == "id")]
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def criteria_named(
    names: str | tuple[str, ...], entry: Entry, rubric: Rubric, origin: Origin
) -> tuple[tuple[str, str], ...]:
    """The criteria that an entry names, as (slug, criterion).

    A name is a criterion of the target's exercise (`outputs`), one of another (`a4.vit/outputs`),
    or a whole exercise (`a4.vit`); `"all"` is the whole exercise of the target.

    Raises MisconceptionError for a name that the rubric does not know.
    """
    definition = entry.target.partition(".")[0]
    own = next((e.slug for e in rubric.exercises.values() if definition in e.targets), "")
    found: list[tuple[str, str]] = []
    for name in (own,) if names == ALL else names:
        whole = rubric.exercises.get(name)
        slug, _, criterion = name.rpartition("/")
        exercise = rubric.exercises.get(slug or own)
        if whole is not None:
            found += [(name, each) for each in whole.criteria]
        elif exercise is not None and criterion in exercise.criteria:
            found.append((exercise.slug, criterion))
        else:
            raise MisconceptionError(
                f"{origin.place(entry)}: {entry.id}: the rubric has no {name or definition!r}"
            )
    return tuple(found)


@functools.lru_cache(maxsize=16)
def _body(reference: str) -> list[ast.stmt]:
    """Read once for all entries of a reference; nobody changes it."""
    return ast.parse(reference).body


def _span(reference: str, entry: Entry, origin: Origin) -> tuple[int, int]:
    """Where the target's definition starts and ends in the text, decorators included."""
    body = _body(reference)
    found: ast.stmt | None = None
    for name in entry.target.split("."):
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = next((n for n in body if isinstance(n, definitions) and n.name == name), None)
        if found is None:
            raise MisconceptionError(
                f"{origin.place(entry)}: {entry.id}: the reference defines no {entry.target}"
            )
        body = list(ast.iter_child_nodes(found))  # type: ignore[arg-type]
    assert isinstance(found, definitions)
    first = min([found.lineno, *(node.lineno for node in found.decorator_list)])
    lines = reference.splitlines(keepends=True)
    start = sum(map(len, lines[: first - 1]))
    length = sum(map(len, lines[first - 1 : found.end_lineno]))
    return start, start + length - (lines[(found.end_lineno or 1) - 1].endswith("\n"))


def _replace(text: str, replace: str, by: str, entry: Entry, origin: Origin) -> str:
    count = text.count(replace) if replace else 0
    if count != 1:
        times = "does not occur" if count == 0 else f"occurs {count} times"
        raise MisconceptionError(
            f"{origin.place(entry)}: {entry.id}: {replace!r} {times} in {entry.target} of the"
            " reference; an edit must fit exactly once"
        )
    return text.replace(replace, by)


def _require_python(definition: str, entry: Entry, origin: Origin) -> None:
    """The definition alone is parsed: a course has hundreds of entries, in files of some length."""
    try:
        ast.parse(f"class Holder:\n{definition}" if definition[:1].isspace() else definition)
    except SyntaxError as error:
        raise MisconceptionError(
            f"{origin.place(entry)}: {entry.id}: not valid Python after the edit: {error.msg}"
        ) from error
