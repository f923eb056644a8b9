"""Walk through JSON bytes and build objects only for what is asked for.

What is skipped costs time in proportion to its length and no memory, so that an untrusted file of
many megabytes can be read for a few kilobytes in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..text.language import _

MAX_PARTS = 8_000_000
"""The limit for strings and brackets looked at while skipping: about two seconds."""
MAX_STEPS = 300_000
"""The limit for members and items walked through one by one: each is far slower than a part."""
MAX_KEY_BYTES = 1_000

_SPACE = re.compile(rb"[ \t\r\n]*")
_PLAIN = re.compile(rb"-?[0-9][0-9.eE+-]*|true|false|null|NaN|-?Infinity")
_PART = re.compile(rb'"[^"]*"|[\[\]{}]')
_OPENING = frozenset(b"[{")
_QUOTE = ord('"')


class ScanError(ValueError):
    """An error for bytes that are no JSON, or not of the expected shape. `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass
class Effort:
    """The effort that may still be spent on scanning; one for all files of a submission."""

    parts: int = MAX_PARTS
    steps: int = MAX_STEPS


class Scan:
    """A position in JSON bytes. Every method moves past what it has read.

    >>> scan = Scan(b'{"skipped": [[1], {}], "wanted": ["a"]}')
    >>> {key: scan.value(99) if key == "wanted" else scan.skip() for key in scan.members()}
    {'skipped': None, 'wanted': ['a']}
    """

    def __init__(self, data: bytes, effort: Effort | None = None) -> None:
        self._data = data
        # Same length, without escapes: every quotation mark that is left begins or ends a string.
        self._masked = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        self._at = 0
        self._effort = effort or Effort()

    def members(self) -> Iterator[str]:
        """Yield the keys of the object here; the caller moves past each value."""
        self._expect(b"{")
        if self._take(b"}"):
            return
        while True:
            self._step()
            yield self._key()
            if not self._take(b","):
                break
        self._expect(b"}")

    def items(self) -> Iterator[int]:
        """Yield the positions in the array here; the caller moves past each value."""
        self._expect(b"[")
        if self._take(b"]"):
            return
        position = 0
        while True:
            self._step()
            yield position
            position += 1
            if not self._take(b","):
                break
        self._expect(b"]")

    def skip(self) -> None:
        """Move past the value here, whatever it is."""
        start = self._start()
        if self._masked[start : start + 1] in (b"[", b"{"):
            self._skip_brackets(start)
            return
        plain = _PLAIN.match(self._masked, start) or _PART.match(self._masked, start)
        if plain is None or plain[0] in (b"]", b"}"):
            raise self.error(_("expected a value"))
        self._at = plain.end()

    def value(self, limit_bytes: int) -> Any:
        """Return the value here as objects; None if it is too long or nested too deeply."""
        start = self._start()
        self.skip()
        if self._at - start > limit_bytes:
            return None
        try:
            return json.loads(self._data[start : self._at].decode("utf-8", "replace"), strict=False)
        except RecursionError:
            return None
        except ValueError as error:
            self._at = start
            raise self.error(_("a value cannot be read ({error})", error=error)) from None

    def end(self) -> None:
        """Raise ScanError if anything but white space follows."""
        if self._start() != len(self._data):
            raise self.error(_("there is more text after the end"))

    def error(self, message: str) -> ScanError:
        """Return the error to raise for the bytes at this position."""
        if self._at >= len(self._data):
            message = _("{problem}, but the file ends: it was not copied in full", problem=message)
        return ScanError(message, self._data.count(b"\n", 0, self._at) + 1)

    def _start(self) -> int:
        space = _SPACE.match(self._masked, self._at)
        assert space is not None
        self._at = space.end()
        return self._at

    def _take(self, token: bytes) -> bool:
        is_there = self._masked.startswith(token, self._start())
        self._at += is_there
        return is_there

    def _expect(self, token: bytes) -> None:
        if not self._take(token):
            raise self.error(_("expected `{token}`", token=token.decode()))

    def _step(self) -> None:
        self._effort.steps -= 1
        if self._effort.steps < 0:
            raise self.error(_("it is made of too many pieces"))

    def _key(self) -> str:
        self._start()
        if self._masked[self._at : self._at + 1] != b'"':
            raise self.error(_("expected a name in quotation marks"))
        key = self.value(MAX_KEY_BYTES)
        self._expect(b":")
        return key if type(key) is str else ""

    def _skip_brackets(self, start: int) -> None:
        masked, depth = self._masked, 0
        for part in _PART.finditer(masked, start):
            self._effort.parts -= 1
            if self._effort.parts < 0:
                raise self.error(_("too much is stored in here: clear the outputs"))
            first = masked[part.start()]
            if first == _QUOTE:
                continue
            depth += 1 if first in _OPENING else -1
            if depth == 0:
                self._at = part.end()
                return
        self._at = len(masked)
        raise self.error(_("a bracket is never closed"))
