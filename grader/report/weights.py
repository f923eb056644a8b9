"""Weights in a terminal: those that were returned beside the right ones."""

from __future__ import annotations

import math
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from grader.evidence import Grid, Weights
from grader.language import _
from grader.report.drawing import Rows, heat_map

MOST = 8
"""Rows and columns: one mistake is to fit on one screen."""


def beside(weights: Weights, is_unicode: bool = True) -> Text | None:
    """Two small matrices beside each other, in the same shades; None where blocks as coarse as
    these would look alike."""
    pairs = [_few(grid) for grid in (weights.returned, weights.expected)]
    found = [abs(n) for rows in pairs for row in rows for n in row if math.isfinite(n)]
    most = max(found, default=0.0)
    maps = [heat_map(rows, is_unicode, most) for rows in pairs]
    if maps[0] == maps[1]:
        return None
    left, right = (
        [Text(name), *drawn.split("\n")]
        for name, drawn in zip((_("yours"), _("expected")), maps, strict=True)
    )
    width = max(cell_len(line.plain) for line in left) + 2
    lines = []
    for one, other in zip_longest(left, right, fillvalue=Text()):
        gap = " " * (width - cell_len(one.plain)) if other.plain else ""
        lines.append(Text.assemble(one, gap, other))
    return Text("\n").join(lines)


def _few(grid: Grid) -> Rows:
    return [
        [math.nan if number is None else number for number in row[:MOST]] for row in grid[:MOST]
    ]
