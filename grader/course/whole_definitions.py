"""Read whole definitions from `variants.py` and `blank_answers.py` of an exercise.

Each stands in a cell of its own. Comments at the top of a cell say what the code cannot:

    # %% softmax.of_torch
    # earns: shapes, outputs
    def stable_softmax(x, dim=-1):
        return torch.nn.functional.softmax(x, dim=dim)

It takes the place of the definition of the last name in it, or of `# target: ViT.forward`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..text.problem import did_you_mean
from .misconceptions import ALL, BlankAnswer, MisconceptionError, Origin, Variant
from .paths import CoursePaths

_CELL = "# %% "
_WORD = re.compile(r"# ([a-z ]+): (.*)")
_DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)


@dataclass
class DefinitionCell:
    """One cell: the line where it starts, the words at its top, and its code."""

    id: str
    line: int
    words: dict[str, str] = field(default_factory=dict)
    code: list[str] = field(default_factory=list)

    @property
    def source(self) -> str:
        return "\n".join(self.code).strip("\n")

    @property
    def target(self) -> str:
        """Return the definition that it replaces; empty if there is none in it."""
        return self.words.get("target") or (["", *_DEFINED.findall(self.source)])[-1]

    def listed(self, word: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.words.get(word, "").split(",") if part.strip())


def read_variants(paths: CoursePaths, slug: str) -> tuple[tuple[Variant, ...], Origin]:
    """Return other right ways to write an exercise.

    Raises MisconceptionError.
    """
    path = paths.exercise(slug).variants
    cells, origin = _read(path, paths.shown(path), ("target", "earns", "no mistake"))
    result = (
        Variant(
            cell.id,
            cell.target,
            cell.source,
            cell.listed("earns") or ALL,
            cell.listed("no mistake"),
        )
        for cell in cells
    )
    return tuple(result), origin


def read_blank_answers(paths: CoursePaths, slug: str) -> tuple[tuple[BlankAnswer, ...], Origin]:
    """Return the exercise's own answers without any understanding; none if there is no such file.

    Raises MisconceptionError.
    """
    path = paths.exercise(slug).blank_answers
    if not path.is_file():
        return (), Origin(paths.shown(path), {})
    cells, origin = _read(path, paths.shown(path), ("target", "may earn"))
    result = (BlankAnswer(c.id, c.target, c.source, c.listed("may earn")) for c in cells)
    return tuple(result), origin


def _read(path: Path, shown: str, words: tuple[str, ...]) -> tuple[list[DefinitionCell], Origin]:
    if not path.is_file():
        raise MisconceptionError(f"{shown}:1: there is no such file")
    cells = list(_cells(path.read_text(encoding="utf-8")))
    seen: set[str] = set()
    for cell in cells:
        place = f"{shown}:{cell.line}: {cell.id}"
        for word in cell.words:
            if word not in words:
                hint = did_you_mean(word, words)
                raise MisconceptionError(f"{place}: '{word}' is not known here{hint}")
        if cell.id in seen:
            raise MisconceptionError(f"{place} is there twice")
        if not cell.target:
            raise MisconceptionError(f"{place}: no definition stands in this cell")
        seen.add(cell.id)
    return cells, Origin(shown, {cell.id: cell.line for cell in cells})


def _cells(text: str) -> Iterator[DefinitionCell]:
    cell: DefinitionCell | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_CELL):
            if cell is not None:
                yield cell
            cell = DefinitionCell(line.removeprefix(_CELL).strip(), number)
        elif cell is not None:
            word = _WORD.fullmatch(line) if not cell.code else None
            if word:
                cell.words[word[1]] = word[2]
            else:
                cell.code.append(line)
    if cell is not None:
        yield cell
