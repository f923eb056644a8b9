"""Report conflict marks that git left in a file as such, and not as syntax errors."""

from __future__ import annotations

import ast
import re

from ....text.language import _
from .splitting import Broken, Pieces, Stated

_OPENS = re.compile(r"^<<<<<<< ", re.MULTILINE)
_ONLY_MARKS = re.compile(r"(?:(?:=======|>>>>>>> .*|\|\|\|\|\|\|\| .*|)\s*(?:\n|$))+")


def without_conflicts(pieces: Pieces, text: str) -> Pieces:
    """Return the pieces of the text, with each conflict reported once, where it begins.

    Both sides of a conflict are read if they can be, as if one followed the other; a definition
    with a conflict inside is not read.
    """
    if not any(_OPENS.search(piece.text) for piece in pieces.broken):
        return pieces
    kept = Pieces(list(pieces.statements))
    for piece in pieces.broken:
        opens = _OPENS.search(piece.text)
        if opens is not None:
            kept.broken.append(_named(piece, opens, kept.statements, text.split("\n")))
        elif not _ONLY_MARKS.fullmatch(piece.text):
            kept.broken.append(piece)
    return kept


def _named(
    piece: Broken, opens: re.Match[str], statements: list[ast.stmt], lines: list[str]
) -> Broken:
    """Report a broken stretch as a conflict, with the statement before it if that is cut in two."""
    line = piece.first_line + piece.text.count("\n", 0, opens.start())
    error = Stated(_("git left conflict marks here: keep one side, delete the marks, and save"))
    error.lineno = line
    first, text = piece.first_line, piece.text
    before = next((one for one in reversed(statements) if one.lineno < first), None)
    goes_on = line < len(lines) and lines[line][:1] in (" ", "\t")  # of the line after the mark
    if goes_on and before is not None and line == first:
        statements.remove(before)
        first = before.lineno
        text = "\n".join([*lines[first - 1 : piece.first_line - 1], text])
    return Broken(first, text, error)
