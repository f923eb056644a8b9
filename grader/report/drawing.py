"""Small pictures of numbers for a terminal: coloured blocks that can be read without colour too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.text import Text

from grader.grade.evidence import Picture
from grader.text.language import _, marked

MOST = 16
"""The most rows and columns; a larger picture is cut."""
_SHADES = " ░▒▓█"
_ASCII_SHADES = " .:+#"

ROOM = 80
_FEWEST = 4
_FRAME = 2
"""The width of a row's number in front of it."""

Rows = Sequence[Sequence[float]]

# Sign and colour for each kind of cell, and what it means.
_LEAKS = {
    0.0: ("·", ".", "bright_black", marked("does not depend")),
    1.0: ("■", "#", "green", marked("depends, and may")),
    2.0: ("✗", "x", "bold red", marked("depends, and must not")),
    3.0: ("○", "o", "yellow", marked("should depend, and does not")),
}


def drawn(picture: Picture, is_unicode: bool = True, room: int = ROOM) -> Text:
    """Draw a picture under its title, one line per row, with as many columns as have room."""
    if picture.kind == "leaks":
        body = leak_map(picture.rows, is_unicode, room=room)
    elif picture.kind == "row_sums":
        body = row_sums(picture.rows, room=room)
    else:
        body = heat_map(picture.rows, is_unicode, room=room)
    return Text(f"{picture.title}\n").append_text(body)


def leak_map(rows: Rows, is_unicode: bool = True, *, room: int = ROOM) -> Text:
    """Draw a map of dependences: one row per output, one column per input, a sign for each pair.

    >>> print(leak_map([[1, 2], [1, 1]], is_unicode=False).plain)
       0 1
    0  # x
    1  # #
    # depends, and may   x depends, and must not
    """
    most = _columns(room - _FRAME, 2)
    lines = [_header(rows, most)]
    for number, row in _few(rows):
        line = Text(f"{number:<2}", style="bright_black")
        for value in row[:most]:
            sign, style = _leak(value, is_unicode)
            line.append(" ").append(sign, style=style)
        lines.append(line)
    used = sorted({float(value) for row in rows for value in row} & set(_LEAKS))
    legend = Text("   ").join(
        Text.assemble(_leak(value, is_unicode), f" {_(_LEAKS[value][3])}")
        for value in used
        if value
    )
    return Text("\n").join([*lines, *_rest(rows, most), legend])


def row_sums(rows: Rows, expected: float = 1.0, *, room: int = ROOM) -> Text:
    """Draw numbers that should each be `expected`: green if they are, red if not.

    >>> print(row_sums([[1.0, 0.43, float("nan")]]).plain)
    1.00 0.43 nan
    """
    lines, most = [], _columns(room + 1, 5)
    for _place, row in _few(rows):
        line = Text()
        for place, value in enumerate(row[:most]):
            is_right = math.isclose(value, expected, abs_tol=1e-3)
            line.append(" " * bool(place))
            line.append(_number(value), style="green" if is_right else "bold red")
        lines.append(line)
    return Text("\n").join([*lines, *_rest(rows, most)])


def heat_map(
    rows: Rows, is_unicode: bool = True, largest: float = 0.0, *, room: int = ROOM
) -> Text:
    """Draw a small matrix: the larger a number's magnitude, the fuller its block.

    A block is full at `largest`, or without one at the largest magnitude in the matrix. NaN is
    drawn as `!`.

    >>> print(heat_map([[0.0, 0.5], [1.0, -1.0]], is_unicode=False).plain)
        0  1
    0     ::
    1  ## --
    """
    finite = [abs(value) for row in rows for value in row if math.isfinite(value)]
    largest = largest or max(finite, default=0.0) or 1.0
    most = _columns(room - _FRAME, 3)
    lines = [_header(rows, most, width=3)]
    for number, row in _few(rows):
        line = Text(f"{number:<2}", style="bright_black")
        for value in row[:most]:
            line.append(" ").append_text(_block(value, largest, is_unicode))
        line.rstrip()
        lines.append(line)
    return Text("\n").join([*lines, *_rest(rows, most)])


def _columns(room: int, width: int) -> int:
    """Return the number of columns of this width that are drawn."""
    return max(_FEWEST, min(MOST, room // width))


def _block(value: float, largest: float, is_unicode: bool) -> Text:
    if not math.isfinite(value):
        return Text("!!", style="bold red")
    shades = _SHADES if is_unicode else _ASCII_SHADES
    shade = shades[round(abs(value) / largest * (len(shades) - 1))]
    if value < 0 and not is_unicode:
        shade = "-"
    return Text(shade * 2, style="blue" if value < 0 else "cyan")


def _leak(value: float, is_unicode: bool) -> tuple[str, str]:
    unicode, ascii, style, _meaning = _LEAKS.get(float(value), ("?", "?", "yellow", ""))
    return (unicode if is_unicode else ascii), style


def _header(rows: Rows, most: int, width: int = 2) -> Text:
    columns = min(most, max((len(row) for row in rows), default=0))
    numbers = "".join(f"{column % 10:>{width}}" for column in range(columns))
    return Text(f"  {numbers}", style="bright_black")


def _few(rows: Rows) -> Iterator[tuple[int, Sequence[float]]]:
    yield from enumerate(rows[:MOST])


def _rest(rows: Rows, most: int) -> Iterator[Text]:
    columns = max((len(row) for row in rows), default=0)
    if len(rows) > MOST or columns > most:
        yield Text(
            _("… of {rows} rows and {columns} columns", rows=len(rows), columns=columns),
            style="bright_black",
        )


def _number(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else str(value)
