"""Attacks on the time of whoever unpacks: small archives that take long to look at."""

from __future__ import annotations

import bz2
import gzip
import struct
from collections.abc import Callable
from dataclasses import dataclass

from tests.attack.attack import STEM

CODE = f"{STEM}.py".encode()
MARKS = "\u0301\u0316".encode()
"""Accents in an order that has to be changed, which takes the longer the more there are."""


@dataclass(frozen=True)
class Packed:
    """An archive, and what it is that makes it slow."""

    id: str
    suffix: str
    make: Callable[[], bytes]
    lifts: tuple[str, ...]
    """The bounds that stop it, as `module.NAME`."""


def header(name: bytes, size: int, kind: bytes = b"0") -> bytes:
    """A header of a tar archive."""
    found = bytearray(512)
    found[: len(name)] = name
    found[100:108], found[124:136], found[136:148] = (
        b"0000644\0",
        b"%011o\0" % size,
        b"0" * 11 + b"\0",
    )
    found[156:157], found[257:265], found[148:156] = kind, b"ustar\x0000", b" " * 8
    found[148:156] = b"%06o\0 " % sum(found)
    return bytes(found)


def member(name: bytes, body: bytes, kind: bytes = b"0") -> bytes:
    return header(name, len(body), kind) + body + bytes(-len(body) % 512)


def _ended(text: bytes) -> bytes:
    return text + member(CODE, b"x = 1\n") + bytes(1024)


def _pax_records() -> bytes:
    records = b"".join(b"%d %x=\n" % (len(b"%x" % n) + 4, n) for n in range(0x1000, 0x2A00))
    return gzip.compress(_ended(member(b"p", records[: 8 * 6000], b"x") * 160))


def _empty_headers() -> bytes:
    return gzip.compress(_ended(header(b"p", 0, b"x") * 300_000), 1)


def _long_names() -> bytes:
    name = MARKS * 10_000 + b".py"
    return gzip.compress(_ended(member(b"n", name, b"L") + member(b"n", b"")))


def _bz2_pieces() -> bytes:
    return bz2.compress(b"") * 60_000


def _gzip_members() -> bytes:
    return gzip.compress(b"") * 80_000


def _zip(count: int, name: bytes, more: bytes) -> bytes:
    lengths = struct.pack("<HHHHHHIIIHHHHHII", 20, 20, *[0] * 7, len(name), len(more), *[0] * 5)
    table = (b"PK\x01\x02" + lengths + name + more) * count
    return (
        table
        + b"PK\x05\x06"
        + struct.pack("<HHHHIIH", 0, 0, *[count & 0xFFFF] * 2, len(table), 0, 0)
    )


PACKED = (
    Packed("pax-records", "tar.gz", _pax_records, ("submission.tar_archive.LIMIT_RECORDS",)),
    Packed("empty-headers", "tar.gz", _empty_headers, ("submission.tar_archive.LIMIT_HEADERS",)),
    Packed("long-names", "tar.gz", _long_names, ("submission.unpacking.LIMIT_NAME_CHARACTERS",)),
    Packed("bz2-pieces", "tar.bz2", _bz2_pieces, ("submission.archive.LIMIT_STREAMS",)),
    Packed("gzip-members", "tar.gz", _gzip_members, ("submission.archive.LIMIT_STREAMS",)),
    Packed(
        "zip-fields",
        "zip",
        lambda: _zip(135, b"a.py", b"\x99\x99\0\0" * 16_000),
        ("submission.zip_archive.LIMIT_TABLE_BYTES",),
    ),
    Packed(
        "zip-records",
        "zip",
        lambda: _zip(60_000, b"a.py", b""),
        ("submission.zip_archive.LIMIT_RECORDS", "submission.zip_archive.LIMIT_TABLE_BYTES"),
    ),
)
