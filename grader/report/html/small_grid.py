"""Arrange a smallest counterexample as small grids, before any markup."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.grade.counterexample import Counterexample, SmallArray
from grader.grade.evidence import Observation
from grader.report.cleaning import one_line
from grader.report.small_example import arithmetic, array_title, code, example_of, pasted_as, title
from grader.text.language import _


@dataclass(frozen=True)
class GridCell:
    """One entry; `is_wrong` for the first one that is."""

    text: str
    is_wrong: bool


@dataclass(frozen=True)
class SmallGrid:
    """One array as a table: a row for each place along the axis before the last."""

    title: str
    columns: tuple[str, ...]
    """A heading for each column: the word of its axis and a number."""
    rows: tuple[tuple[str, tuple[GridCell, ...]], ...]
    """The heading of each row, and its entries."""
    state: str = ""
    """`bad` for the student's answer, `good` for the right one."""


@dataclass(frozen=True)
class SmallExample:
    """A counterexample on a page."""

    title: str
    call: str
    sentences: tuple[str, ...]
    inputs: tuple[SmallGrid, ...]
    answers: tuple[SmallGrid, ...]
    weights: tuple[SmallGrid, ...]
    weights_title: str
    snippet: str
    snippet_title: str


def small_example(observations: Sequence[Observation]) -> SmallExample | None:
    """Return the counterexample of an exercise, arranged; None if it has none."""
    example = example_of(observations)
    return None if example is None else _arranged(example)


def _arranged(example: Counterexample) -> SmallExample:
    answers = [_grid(example.expected, example.wrong, _("expected"), "good")]
    if example.yours is not None:
        answers.insert(0, _grid(example.yours, example.wrong, _("yours"), "bad"))
    return SmallExample(
        title=title(),
        call=one_line(example.call),
        sentences=tuple(arithmetic(example)),
        inputs=tuple(_grid(one) for one in example.inputs),
        answers=tuple(answers),
        weights=tuple(_grid(one) for one in example.weights),
        weights_title=_("The weights: identities, and rows with a single 1"),
        snippet="\n".join(code(example)),
        snippet_title=pasted_as(),
    )


def _grid(array: SmallArray, wrong: int = -1, name: str = "", state: str = "") -> SmallGrid:
    width = array.shape[-1] if array.shape else 1
    columns = array.axes[-1] if len(array.axes) == len(array.shape) and array.shape else ""
    title = array_title(array)
    return SmallGrid(
        title=f"{name}: {title.replace(': ', ', ', 1)}" if name else title,
        columns=tuple(_place(columns, at) for at in range(width)),
        rows=tuple(_rows(array, width, wrong)),
        state=state,
    )


def _rows(array: SmallArray, width: int, wrong: int) -> Iterator[tuple[str, tuple[GridCell, ...]]]:
    leading = array.shape[:-1]
    words = array.axes[:-1] if len(array.axes) == len(array.shape) else ()
    for row in range(math.prod(leading)):
        cells = range(row * width, (row + 1) * width)
        yield (
            _row_name(leading, words, row),
            tuple(GridCell(one_line(array.entries[at]), at == wrong) for at in cells),
        )


def _row_name(leading: Sequence[int], words: Sequence[str], row: int) -> str:
    """Return the places of a row along the axes that are longer than 1: `head 0, token 1`."""
    places: list[str] = []
    named = [*reversed(words)] or [""] * len(leading)
    for length, word in zip(reversed(leading), named, strict=True):
        row, at = divmod(row, length)
        # An axis of length 1 needs no number, unless it is the only one.
        if length > 1 or (word and not places):
            places.append(_place(word, at))
    return ", ".join(reversed(places))


def _place(word: str, at: int) -> str:
    return f"{word} {at}" if word else str(at)
