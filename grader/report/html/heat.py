"""Draw matrices as pictures: a shade for each cell, its number, and the same in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from grader.grade.evidence import Grid, Picture, Weights
from grader.report.html.palette import HALF, STEPS
from grader.text.language import _, ngettext

CELL = 28
MARGIN = 16
WITH_NUMBERS = 8
"""Columns up to which a cell has room for its number."""
WIDEST = 290
RIGHT = 1e-4
"""Differences below this count as none: numbers come with four digits."""


@dataclass(frozen=True)
class HeatCell:
    """One cell of a picture; its place is that of its top left corner."""

    x: int
    y: int
    kind: str
    """The CSS class of its colour: `w3`, `d-2`, `leak2`, `odd` for a number that is not finite."""
    text: str = ""


@dataclass(frozen=True)
class Label:
    x: int
    y: int
    text: str


@dataclass(frozen=True)
class Panel:
    """One matrix as a drawing, and as a table for readers who do not see the drawing."""

    title: str
    description: str
    """The content of the picture in a sentence."""
    cells: tuple[HeatCell, ...]
    labels: tuple[Label, ...]
    width: int
    height: int
    table: tuple[tuple[str, ...], ...]

    @property
    def shown(self) -> int:
        """Return the width on a page that has room: three panels stand side by side."""
        return min(self.width * 5 // 4, WIDEST)


@dataclass(frozen=True)
class LegendEntry:
    """One entry of a legend."""

    kind: str
    text: str


@dataclass(frozen=True)
class Scale:
    """The shades from one number to another."""

    kinds: tuple[str, ...]
    least: str
    most: str


@dataclass(frozen=True)
class Figure:
    """Pictures that belong together, with one caption and the meaning of their colours."""

    title: str
    caption: str
    panels: tuple[Panel, ...]
    scales: tuple[Scale, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    kind: str = "heat"


@dataclass(frozen=True)
class PanelNames:
    """The words over the panels of weights."""

    returned: str
    expected: str
    difference: str


def heat_maps(weights: Weights, names: PanelNames | None = None) -> Figure:
    """Draw the returned and the expected weights and, if their shapes agree, the difference.

    Without `names` they are called as their author reads it: yours, and expected.
    """
    names = names or PanelNames(_("yours"), _("expected"), _("yours − expected"))
    top = _top(weights)
    panels = [
        _panel(names.returned, weights.returned, lambda number: _shade(number, top)),
        _panel(names.expected, weights.expected, lambda number: _shade(number, top)),
    ]
    shades = tuple(f"w{step}" for step in range(STEPS + 1))
    scales = [Scale(shades, "0", _number(top))]
    difference = weights.difference
    if difference is not None:
        most = max((abs(n) for row in difference for n in row if n is not None), default=0.0)
        panels.append(_panel(names.difference, difference, lambda n: _tint(n, most), True))
        tints = tuple(f"d{step}" for step in range(-HALF, HALF + 1))
        if most >= RIGHT:
            scales.append(Scale(tints, _number(-most, True), _number(most, True)))
    return Figure(
        title=_("Weights: each row should add up to 1"),
        caption=_caption(weights),
        panels=tuple(panels),
        scales=tuple(scales),
        legend=_oddities(top, weights),
    )


def _caption(weights: Weights) -> str:
    rows, columns = weights.axes
    sentences = [_("The first sample and head that differ.")]
    if rows and columns:
        sentences.append(_("Rows are {rows}, columns are {columns}.", rows=rows, columns=columns))
    if weights.cut:
        sentences.append(_("Only the first rows and columns are drawn."))
    return " ".join(sentences)


def _top(weights: Weights) -> float:
    """Return the weight with the fullest shade: the largest in (0, 1], or 1 if there is none."""
    both = (*weights.returned, *weights.expected)
    weights_in_range = [
        number for row in both for number in row if number is not None and 0 < number <= 1
    ]
    return max(weights_in_range, default=1.0)


def _shade(number: float, top: float) -> str:
    if number < -RIGHT:
        return "low"
    return "high" if number > top + RIGHT else f"w{max(0, round(number / top * STEPS))}"


def _tint(number: float, most: float) -> str:
    if abs(number) < RIGHT or not most:
        return "d0"
    # Away from the middle: the least difference is still seen.
    step = max(1, math.ceil(abs(number) / most * HALF - 1e-9))
    return f"d{step if number > 0 else -step}"


def _panel(title: str, grid: Grid, kind: Callable[[float], str], signed: bool = False) -> Panel:
    columns = max((len(row) for row in grid), default=0)
    room = columns <= WITH_NUMBERS
    cells = tuple(
        HeatCell(
            MARGIN + place * CELL,
            MARGIN + line * CELL,
            "odd" if number is None else kind(number),
            _short(number, signed) if room else "",
        )
        for line, row in enumerate(grid)
        for place, number in enumerate(row)
    )
    size = {"rows": len(grid), "columns": columns}
    sentences = [_("{title}: {rows} rows and {columns} columns of numbers.", title=title, **size)]
    sentences += _largest(grid) if signed else []
    return Panel(
        title=title,
        description=" ".join(sentences),
        cells=cells,
        labels=_labels(len(grid), columns),
        width=MARGIN + columns * CELL,
        height=MARGIN + len(grid) * CELL,
        table=tuple(tuple(_number(number, signed) for number in row) for row in grid),
    )


def _largest(grid: Grid) -> list[str]:
    """Say in words where a difference is largest; say nothing if all are below RIGHT."""
    numbers = [
        (abs(number), number, line, place)
        for line, row in enumerate(grid)
        for place, number in enumerate(row)
        if number is not None
    ]
    size, number, line, place = max(numbers, default=(0.0, 0.0, 0, 0))
    if size < RIGHT:
        return []
    return [
        _(
            "The largest difference is {number}, in row {row}, column {column}.",
            number=_number(number, True),
            row=line,
            column=place,
        )
    ]


def _labels(rows: int, columns: int) -> tuple[Label, ...]:
    middle, near = CELL // 2, MARGIN // 2
    across = [Label(MARGIN + place * CELL + middle, near, str(place)) for place in range(columns)]
    down = [Label(near, MARGIN + line * CELL + middle, str(line)) for line in range(rows)]
    return (*across, *down)


def _number(number: float | None, signed: bool = False) -> str:
    if number is None:
        return _("not finite")
    if abs(number) < RIGHT:
        return "0"
    text = f"{number:+.3f}" if signed else f"{number:.3f}"
    return text.replace("-", "−") if abs(number) < 1000 else f"{number:.2g}".replace("-", "−")


def _short(number: float | None, signed: bool) -> str:
    """Format a number for a cell: `.31`, `+.31`, `1`; `!` if it is not finite."""
    if number is None:
        return "!"
    if abs(number) < RIGHT:
        return "0"
    text = f"{number:+.2f}" if signed else f"{number:.2f}"
    if abs(number) >= 10:
        text = f"{number:.0e}" if abs(number) >= 1000 else f"{number:.0f}"
    return text.replace("0.", ".", 1).replace("1.00", "1").replace("-", "−")


def _oddities(top: float, weights: Weights) -> tuple[LegendEntry, ...]:
    """Return the legend for those numbers here that are no weights: each kind has its colour."""
    numbers = [number for row in weights.returned for number in row]
    kinds = {"odd" if number is None else _shade(number, top) for number in numbers}
    words = {
        "low": _("below 0"),
        "high": _("above {top}", top=_number(top)),
        "odd": _("not finite"),
    }
    return tuple(LegendEntry(kind, text) for kind, text in words.items() if kind in kinds)


def drawn(picture: Picture) -> Figure | None:
    """Draw a map of dependences or the sums of rows; return None for an unknown kind of picture."""
    if picture.kind == "leaks":
        return _leak_map(picture)
    return _sums(picture) if picture.kind == "row_sums" else None


def _leak_map(picture: Picture) -> Figure:
    words = {
        "leak0": _("no"),
        "leak1": _("yes, and it may"),
        "leak2": _("yes, and it must not"),
        "leak3": _("no, and it should"),
    }
    short = {"leak0": "–", "leak1": _("yes"), "leak2": _("must not"), "leak3": _("should")}
    grid = [[f"leak{int(value or 0)}" for value in row] for row in picture.rows]
    columns = max((len(row) for row in grid), default=0)
    cells = tuple(
        HeatCell(MARGIN + place * CELL, MARGIN + line * CELL, kind)
        for line, row in enumerate(grid)
        for place, kind in enumerate(row)
    )
    used = {kind for row in grid for kind in row}
    title, rows = _(picture.title), len(grid)
    sentences = [
        _("{title}: {rows} rows and {columns} columns.", title=title, rows=rows, columns=columns)
    ]
    for kind in ("leak2", "leak3"):
        count = sum(row.count(kind) for row in grid)
        if count:
            sentences.append(
                ngettext(
                    "“{what}” stands in {count} cell.",
                    "“{what}” stands in {count} cells.",
                    count,
                    what=words[kind],
                )
            )
    panel = Panel(
        title="",
        description=" ".join(sentences),
        cells=cells,
        labels=_labels(len(grid), columns),
        width=MARGIN + columns * CELL,
        height=MARGIN + len(grid) * CELL,
        table=tuple(tuple(short.get(kind, "?") for kind in row) for row in grid),
    )
    legend = tuple(LegendEntry(kind, text) for kind, text in words.items() if kind in used)
    return Figure(_(picture.title), "", (panel,), legend=legend, kind="leaks")


def _sums(picture: Picture) -> Figure:
    (row,) = picture.rows[:1] or ((),)
    width = CELL + MARGIN
    cells = tuple(
        HeatCell(
            place * width, MARGIN, "fine" if abs(number - 1) < 1e-3 else "wrong", f"{number:.2f}"
        )
        for place, number in enumerate(row)
    )
    labels = tuple(
        Label(place * width + width // 2, MARGIN // 2, str(place)) for place in range(len(row))
    )
    sums = ", ".join(f"{number:.4g}" for number in row)
    panel = Panel(
        title="",
        description=_("{title}: {numbers}", title=_(picture.title), numbers=sums),
        cells=cells,
        labels=labels,
        width=len(row) * width,
        height=MARGIN + CELL,
        table=(tuple(f"{number:.4g}" for number in row),),
    )
    return Figure(_(picture.title), "", (panel,), kind="sums")
