"""Look for secret lines of a course in files that are about to leave it.

They are looked for as they are, inside of notebooks (sources, outputs, metadata), and behind base64
and compression, one behind another. White space and line ends do not hide them. A pickle needs no
reader: the texts in it stand there as they are.
"""

from __future__ import annotations

import base64
import bz2
import io
import json
import lzma
import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..text.language import _
from .secrets import LEAST_CHARACTERS, SecretLine, squeezed

MOST_LAYERS = 6
"""How many layers of encoding are taken off; with more, a file is not released."""
MOST_BYTES = 64 << 20
"""The most bytes that one file may be when unpacked, so that a small file cannot stop a release."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]+)*={0,2}")
_BREAK = re.compile(rb"\r?\n|\\n")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_STEP_BYTES = 1 << 12
_ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_GZIP = re.compile(rb"\x1f\x8b\x08")
_BZ2 = re.compile(rb"BZh[1-9]\x31\x41\x59\x26\x53\x59")
_XZ = re.compile(rb"\xfd7zXZ\x00")
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Leak:
    """A secret line in a file that is about to be released."""

    file: str
    secret: SecretLine

    def __str__(self) -> str:
        return _(
            "{file}: holds a line of {place}, which no student may get",
            file=self.file,
            place=self.secret.place,
        )


class UnsearchableError(Exception):
    """A file with too many layers, or too large inside: nobody can say what is in it."""

    def __str__(self) -> str:
        return _(
            "{file}: too large, or packed too often, to look for secret lines in it",
            file=self.args[0],
        )


def leaks(files: Mapping[str, bytes], secrets: Iterable[SecretLine]) -> Iterator[Leak]:
    """Yield each secret line in these files, once for each file.

    Raises UnsearchableError, with the file's name.
    """
    by_beginning: defaultdict[str, list[SecretLine]] = defaultdict(list)
    for secret in secrets:
        by_beginning[secret.text[:LEAST_CHARACTERS]].append(secret)
    for name, data in sorted(files.items()):
        seen: set[SecretLine] = set()
        for text in (name, *_texts(name, data)):
            seen.update(_in_text(squeezed(text), by_beginning))
        yield from (Leak(name, secret) for secret in sorted(seen, key=lambda one: one.place))


def _in_text(text: str, by_beginning: Mapping[str, list[SecretLine]]) -> Iterator[SecretLine]:
    for at in range(len(text) - LEAST_CHARACTERS + 1):
        for secret in by_beginning.get(text[at : at + LEAST_CHARACTERS], ()):
            if text.startswith(secret.text, at):
                yield secret


def _texts(name: str, data: bytes) -> Iterator[str]:
    """Yield all texts in a file, those behind encodings as well."""
    layer, total = [data], 0
    for _number in range(MOST_LAYERS):
        following: list[bytes] = []
        for piece in layer:
            total += len(piece)
            if total > MOST_BYTES:
                raise UnsearchableError(name)
            yield from _readings(piece)
            following += _inside(piece, MOST_BYTES - total)
        if not following:
            return
        layer = following
    raise UnsearchableError(name)


def _readings(data: bytes) -> Iterator[str]:
    """Yield the ways in which people and programs read some bytes as text."""
    yield data.decode("utf-8", "replace")
    if b"\0" in data:
        yield data.decode("utf-16-le", "replace")
        yield data.decode("utf-16-be", "replace")
    text = data.decode("utf-8", "replace")
    if "\\" in text:  # a text inside a text, as JSON and Python write it
        yield re.sub(r"\\[nrt]", " ", text).replace('\\"', '"').replace("\\'", "'")
    yield from _json_texts(data)


def _json_texts(data: bytes) -> Iterator[str]:
    """Yield every text of a JSON file: names and values, and lists of texts joined."""
    try:
        waiting = [json.loads(data)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            if all(isinstance(one, str) for one in value):
                yield "".join(value)
            waiting += value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]


def _inside(data: bytes, most_bytes: int) -> Iterator[bytes]:
    """Yield what some bytes hold in other encodings, wherever it begins."""
    for match in _BASE64.finditer(data):
        yield from _from_base64(match[0])
    for pattern, wbits in ((_ZLIB, zlib.MAX_WBITS), (_GZIP, zlib.MAX_WBITS | 16)):
        for match in pattern.finditer(data):
            yield from _decompressed(zlib.decompressobj(wbits), data[match.start() :], most_bytes)
    for match in _BZ2.finditer(data):
        yield from _decompressed(bz2.BZ2Decompressor(), data[match.start() :], most_bytes)
    for match in _XZ.finditer(data):
        yield from _decompressed(lzma.LZMADecompressor(), data[match.start() :], most_bytes)
    if _ZIP in data:
        yield from _from_zip(data, most_bytes)


def _from_base64(text: bytes) -> Iterator[bytes]:
    """Yield what base64 stands for; of an ordinary long word that is noise, in which nothing is."""
    plain = _BREAK.sub(b"", text).rstrip(b"=").translate(_URL_SAFE)
    if len(plain) % 4 == 1:  # no base64, or a letter too many
        plain = plain[:-1]
    yield base64.b64decode(plain + b"=" * (-len(plain) % 4))


def _decompressed(reader: Any, data: bytes, most_bytes: int) -> Iterator[bytes]:
    """Yield what a stream holds, as far as it can be read; nothing if it is none."""
    parts, size = [], 0
    try:
        for at in range(0, len(data), _STEP_BYTES):
            part = reader.decompress(data[at : at + _STEP_BYTES], most_bytes + 1 - size)
            parts.append(part)
            size += len(part)
            if reader.eof or size > most_bytes:
                break
    except (zlib.error, OSError, lzma.LZMAError, EOFError):
        pass
    if size:
        yield b"".join(parts)


def _from_zip(data: bytes, most_bytes: int) -> Iterator[bytes]:
    """Yield the members of a zip archive, of which each is read up to the bound and one byte."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                with archive.open(member) as file:
                    yield file.read(most_bytes + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error):
        pass
