"""Read the members of a zip archive."""

from __future__ import annotations

import calendar
import functools
import io
import stat
import zipfile
from collections.abc import Iterator
from mmap import mmap

from ..text.language import _
from .archive_member import LIMIT_RATIO, ArchiveError, Member, damaged, is_bomb, too_many

LIMIT_RECORDS = 40_000
"""The limit for records in the table of contents: all become objects before any is looked at."""
LIMIT_TABLE_BYTES = 8 << 20
"""The limit for names and further fields in the table, which are taken apart at the same time."""

_RECORD = b"PK\x01\x02"
_ENCRYPTED, _IS_UTF8 = 0x1, 0x800
_WINDOWS = 0
_CHUNK_BYTES = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def members(data: bytes) -> Iterator[Member]:
    """Yield the members in their order.

    Raises ArchiveError.
    """
    if not is_table_within(data, LIMIT_RECORDS, LIMIT_TABLE_BYTES):
        raise ArchiveError(too_many())
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # a dozen kinds of it, for bytes that were made to be read wrongly
        raise ArchiveError(damaged(error)) from None
    for info in archive.infolist():
        yield Member(
            name=name_of(info),
            kind=kind_of(info),
            modified_s=modified_of(info),
            unpack=functools.partial(_unpack, archive, info),
        )


def is_table_within(data: bytes | mmap, limit_records: int, limit_bytes: int) -> bool:
    """Tell whether the table of contents holds so many records and bytes at most."""
    # Each record begins with these bytes, so that there are no more of them than of these.
    count, total, at = 0, 0, data.find(_RECORD)
    while at >= 0 and count <= limit_records and total <= limit_bytes:
        lengths = data[at + 28 : at + 34]  # of the name, the further fields and the comment
        count += 1
        total += sum(int.from_bytes(lengths[n : n + 2], "little") for n in (0, 2, 4))
        at = data.find(_RECORD, at + 1)
    return count <= limit_records and total <= limit_bytes


def name_of(info: zipfile.ZipInfo) -> str:
    """Return the name as it was meant.

    Many packers write UTF-8, or a Korean Windows its own encoding, and say nothing about it.
    """
    name = info.orig_filename
    if not info.flag_bits & _IS_UTF8 and not name.isascii():
        raw = name.encode("cp437", "replace")
        for encoding in ("utf-8", "cp949"):
            try:
                name = raw.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
    return name.replace("\\", "/") if info.create_system == _WINDOWS else name


def kind_of(info: zipfile.ZipInfo) -> int:
    """Return the file type of a member, as in `st_mode`."""
    # Not `info.is_dir()`: until Python 3.12 it trips over a name without a letter.
    if info.filename.endswith("/") or info.orig_filename.endswith("\\"):
        return stat.S_IFDIR
    return stat.S_IFMT(info.external_attr >> 16) or stat.S_IFREG


def modified_of(info: zipfile.ZipInfo) -> float:
    """Return the time of a member's last change in seconds, 0 for one that is none."""
    try:
        return float(calendar.timegm(info.date_time))
    except ValueError:  # the 0th of the 0th month
        return 0.0


def is_encrypted(info: zipfile.ZipInfo) -> bool:
    """Tell whether a member can be read with a password only."""
    return bool(info.flag_bits & _ENCRYPTED)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit_bytes: int) -> bytes:
    if is_encrypted(info):
        raise ArchiveError(_("is encrypted: not read. Pack it again without a password."))
    if info.compress_type not in _METHODS:
        raise ArchiveError(
            _("is packed by an unusual method: not read. Pack it as an ordinary zip.")
        )
    content = bytearray()
    try:
        with archive.open(info) as file:
            while len(content) < limit_bytes:
                chunk = file.read(min(_CHUNK_BYTES, limit_bytes - len(content)))
                if not chunk:
                    break
                content += chunk
                if is_bomb(info.compress_size, len(content)):
                    break
    except Exception as error:  # as above
        raise ArchiveError(_("is {damaged}", damaged=damaged(error))) from None
    if is_bomb(info.compress_size, len(content)):
        raise ArchiveError(
            _(
                "unpacks to more than {ratio} times its size: not read. Clear its outputs.",
                ratio=LIMIT_RATIO,
            )
        )
    return bytes(content)
