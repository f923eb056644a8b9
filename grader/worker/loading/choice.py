"""Which of several files that could be an assignment is the student's work."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from .digest import definition_digest
from .findings import broken_definition, definition_in
from .statements import Script


class State(StrEnum):
    """How far a file is from the hand-out."""

    EDITED = "edited"
    UNREADABLE = "unreadable"
    UNTOUCHED = "untouched"
    """Every target is the hand-out's or not there: choosing another file cannot cost points."""


_RANK = (State.EDITED, State.UNREADABLE, State.UNTOUCHED)


class Choice(NamedTuple):
    """The file that counts, and the state of each file that was there."""

    path: str
    states: Mapping[str, State]


def choose(
    entries: Mapping[str, str],
    others: Mapping[str, tuple[str, ...]],
    stubs: Mapping[str, Mapping[str, str]],
    script_of: Callable[[str], Script],
) -> dict[str, Choice]:
    """For each assignment the first edited file, else the first one. Executes nothing."""
    choices = {}
    for stem, path in entries.items():
        paths = (path, *others.get(stem, ()))
        if len(paths) == 1:
            choices[stem] = Choice(path, {})
            continue
        states = {one: state_of(script_of(one), stubs.get(stem, {})) for one in paths}
        choices[stem] = Choice(min(paths, key=lambda one: _RANK.index(states[one])), states)
    return choices


def state_of(script: Script, stubs: Mapping[str, str]) -> State:
    """Compares a file's targets with the hand-out's, whose digests are `stubs`."""
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
