"""The worker's account of what it loaded, checked: it comes from the untrusted side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..evidence import Note, Where
from ..intake import STATES, Choice
from ..wire.faults import Violation
from ..wire.raised import MAX_PLACE
from ..wire.values import text


def checked(report: Any) -> Mapping[str, Any]:
    """The account with nothing in it that has another shape. Raises Violation."""
    if type(report) is not dict:
        raise Violation("load report")
    modules, notes = report.get("modules"), report.get("notes")
    if type(modules) is not dict or type(notes) is not list or len(notes) > 10_000:
        raise Violation("load report")
    files = report.get("files")
    return {
        "modules": {str(stem): _module(module) for stem, module in modules.items()},
        "notes": [note for note in notes if type(note) is dict],
        "files": files if type(files) is dict else {},
    }


def choice(found: Any, paths: tuple[str, ...]) -> Choice:
    """What the worker says about files that it was given; anything else is ignored."""
    path, states = found if type(found) is list and len(found) == 2 else (None, None)
    if type(states) is not dict:
        states = {}
    known = {one: text(states.get(one), 40) for one in paths if text(states.get(one), 40) in STATES}
    return Choice(path if path in paths else paths[0], known)


def _module(module: Any) -> Mapping[str, Any]:
    if type(module) is not dict or type(module.get("targets")) is not dict:
        raise Violation("load report of a file")
    targets = {
        str(name): {
            "kind": text(target.get("kind"), 40),
            "line": _number(target.get("line")),
            "cell": _number(target.get("cell")),
            "stub": target.get("stub") is True,
            "close": _names(target.get("close"))[:3],
        }
        for name, target in module["targets"].items()
        if type(target) is dict
    }
    return {"file": text(module.get("file"), 400), "targets": targets}


def note(found: Mapping[str, Any]) -> Note:
    """One problem or note, with bounded texts."""
    place = None
    if file := text(found.get("file"), 400):
        place = Where(file, _number(found.get("line")), _number(found.get("cell")))
    kind = "problem" if found.get("kind") == "problem" else "note"
    return Note(kind, text(found.get("text"), 2000), place)


def where(module: Mapping[str, Any], target: Mapping[str, Any]) -> Where:
    """Where a target is defined."""
    return Where(module["file"], target["line"], target["cell"])


def _number(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < MAX_PLACE else None


def _names(value: Any) -> list[str]:
    return [name[:200] for name in value if type(name) is str] if type(value) is list else []
