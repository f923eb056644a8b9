"""What is in a zip or tar archive, read in memory: nothing is ever written to a disk.

An archive is a list of members here, and each is unpacked only when it is asked for and only as far
as asked. Sizes are of bytes that were really unpacked; what a header says about them is not used.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .language import _

LIMIT_ARCHIVE_BYTES = 128 << 20
LIMIT_UNPACKED_BYTES = 256 << 20
"""Of a compressed tar, which has to be unpacked as a whole."""
LIMIT_RATIO = 200
RATIO_FROM_BYTES = 8 << 20
"""Below this, what unpacks to many times its size does no harm."""
LIMIT_XZ_BYTES = 128 << 20
"""Memory that an xz stream may ask for: twice what its strongest preset needs."""

_READ = (".zip", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz")
_NOT_READ = (".rar", ".7z", ".tar.zst", ".gz", ".bz2", ".xz", ".zst", ".iso", ".dmg")
_BY_LENGTH = sorted((*_READ, *_NOT_READ), key=len, reverse=True)
_CHUNK_BYTES = 1 << 20


class ArchiveError(Exception):
    """An archive that cannot be read as a whole; says why and what to do."""


@dataclass(frozen=True)
class Member:
    """One file in an archive, not unpacked yet."""

    name: str
    """As packed, with `/` between folders."""
    kind: int
    """As in `st_mode`."""
    modified_s: float
    unpack: Callable[[int], bytes]
    """At most so many bytes of it. Raises ArchiveError."""

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.kind)


def is_archive(name: str) -> bool:
    """Whether a file of this name is an archive, of a kind that is read or not.

    >>> is_archive("student-001.tar.gz"), is_archive("a1_attention.py")
    (True, False)
    """
    return name.lower().endswith(tuple(_BY_LENGTH))


def without_suffix(name: str) -> str:
    """The name of an archive without what makes it one.

    >>> without_suffix("student-001.tar.gz")
    'student-001'
    """
    suffix = next((one for one in _BY_LENGTH if name.lower().endswith(one)), "")
    return name[: len(name) - len(suffix)]


def members(name: str, data: bytes) -> Iterator[Member]:
    """The members of an archive in their order. Raises ArchiveError, also while iterating."""
    if not name.lower().endswith(_READ) or data.startswith((b"Rar!", b"7z\xbc\xaf")):
        raise ArchiveError(
            _("an archive of a kind that is not read. Pack it as .zip and hand that in.")
        )
    if name.lower().endswith(".zip"):
        from .zip_archive import members as in_zip

        return in_zip(data)
    from .tar_archive import members as in_tar

    return in_tar(plain(data))


def is_bomb(packed: int, unpacked: int) -> bool:
    return unpacked > RATIO_FROM_BYTES and unpacked > LIMIT_RATIO * packed


def plain(data: bytes) -> bytes:
    """A tar without its compression, whatever its name says: some browsers take that off.

    Raises ArchiveError.
    """
    chunks = _decompressed(data)
    if chunks is None:
        return data
    found = bytearray()
    try:
        for chunk in chunks:
            found += chunk
            if is_bomb(len(data), len(found)):
                raise ArchiveError(
                    _(
                        "unpacks to more than {ratio} times its size. "
                        "Clear the notebooks' outputs and pack it again.",
                        ratio=LIMIT_RATIO,
                    )
                )
            if len(found) > LIMIT_UNPACKED_BYTES:
                raise ArchiveError(
                    _(
                        "unpacks to more than {mib} MiB. Pack only the submission's own files.",
                        mib=LIMIT_UNPACKED_BYTES >> 20,
                    )
                )
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ArchiveError(damaged(error)) from None
    return bytes(found)


def damaged(error: object) -> str:
    """What to say of bytes that are no archive, or only the beginning of one."""
    return _("damaged or not complete ({error}). Pack it again, and upload that.", error=error)


def _decompressed(data: bytes) -> Iterator[bytes] | None:
    if data.startswith(b"\x1f\x8b"):
        file = gzip.GzipFile(fileobj=io.BytesIO(data))
        return iter(lambda: file.read(_CHUNK_BYTES), b"")
    if data.startswith(b"BZh"):
        return _streams(data, bz2.BZ2Decompressor)
    if data.startswith(b"\xfd7zXZ"):
        return _streams(data, lambda: lzma.LZMADecompressor(memlimit=LIMIT_XZ_BYTES))
    return None


def _streams(
    data: bytes, make: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]
) -> Iterator[bytes]:
    """The streams in `data`, one after the other: parallel packers write many."""
    while data:
        stream = make()
        yield stream.decompress(data, _CHUNK_BYTES)
        while not stream.eof:
            if stream.needs_input:
                raise EOFError(_("it ends in the middle"))
            yield stream.decompress(b"", _CHUNK_BYTES)
        data = stream.unused_data
