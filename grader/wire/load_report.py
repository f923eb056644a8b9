"""Define a worker's report of what it loaded, and decode it as the untrusted message that it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from .faults import Violation
from .frame import Meta

MAX_PLACE = 10_000_000
"""Line and cell numbers from here on are taken for none."""
MAX_NOTES = 10_000
MAX_TARGETS = 10_000
"""Limit on the assignments of a report, on the targets of one, and on its files."""
MAX_CLOSE = 3
"""Similar names are suggested at most so often; the others are dropped."""

Decoded = TypeVar("Decoded")


@dataclass(frozen=True)
class TargetReport:
    """The state of one target after loading."""

    kind: str = "missing"
    """`function`, `class`, `value` or `missing`."""
    line: int | None = None
    cell: int | None = None
    stub: bool = False
    """True if the target is as it was handed out."""
    close: tuple[str, ...] = ()
    """Names in the file that are easily mistaken for a missing target's."""
    why: str = ""
    """The reason why a target is missing, in a sentence."""


@dataclass(frozen=True)
class ModuleReport:
    """The state of one assignment after loading."""

    file: str
    """The file that was loaded for it; "" if there is none."""
    targets: Mapping[str, TargetReport]


@dataclass(frozen=True)
class LoadNote:
    """A problem or a remark about a file, as a student reads it."""

    kind: str
    """`problem` or `note`."""
    text: str
    file: str
    line: int | None
    cell: int | None
    unimported: str = ""
    """The name that the file uses and never imported; "" if the note is about something else."""


@dataclass(frozen=True)
class FileChoice:
    """The file that a worker chose for an assignment, and the state of each that could be it."""

    path: str
    states: Mapping[str, str]


@dataclass(frozen=True)
class LoadReport:
    """The result of loading a submission. A judge takes it for a claim."""

    modules: Mapping[str, ModuleReport] = field(default_factory=dict)
    """Assignment -> its state, for each assignment that has targets."""
    notes: tuple[LoadNote, ...] = ()
    files: Mapping[str, FileChoice] = field(default_factory=dict)
    """Assignment -> the file that was chosen for it."""

    def encoded(self) -> Meta:
        """Return the report as plain values."""
        return asdict(self)


def load_report(value: Any) -> LoadReport:
    """Decode an untrusted report; long texts are cut, and numbers that are none are left out.

    Raises:
        Violation: something has another type or another name than a report's, or there is too
            much of it.
    """
    modules, notes, files = _fields(value, "modules", "notes", "files")
    if type(notes) is not list or len(notes) > MAX_NOTES:
        raise Violation("notes of a load report")
    return LoadReport(
        _mapping(modules, _module), tuple(map(_note, notes)), _mapping(files, _choice)
    )


def _module(value: Any) -> ModuleReport:
    file, targets = _fields(value, "file", "targets")
    return ModuleReport(_text(file, 400), _mapping(targets, _target))


def _target(value: Any) -> TargetReport:
    kind, line, cell, stub, close, why = _fields(
        value, "kind", "line", "cell", "stub", "close", "why"
    )
    if type(stub) is not bool or type(close) is not list:
        raise Violation("target of a load report")
    names = tuple(_text(name, 200) for name in close[:MAX_CLOSE])
    return TargetReport(_text(kind, 40), _number(line), _number(cell), stub, names, _text(why, 400))


def _note(value: Any) -> LoadNote:
    kind, text, file, line, cell, unimported = _fields(
        value, "kind", "text", "file", "line", "cell", "unimported"
    )
    if kind not in ("problem", "note"):
        raise Violation("kind of a note")
    place = _text(file, 400), _number(line), _number(cell)
    return LoadNote(kind, _text(text, 2000), *place, _text(unimported, 200))


def _choice(value: Any) -> FileChoice:
    path, states = _fields(value, "path", "states")
    return FileChoice(_text(path, 400), _mapping(states, lambda state: _text(state, 40)))


def _fields(value: Any, *names: str) -> list[Any]:
    if type(value) is not dict or value.keys() != set(names):
        raise Violation("load report")
    return [value[name] for name in names]


def _mapping(value: Any, decode: Callable[[Any], Decoded]) -> dict[str, Decoded]:
    if type(value) is not dict or len(value) > MAX_TARGETS:
        raise Violation("load report")
    return {_text(name, 400): decode(one) for name, one in value.items()}


def _text(value: Any, limit: int) -> str:
    if type(value) is not str:
        raise Violation("text in a load report")
    return value[:limit]


def _number(value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise Violation("number in a load report")
    return value if value is not None and 0 <= value < MAX_PLACE else None
