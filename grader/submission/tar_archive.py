"""Read the members of a tar archive (ustar, GNU and pax headers) without `tarfile`.

Python's own reader has had loops and regular expressions that never end on headers made for it.
This one looks at each byte once, and knows only what a submission can need.
"""

from __future__ import annotations

import functools
import stat
from collections.abc import Iterator, Mapping

from ..text.language import _
from .archive_member import ArchiveError, Member, damaged, too_many

LIMIT_HEADER_BYTES = 64 << 10
"""The limit for a long name or for pax records."""
LIMIT_HEADERS = 80_000
"""The limit for headers. A file has up to four: of its name, link, pax records and its own."""
LIMIT_RECORDS = 100_000
"""The limit for pax records in all headers: five for each file of the largest archive."""

_BLOCK = 512
_END = bytes(_BLOCK)
_REGULAR, _FOLDER, _LINKS = (b"0", b"\0", b"7"), b"5", (b"1", b"2")
_LONG_NAME, _LONG_LINK, _PAX, _PAX_FOR_ALL = b"L", b"K", (b"x", b"X"), b"g"


def members(data: bytes) -> Iterator[Member]:
    """Yield the members in their order.

    Raises ArchiveError.
    """
    at, long_name, records = 0, "", dict[str, str]()
    headers, left = 0, LIMIT_RECORDS
    while data[at : at + _BLOCK] not in (_END, b""):
        headers += 1
        if headers > LIMIT_HEADERS:
            raise ArchiveError(too_many())
        header = data[at : at + _BLOCK]
        _check(header)
        kind, size = header[156:157], _number(records.get("size"), header[124:136])
        start = at + _BLOCK
        at = start + size + -size % _BLOCK
        if start + size > len(data):
            raise ArchiveError(damaged(_("it ends in the middle of a file")))
        if kind in (_LONG_NAME, _LONG_LINK, *_PAX, _PAX_FOR_ALL):
            if size > LIMIT_HEADER_BYTES:
                raise ArchiveError(damaged(_("a header that is too long")))
            body = data[start : start + size]
            if kind == _LONG_NAME:
                long_name = _text(body)
            elif kind in _PAX:
                records, count = _pax(body, left)
                left -= count
            continue
        name = records.get("path") or long_name or _name(header)
        yield Member(
            name=name,
            kind=_kind(kind, name),
            modified_s=_modified(records, header),
            unpack=functools.partial(_unpack, data, start, size, "GNU.sparse" in str(records)),
        )
        long_name, records = "", {}


def _check(header: bytes) -> None:
    blank = header[:148] + b" " * 8 + header[156:]
    try:
        is_right = len(header) == _BLOCK and sum(blank) == int(header[148:156].strip(b" \0"), 8)
    except ValueError:
        is_right = False
    if not is_right:
        raise ArchiveError(damaged(_("a header is not valid")))


def _number(record: str | None, field: bytes) -> int:
    """Return the size of a member: in decimal if a pax record gives it, else in octal.

    No member is so large that it needs more digits. Raises ArchiveError.
    """
    text, base = (record, 10) if record is not None else (_text(field).strip(), 8)
    try:
        size = int(text[:12] or "0", base)
    except ValueError:
        size = -1
    if size < 0 or len(text) > 12:
        raise ArchiveError(damaged(_("a size is not valid")))
    return size


def _name(header: bytes) -> str:
    name, prefix = _text(header[:100]), _text(header[345:500])
    is_ustar = header[257:263] == b"ustar\0"
    return f"{prefix}/{name}" if is_ustar and prefix else name


def _kind(kind: bytes, name: str) -> int:
    if kind == _FOLDER or (kind in _REGULAR and name.endswith("/")):
        return stat.S_IFDIR
    if kind in _REGULAR:
        return stat.S_IFREG
    return stat.S_IFLNK if kind in _LINKS else stat.S_IFCHR


def _modified(records: Mapping[str, str], header: bytes) -> float:
    try:
        if "mtime" in records:
            return float(records["mtime"][:32])
        return float(int(_text(header[136:148]).strip() or "0", 8))
    except ValueError:
        return 0.0


def _pax(body: bytes, limit: int) -> tuple[dict[str, str], int]:
    """Return the `length key=value` lines as a mapping, and how many there are.

    The length counts the whole line. Raises ArchiveError.
    """
    records, at, count = {}, 0, 0
    while at < len(body) and body[at] != 0:
        count += 1
        if count > limit:
            raise ArchiveError(too_many())
        digits = body[at : at + 8].partition(b" ")[0]
        length = int(digits) if digits.isdigit() else 0
        line = body[at : at + length]
        key, equals, value = line[len(digits) + 1 : -1].partition(b"=")
        if length <= len(digits) or len(line) < length or not equals:
            raise ArchiveError(damaged(_("a header is not valid")))
        records[_text(key)] = value.decode("utf-8", "surrogateescape")
        at += length
    return records, count


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _unpack(data: bytes, start: int, size: int, is_sparse: bool, limit_bytes: int) -> bytes:
    if is_sparse:
        raise ArchiveError(_("is a sparse file: not read. Pack it again as .zip."))
    return data[start : start + min(size, limit_bytes)]
