"""Write a catalogue of gettext with some of the texts of another."""

from __future__ import annotations

import struct
from collections.abc import Callable
from gettext import GNUTranslations
from io import BytesIO

_MAGIC = 0x950412DE
_HEADER = struct.Struct("<7I")
_ENTRY = struct.Struct("<2I")


def chosen_texts(catalogue: bytes, is_chosen: Callable[[str], bool]) -> bytes:
    """Return a compiled catalogue with the texts for which `is_chosen` holds, without plurals."""
    known: dict[object, str] = vars(GNUTranslations(BytesIO(catalogue)))["_catalog"]
    rows = [
        (text.encode(), translated.encode())
        for text, translated in known.items()
        if isinstance(text, str) and text and is_chosen(text)
    ]
    return _compiled(sorted([(b"", b"Content-Type: text/plain; charset=UTF-8\n"), *rows]))


def _compiled(rows: list[tuple[bytes, bytes]]) -> bytes:
    """Return the binary form: a header, two tables of lengths and places, and all texts."""
    tables = _HEADER.size, _HEADER.size + len(rows) * _ENTRY.size
    at = _HEADER.size + 2 * len(rows) * _ENTRY.size
    entries, texts = b"", b""
    for column in (0, 1):
        for row in rows:
            entries += _ENTRY.pack(len(row[column]), at + len(texts))
            texts += row[column] + b"\0"
    return _HEADER.pack(_MAGIC, 0, len(rows), *tables, 0, 0) + entries + texts
