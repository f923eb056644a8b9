"""Write and read the file of a sealed course.

    grader sealed course 2
    u32 length of the header | header | outline | rest | signature

The header is JSON in clear: until when the file may be used, whose it is, and the lengths of the
other parts. The outline is what the parent process reads, the rest is for the judge alone; each is
encrypted by itself and bound to the header. The signature is under all that stands before it.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ..text.language import _
from .ciphers import SIGNATURE_BYTES, TAG_BYTES, decrypt, encrypt, is_signed, sign
from .key import AuthorKey, GradingKey
from .refusal import SealedError

Files = Mapping[str, bytes]
"""Path in the course -> content."""

_KIND = b"grader sealed course "
_MAGIC = _KIND + b"2\n"
_LENGTH = struct.Struct(">I")
_MOST_HEADER_BYTES = 4096
_OUTLINE, _REST = b"outline", b"rest"


@dataclass(frozen=True)
class SealedCourse:
    """A sealed course as far as it was opened."""

    expires: date
    """The last day on which it may be used, in UTC."""
    files: Files = field(repr=False)
    """The files that were opened."""
    digests: Mapping[str, str] = field(repr=False)
    """Path of every file, opened or not -> SHA-256 of its content."""
    parts: Mapping[str, str] = field(repr=False)
    """Part of the course that results depend on -> its SHA-256, as the sealer was told them."""


def seal(
    outline: Files, rest: Files, key: AuthorKey, expires: date, parts: Mapping[str, str]
) -> bytes:
    """Return the file of a course. The same arguments give the same bytes.

    `parts` are digests for whoever has opened no more than the outline.
    """
    digests = {name: _sha256(data) for name, data in sorted({**outline, **rest}.items())}
    first = _packed(outline, {"digests": digests, "parts": list(parts.items())})
    second = _packed(rest, {})
    header = _json(
        {
            "expires": expires.isoformat(),
            "key": key.grading.fingerprint,
            "outline": len(first) + TAG_BYTES,
            "rest": len(second) + TAG_BYTES,
        }
    )
    signed = [
        _MAGIC,
        _LENGTH.pack(len(header)),
        header,
        encrypt(key.grading, first, [header, _OUTLINE]),
        encrypt(key.grading, second, [header, _REST]),
    ]
    data = b"".join(signed)
    return data + sign(key, data)


def unseal(data: bytes, key: GradingKey, today: date, place: str, *, whole: bool) -> SealedCourse:
    """Open a sealed course: the outline, or the `whole` of it. `place` names it in messages.

    Raises SealedError if the file is none, cut short, changed, sealed with another key or expired.
    """
    header, at = _header(data, place)
    sizes = [header["outline"], header["rest"]]
    end = at + sum(sizes)
    if len(data) != end + SIGNATURE_BYTES:
        raise SealedError(
            _(
                "{place}: this sealed course is not whole: {actual} bytes, expected {expected}. "
                "Copy it again.",
                place=place,
                actual=len(data),
                expected=end + SIGNATURE_BYTES,
            )
        )
    if header["key"] != key.fingerprint:
        raise SealedError(
            _(
                "{place}: this course was sealed with the key {sealed}, and the key given here "
                "belongs to {given}. Use the grading key that was made with the author's.",
                place=place,
                sealed=header["key"],
                given=key.fingerprint,
            )
        )
    if not is_signed(key, data[:end], data[end:]):
        raise _changed(place)
    expires = _day(header["expires"], place)
    if today > expires:
        raise SealedError(
            _(
                "{place}: this sealed course could be used until {day} (UTC). "
                "Ask its author to seal it again.",
                place=place,
                day=expires.isoformat(),
            )
        )
    return _opened(data, at, sizes, key, expires, place, whole)


def check_kind(data: bytes, place: str) -> None:
    """Raise SealedError if `data` does not begin as a sealed course of this version does."""
    if data.startswith(_MAGIC):
        return
    if data.startswith(_KIND):
        text = _("{place}: sealed by another version of the grader. Install that.", place=place)
    else:
        text = _(
            "{place}: this file is no sealed course. Name the course's folder, or what "
            "`grader release --sealed` wrote.",
            place=place,
        )
    raise SealedError(text)


def _opened(
    data: bytes, at: int, sizes: list[int], key: GradingKey, expires: date, place: str, whole: bool
) -> SealedCourse:
    header = data[len(_MAGIC) + _LENGTH.size : at]
    middle, end = at + sizes[0], at + sum(sizes)
    first = decrypt(key, data[at:middle], [header, _OUTLINE])
    if first is None:
        raise _changed(place)
    files, more = _unpacked(first)
    if whole:
        second = decrypt(key, data[middle:end], [header, _REST])
        if second is None:
            raise _changed(place)
        files |= _unpacked(second)[0]
    return SealedCourse(expires, files, more["digests"], dict(more["parts"]))


def _header(data: bytes, place: str) -> tuple[dict[str, Any], int]:
    """Return the header, and where it ends. Nothing in it is trusted yet but its form."""
    check_kind(data, place)
    start = len(_MAGIC) + _LENGTH.size
    if len(data) < start:
        raise _changed(place)
    (length,) = _LENGTH.unpack_from(data, len(_MAGIC))
    try:
        header = json.loads(data[start : start + length]) if length <= _MOST_HEADER_BYTES else None
    except ValueError:
        header = None
    if not isinstance(header, dict) or not _is_header(header):
        raise _changed(place)
    return header, start + length


def _is_header(header: dict[str, Any]) -> bool:
    if header.keys() != {"expires", "key", "outline", "rest"}:
        return False
    sizes = (header["outline"], header["rest"])
    words = (header["expires"], header["key"])
    return all(type(size) is int and size >= 0 for size in sizes) and all(
        type(word) is str and len(word) <= 16 and word.isascii() and word.isprintable()
        for word in words
    )


def _day(text: str, place: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise _changed(place) from None


def _changed(place: str) -> SealedError:
    return SealedError(
        _(
            "{place}: this sealed course was changed or damaged after it was sealed, and is not "
            "used. Get it from its author again.",
            place=place,
        )
    )


def _packed(files: Files, more: Mapping[str, object]) -> bytes:
    """Return files as one piece: a table of their names and sizes, and their contents."""
    names = sorted(files)
    table = _json({**more, "files": [[name, len(files[name])] for name in names]})
    return b"".join([_LENGTH.pack(len(table)), table, *(files[name] for name in names)])


def _unpacked(data: bytes) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the files in a piece that was decrypted, and what else its table holds."""
    (length,) = _LENGTH.unpack_from(data)
    at = _LENGTH.size + length
    table = json.loads(data[_LENGTH.size : at])
    files = {}
    for name, size in table.pop("files"):
        files[name] = data[at : at + size]
        at += size
    return files, table


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
