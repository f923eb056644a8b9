"""Put pieces of a student's text into the reference."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from .candidates import CandidateEdit
from .own_text import Helper, OwnPieces, TextPiece

OWN_TEXT = "own text"
"""The kind of an edit that a student wrote, and no grammar."""
_SHOWN = 100
"""The most characters of a piece that are shown on either side."""


def transplanted(
    stem: str, reference: str, own: OwnPieces, chosen: Collection[int]
) -> CandidateEdit | None:
    """Return the reference with some pieces of a student's in it; None if that is no program."""
    pieces = sorted((own.pieces[at] for at in chosen), key=lambda one: (one.first, one.last))
    helpers = tuple(_needed(own.helpers, pieces))
    source = _with_pieces(reference, own.before, pieces, helpers)
    try:
        ast.parse(source)
    except SyntaxError:
        return None
    lines = reference.split("\n")
    names = [*(one.unusual for one in pieces), *(one.unusual for one in helpers)]
    return CandidateEdit(
        stem=stem,
        definition=" and ".join(dict.fromkeys(one.definition for one in pieces)),
        source=source,
        edits=tuple(_in_words(one, lines) for one in pieces),
        lines=tuple(one.first for one in pieces),
        helpers=tuple(one.name for one in helpers),
        unusual=next(filter(None, names), ""),
    )


def changed_lines(edit: CandidateEdit, reference: str) -> int:
    """Return how many lines of the reference an edit changes, or how many it has for them."""
    blocks = SequenceMatcher(
        None, reference.split("\n"), edit.source.split("\n"), autojunk=False
    ).get_opcodes()
    return sum(max(j - i, m - k) for kind, i, j, k, m in blocks if kind != "equal")


def _needed(helpers: Sequence[Helper], pieces: Sequence[TextPiece]) -> Iterator[Helper]:
    """Yield the helpers that pieces use, or that helpers use which they use."""
    words = set(re.findall(r"\w+", "\n".join(line for one in pieces for line in one.text)))
    needed: set[str] = set()
    while more := [one for one in helpers if one.name in words and one.name not in needed]:
        needed |= {one.name for one in more}
        words |= {word for one in more for word in re.findall(r"\w+", one.text)}
    yield from (one for one in helpers if one.name in needed)


def _with_pieces(
    reference: str, before: int, pieces: Sequence[TextPiece], helpers: Sequence[Helper]
) -> str:
    lines = reference.split("\n")
    for piece in reversed(pieces):
        lines[piece.first - 1 : piece.last] = piece.text
    texts = dict.fromkeys(one.text for one in helpers)
    lines[before - 1 : before - 1] = [
        line for text in texts for line in (*text.split("\n"), "", "")
    ]
    return "\n".join(lines)


def _in_words(piece: TextPiece, reference: Sequence[str]) -> str:
    before = _on_one_line(reference[piece.first - 1 : piece.last])
    return f"{OWN_TEXT}: {before} -> {_on_one_line(piece.text)}"


def _on_one_line(lines: Sequence[str]) -> str:
    text = "; ".join(line.strip() for line in lines)
    if len(text) <= _SHOWN:
        return text or "nothing"
    return f"{text[:_SHOWN]}… ({hashlib.sha256(text.encode()).hexdigest()[:6]})"
