"""Draw the returned weights in a terminal, beside the right ones."""

from __future__ import annotations

import math
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from grader.grade.evidence import Grid, Weights
from grader.report.drawing import ROOM, Rows, heat_map
from grader.text.language import _

MOST = 8
"""The most rows and columns: one mistake should fit on one screen."""


def beside(weights: Weights, is_unicode: bool = True, room: int = ROOM) -> Text | None:
    """Draw two small matrices beside each other in the same shades.

    Without room for that, one goes below the other. Returns None if blocks as coarse as these would
    look alike.
    """
    pairs = [_few(grid) for grid in (weights.returned, weights.expected)]
    sizes = [abs(n) for rows in pairs for row in rows for n in row if math.isfinite(n)]
    largest = max(sizes, default=0.0)
    maps = [heat_map(rows, is_unicode, largest, room=room) for rows in pairs]
    if maps[0] == maps[1]:
        return None
    left, right = (
        [Text(name), *drawn.split("\n")]
        for name, drawn in zip((_("yours"), _("expected")), maps, strict=True)
    )
    width = max(cell_len(line.plain) for line in left) + 2
    if width + max(cell_len(line.plain) for line in right) > room:
        return Text("\n").join([*left, *right])
    lines = []
    for one, other in zip_longest(left, right, fillvalue=Text()):
        gap = " " * (width - cell_len(one.plain)) if other.plain else ""
        lines.append(Text.assemble(one, gap, other))
    return Text("\n").join(lines)


def _few(grid: Grid) -> Rows:
    return [
        [math.nan if number is None else number for number in row[:MOST]] for row in grid[:MOST]
    ]
