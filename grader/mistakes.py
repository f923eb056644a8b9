"""The course's list of mistakes that people make, numbered: `reference/mistakes.py`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from .misconceptions import MisconceptionError, load_data

FILE = "reference/mistakes.py"


@dataclass(frozen=True)
class Mistake:
    """One mistake of the list. Entries of misconceptions and variants name its number."""

    number: int
    title: str
    reason: str = ""
    """Why no misconception and no variant stands for it."""
    open: str = ""
    """The slug of the exercise that is to come for it."""


@dataclass(frozen=True)
class MistakeList:
    """The list, and the line on which each number stands."""

    mistakes: tuple[Mistake, ...]
    lines: dict[int, int]

    def place(self, number: int) -> str:
        return f"{FILE}:{self.lines.get(number, 1)}"


def load_mistakes(root: Path) -> MistakeList:
    """The list of the course at `root`. Raises MisconceptionError."""
    path = root / FILE
    module = load_data(path, FILE)
    mistakes = tuple(getattr(module, "MISTAKES", ()))
    if not mistakes:
        raise MisconceptionError(f"{FILE}:1: no MISTAKES in here")
    return MistakeList(mistakes, _lines(path.read_text(encoding="utf-8")))


def _lines(source: str) -> dict[int, int]:
    return {
        node.args[0].value: node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == Mistake.__name__ and node.args
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int)
    }
