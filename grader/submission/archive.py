"""Read zip and tar archives in memory; nothing is ever written to a disk.

An archive is a list of members here, and each is unpacked only when it is asked for and only as far
as asked. Sizes are of bytes that were really unpacked; what a header says about them is not used.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from ..text.language import _
from .archive_member import LIMIT_RATIO, ArchiveError, Member, damaged, is_bomb

LIMIT_ARCHIVE_BYTES = 128 << 20
LIMIT_UNPACKED_BYTES = 256 << 20
"""The limit for a compressed tar, which has to be unpacked as a whole."""
LIMIT_XZ_BYTES = 128 << 20
"""Memory that an xz stream may ask for: twice what its strongest preset needs."""

LIMIT_STREAMS = 5_000
"""The limit for streams in one file that are compressed on their own, one after the other."""
LIMIT_NAME_CHARACTERS = 4096
"""The limit for a path in an archive: a longer one fits on no disk, and is slow to look at."""

_READ = (".zip", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz")
_NOT_READ = (".rar", ".7z", ".tar.zst", ".gz", ".bz2", ".xz", ".zst", ".iso", ".dmg")
_BY_LENGTH = sorted((*_READ, *_NOT_READ), key=len, reverse=True)
_CHUNK_BYTES = 1 << 20
_PIECE_BYTES = 64 << 10


def is_archive(name: str) -> bool:
    """Tell whether a file of this name is an archive, of a kind that can be read or not.

    >>> is_archive("student-001.tar.gz"), is_archive("a1_attention.py")
    (True, False)
    """
    return name.lower().endswith(tuple(_BY_LENGTH))


def without_suffix(name: str) -> str:
    """Return an archive's name without its suffix.

    >>> without_suffix("student-001.tar.gz")
    'student-001'
    """
    suffix = next((one for one in _BY_LENGTH if name.lower().endswith(one)), "")
    return name[: len(name) - len(suffix)]


def members(name: str, data: bytes) -> Iterator[Member]:
    """Return the members of an archive in their order.

    Raises ArchiveError, also while iterating.
    """
    if not name.lower().endswith(_READ) or data.startswith((b"Rar!", b"7z\xbc\xaf")):
        raise ArchiveError(_("this kind of archive is not read. Pack it as .zip and hand that in."))
    if name.lower().endswith(".zip"):
        from .zip_archive import members as in_zip

        return in_zip(data)
    from .tar_archive import members as in_tar

    return in_tar(plain(data))


def plain(data: bytes) -> bytes:
    """Return a tar archive without its compression.

    The bytes decide, not the name: some browsers take the compression off. Raises ArchiveError if
    the data is damaged, unpacks to more than LIMIT_RATIO times its size, or to more than
    LIMIT_UNPACKED_BYTES.
    """
    chunks = _decompressed(data)
    if chunks is None:
        return data
    content = bytearray()
    try:
        for chunk in chunks:
            content += chunk
            if is_bomb(len(data), len(content)):
                raise ArchiveError(
                    _(
                        "unpacks to more than {ratio} times its size. "
                        "Clear the notebooks' outputs and pack it again.",
                        ratio=LIMIT_RATIO,
                    )
                )
            if len(content) > LIMIT_UNPACKED_BYTES:
                raise ArchiveError(
                    _(
                        "unpacks to more than {mib} MiB. Pack only the submission's own files.",
                        mib=LIMIT_UNPACKED_BYTES >> 20,
                    )
                )
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ArchiveError(damaged(error)) from None
    return bytes(content)


class _Decompressor(Protocol):
    """The methods that the decompressors of `bz2` and `lzma` have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """A gzip decompressor with the methods of `_Decompressor`.

    Python's own reader goes through names and padding a byte at a time.
    """

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        self._is_full = False

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._is_full and not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        content = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self._is_full = len(content) == max_length
        return content


def _decompressed(data: bytes) -> Iterator[bytes] | None:
    if data.startswith(b"\x1f\x8b"):
        return _streams(data, _Gzip)
    if data.startswith(b"BZh"):
        return _streams(data, bz2.BZ2Decompressor)
    if data.startswith(b"\xfd7zXZ"):
        return _streams(data, lambda: lzma.LZMADecompressor(memlimit=LIMIT_XZ_BYTES))
    return None


def _streams(data: bytes, make: Callable[[], _Decompressor]) -> Iterator[bytes]:
    """Yield the decompressed chunks of all streams in `data`, one stream after the other.

    Parallel packers write many streams. They are fed in pieces: what is left after the end of one
    is given back, and copied for it.
    """
    at = 0
    for _stream in range(LIMIT_STREAMS):
        stream = make()
        while not stream.eof:
            piece = data[at : at + _PIECE_BYTES] if stream.needs_input else b""
            if stream.needs_input and not piece:
                raise EOFError(_("it ends in the middle"))
            at += len(piece)
            yield stream.decompress(piece, _CHUNK_BYTES)
        at = _after_zeros(data, at - len(stream.unused_data))
        if at == len(data):
            return
    raise ArchiveError(
        _("is packed in more than {count} pieces. Pack it again as .zip.", count=LIMIT_STREAMS)
    )


def _after_zeros(data: bytes, at: int) -> int:
    """Return the offset after zero padding.

    Some packers add a few zero bytes, or fill a tape's block.
    """
    while at < len(data):
        piece = data[at : at + _PIECE_BYTES]
        if kept := piece.lstrip(b"\0"):
            return at + len(piece) - len(kept)
        at += len(piece)
    return at
