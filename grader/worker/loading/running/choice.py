"""Choose the student's work among several files that could be an assignment."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..source.digest import definition_digest
from ..source.statements import Script
from .findings import broken_definition, definition_in


class State(StrEnum):
    """The state of a file, compared with the hand-out."""

    EDITED = "edited"
    UNREADABLE = "unreadable"
    UNTOUCHED = "untouched"
    """Every target is as in the hand-out or missing: choosing another file cannot cost points."""


_RANK = (State.EDITED, State.UNREADABLE, State.UNTOUCHED)


class ChosenFile(NamedTuple):
    """The file that counts for an assignment, and the state of each file that could count."""

    path: str
    states: Mapping[str, State]


def choose(
    entries: Mapping[str, str],
    others: Mapping[str, tuple[str, ...]],
    stubs: Mapping[str, Mapping[str, str]],
    script_of: Callable[[str], Script],
) -> dict[str, ChosenFile]:
    """Choose for each assignment the first edited file, else an unreadable one, else the first.

    Executes nothing.
    """
    choices = {}
    for stem, path in entries.items():
        paths = (path, *others.get(stem, ()))
        if len(paths) == 1:
            choices[stem] = ChosenFile(path, {})
            continue
        states = {one: state_of(script_of(one), stubs.get(stem, {})) for one in paths}
        choices[stem] = ChosenFile(min(paths, key=lambda one: _RANK.index(states[one])), states)
    return choices


def state_of(script: Script, stubs: Mapping[str, str]) -> State:
    """Compare a file's targets with the hand-out's, whose digests are `stubs`."""
    if any(fault.is_whole for fault in script.faults):
        return State.UNREADABLE
    if not stubs:
        return State.EDITED if script.statements or script.faults else State.UNTOUCHED
    touched = any(_is_edited(script, name, stub) for name, stub in stubs.items())
    return State.EDITED if touched else State.UNTOUCHED


def _is_edited(script: Script, name: str, stub: str) -> bool:
    if broken_definition(script, name) is not None:
        return True
    for statement in script.statements:
        if name in statement.binds:
            defined = definition_in(statement, name)
            if defined is None or definition_digest(defined) != stub:
                return True
        elif isinstance(statement.node, ast.ImportFrom) and statement.node.names[0].name == "*":
            return True
    return False
