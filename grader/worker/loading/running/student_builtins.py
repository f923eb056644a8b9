"""Substitute built-ins that would wait for a person, end the worker, or exist in notebooks only."""

from __future__ import annotations

import builtins
from typing import Any

from ....text.language import _
from .standins import Gate, Standin


def builtins_of_a_submission(gate: Gate) -> dict[str, Any]:
    """Return the built-ins that a submission gets."""
    return {**vars(builtins), **_replacements(gate)}


def _replacements(gate: Gate) -> dict[str, Any]:
    def input(prompt: object = "", /) -> str:
        raise EOFError("EOF when reading a line")

    def leave(code: object = None) -> None:
        raise SystemExit(code)

    def nothing(*args: object, **options: object) -> None:
        return None

    def get_ipython() -> Standin:
        return Standin("get_ipython()", gate, _("there is no IPython while grading"))

    return {
        "input": input,
        "exit": leave,
        "quit": leave,
        "breakpoint": nothing,
        "display": nothing,
        "get_ipython": get_ipython,
    }
